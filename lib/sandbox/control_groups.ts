import type { Host } from "../host/host.ts";
import { SYSTEM_PATH } from "../host/system_path.ts";
import { runTrial } from "./run_trial.ts";

/** Which bounds can be put on a server with everything it starts, by control groups. */
export interface ControlGroups {
  readonly memory: boolean;
  readonly processes: boolean;
}

/** Makes a group in either version of the interface, as the start of a server does, and says what it bounds. */
const TRIAL = `try() {
  g=$1/skep-trial-$$
  mkdir "$g" 2>/dev/null || return 1
  [ -w "$g/$2" ] && (echo $$ >"$g/cgroup.procs") 2>/dev/null && echo $$ >"$1/cgroup.procs"
  result=$?
  rmdir "$g"
  return $result
}
try /sys/fs/cgroup/pids pids.max || try /sys/fs/cgroup pids.max; pids=$?
try /sys/fs/cgroup/memory memory.limit_in_bytes || try /sys/fs/cgroup memory.max; memory=$?
exit $((pids * 2 + memory + 64))`;

/** Tries which control groups can be made. The answer is an exit code, 64 and up. */
export async function tryControlGroups(world: Pick<Host, "spawn">): Promise<ControlGroups> {
  const { code } = await runTrial("/bin/sh", ["-c", TRIAL, "sh"], SYSTEM_PATH, world);
  return { processes: code === 64 || code === 65, memory: code === 64 || code === 66 };
}
