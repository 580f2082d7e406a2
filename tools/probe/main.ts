// The probe's bait: everything around a server that it must not get, laid by a trusted program outside
// of any confinement. Its argument is where, as JSON (see BaitPlaces). It prints what it laid as one line
// of JSON; for each line on stdin, what came of it since, {PROBE: [finding, …]}; and removes all of
// it at the end of stdin, so that nothing stays when whoever started it is gone.

import { frames } from "../../lib/host/frames.ts";
import { BaitFiles, type BaitPlaces } from "./bait_files.ts";
import { BaitSockets } from "./bait_sockets.ts";
import { openLibc } from "./libc.ts";
import { Victim } from "./victim.ts";

const MAX_LINE_BYTES = 1024;
/** What is on its way arrives within this time. */
const SETTLE_MS = 20;

async function main(places: BaitPlaces): Promise<void> {
  const unique = crypto.randomUUID().slice(0, 8);
  const libc = openLibc(Deno);
  const files = await BaitFiles.lay(unique, places, Deno, libc);
  const { base, workspace, outside } = files;
  const sockets = await BaitSockets.open(unique, base, workspace, Deno, libc);
  const victim = new Victim(unique, `${base}/secret.txt`, Deno);
  const sharedMemory = libc.shareMemory();
  const { mode } = await Deno.stat("/dev/null");
  print({
    unique,
    workspace,
    outside,
    secret: `${base}/secret.txt`,
    secretJson: `${base}/secret.json`,
    movable: `${base}/movable.txt`,
    removable: `${base}/removable.txt`,
    meta: `${base}/meta.txt`,
    key: files.key,
    config: places.config,
    other: files.other,
    shm: files.shm,
    credentials: files.credentials,
    stored: files.stored,
    sharedMemory,
    uid: Deno.uid(),
    gid: Deno.gid(),
    tcpPort: sockets.tcpPort,
    udpPort: sockets.udpPort,
    socket: sockets.socket,
    abstract: sockets.abstract,
    victimMark: victim.mark,
    canariesReversed: [[...victim.canary].reverse().join("")],
    runtimePid: Deno.ppid,
    hidden: [base, "/skep-life-", "/filter", "/plan.json"],
    sysFiles: [
      "/sys/kernel/mm/ksm/run",
      "/sys/power/state",
      "/sys/devices/system/cpu/cpu1/online",
      "/sys/kernel/mm/transparent_hugepage/enabled",
    ],
  });
  try {
    for await (const _line of frames(Deno.stdin.readable, MAX_LINE_BYTES)) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const now = await Deno.stat("/dev/null");
      print({
        ...await files.check(),
        ...sockets.check(),
        "after-victim-lives": await victim.check(),
        "after-device-is-as-before": now.mode === mode ? [] : [`/dev/null has mode ${now.mode}`],
      });
    }
  } finally {
    sockets.close();
    await victim.end();
    libc.unshareMemory(sharedMemory);
    await files.remove();
    libc.close();
  }
}

function print(value: unknown): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let written = 0; written < bytes.length;) {
    written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}

if (import.meta.main) {
  // With whoever started it, this ends by the end of its stdin, in its own time.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => {});
  }
  await main(JSON.parse(Deno.args[0] ?? "{}"));
  Deno.exit(0);
}
