import { join } from "@std/path";
import { messageOf } from "../errors.ts";
import { denoDir, findDeno } from "../host/deno_binary.ts";
import type { Host } from "../host/host.ts";
import type { Lifeline } from "../host/lifeline.ts";
import { SYSTEM_PATH } from "../host/system_path.ts";
import type { BackendName } from "../sandbox/backend.ts";
import type { Confiner } from "../sandbox/confiner.ts";
import { tryControlGroups } from "../sandbox/control_groups.ts";
import { type BackendTrial, tryBackends } from "../sandbox/detect_backend.ts";
import { runTrial } from "../sandbox/run_trial.ts";
import type { Arch } from "../sandbox/syscalls.ts";

/** Finds what confines servers, once, when the first server asks; and holds the lifeline until disposed. */
export interface ConfinerFinder extends AsyncDisposable {
  find(): Promise<Confiner | { readonly problem: string }>;
}

/** A finder for one run of the program. */
export function confinerFinder(
  wanted: "auto" | BackendName,
  root: string,
  host: Host,
): ConfinerFinder {
  let lifeline: Lifeline | undefined;
  let found: ReturnType<ConfinerFinder["find"]> | undefined;
  const find = async () => {
    const [tried, groups] = await Promise.all([
      backendTrials(wanted, root, host),
      host.platform.os === "linux" ? tryControlGroups(host) : undefined,
    ]);
    const backend = tried.find((trial) => trial.backend !== undefined)?.backend;
    if (backend === undefined) return { problem: problems(tried) };
    lifeline = await host.openLifeline();
    const arch = host.platform.arch as Arch;
    return { backend, arch, lifeline: lifeline.path, ...(groups === undefined ? {} : { groups }) };
  };
  return {
    find: () => found ??= find(),
    [Symbol.asyncDispose]: async () => {
      await found?.catch(() => {}); // whoever asked was told
      await lifeline?.close();
    },
  };
}

/** Tries the backends of this machine: one, the strongest that works, or all. */
export function backendTrials(
  wanted: "auto" | "all" | BackendName,
  root: string,
  host: Host,
): Promise<BackendTrial[]> {
  return tryBackends(wanted, host, async () => {
    let deno: string;
    try {
      deno = await findDeno(host);
    } catch (error) {
      return messageOf(error); // the launcher is a program of Deno's
    }
    const launcher = join(root, "tools", "launch", "main.js");
    const args = ["run", "--no-prompt", "--no-config", "--no-lock", "--allow-ffi", launcher];
    const ask = [...args, "--landlock-version"];
    const more = { DENO_DIR: denoDir(host) };
    const { code, stderr } = await runTrial(deno, ask, SYSTEM_PATH, host, more);
    return code === 0 ? undefined : stderr.trim() || "the kernel has no Landlock";
  });
}

function problems(trials: readonly BackendTrial[]): string {
  const each = trials.map(({ name, problem }) => `${name}: ${problem}`);
  return `nothing here can do that (${each.join("; ")})`;
}
