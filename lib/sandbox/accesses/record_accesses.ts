import { join } from "@std/path";
import { frames } from "../../host/frames.ts";
import type { Host } from "../../host/host.ts";
import type { SpawnCommand } from "../../host/process.ts";
import { SYSTEM_PATH } from "../../host/system_path.ts";
import type { Limits } from "../../limits.ts";
import { isGranted } from "../is_granted.ts";
import type { Launch } from "../launch.ts";
import { maskArguments } from "../mask_arguments.ts";
import { maskText } from "../mask_text.ts";
import { netPlace, parseAccess } from "../learn/parse_access.ts";
import type { AccessLog } from "./access_log.ts";

/** The longest line of Deno's that is read, in bytes: a path and its frame. */
const LONGEST_LINE = 64 * 1024;

/**
 * Makes a FIFO and reads it until stdin ends and nobody writes any more. Both ends are open before `ready` is
 * said: what the server puts in the FIFO's place later is never opened here.
 */
const READER = `mkfifo -m 600 "$1" || exit 1
exec 3<>"$1" 4<"$1"
echo ready
cat <&4 3<&- &
exec 4<&-
read -r _
exec 3<&-
wait`;

const UNSEEN_IN_DENO = "static imports of packages, and all that programs do which it starts";
const UNSEEN = "all that it touches, but for refusals that a result or its network proxy shows";

/** The command of a server that runs in Deno, with Deno's record of what it checks going into a FIFO. */
export function recorded({ command, grant, kind }: Launch): SpawnCommand {
  if (kind === "native") return command;
  return { ...command, env: { ...command.env, DENO_AUDIT_PERMISSIONS: fifoOf(grant) } };
}

/**
 * Logs what a server does from its start to its release: all that Deno checks, where it runs in Deno and was
 * prepared as {@linkcode recorded}, and that it is ready. What is not seen is said.
 */
export async function recordAccesses(
  launch: Launch,
  log: AccessLog,
  host: Pick<Host, "spawn" | "sleep">,
  limits: Pick<Limits, "stopServerMs">,
): Promise<Launch> {
  const { server, grant, confined } = launch;
  const { program, args } = confined?.inner ?? launch.command;
  const reader = launch.kind === "native" ? undefined : await openReader(fifoOf(grant), host);
  log.add({
    server,
    access: "ready",
    value: maskArguments([program, ...args].map(launch.redact)).join(" "),
    allowed: true,
    source: "skep",
    unseen: reader === undefined ? UNSEEN : UNSEEN_IN_DENO,
  });
  const reading = reader === undefined ? undefined : readAll(reader.lines, launch, log);
  return {
    ...launch,
    release: async () => {
      if (reader !== undefined && reading !== undefined) {
        const late = new AbortController();
        const wait = host.sleep(limits.stopServerMs, late.signal).catch(() => {});
        // What survived its server may hold the FIFO open: it is not waited for.
        await Promise.race([reader.finish().then(() => reading), wait]);
        late.abort();
        await Promise.all([reader.kill(), reading]);
      }
      await log.flush();
      await launch.release();
    },
  };
}

function fifoOf({ tmp }: Launch["grant"]): string {
  return join(tmp, ".skep-accesses");
}

/** Undefined where there are no FIFOs. */
async function openReader(path: string, { spawn }: Pick<Host, "spawn">) {
  try {
    const child = spawn({
      program: "/bin/sh",
      args: ["-c", READER, "sh", path],
      cwd: "/",
      env: { PATH: SYSTEM_PATH },
    });
    const errors = child.stderr.cancel();
    const lines = frames(child.stdout, LONGEST_LINE);
    const first = await lines.next();
    if (first.done) {
      await Promise.all([child.stdin.close().catch(() => {}), child.exited, errors]);
      return undefined;
    }
    return {
      lines,
      finish: () => child.stdin.close().catch(() => {}),
      kill: async () => {
        child.signalGroup("SIGKILL");
        await Promise.all([child.exited, errors]);
      },
    };
  } catch {
    return undefined;
  }
}

async function readAll(
  lines: ReturnType<typeof frames>,
  { server, grant, redact }: Launch,
  log: AccessLog,
): Promise<void> {
  for await (const frame of lines) {
    const found = frame.kind === "text" ? parseAccess(frame.text) : undefined;
    if (found === undefined) continue;
    const { access } = found;
    const value = access === "net" ? netPlace(found.value) : found.value;
    // Whoever asks for all variables gets those that are granted: `--ignore-env` refuses nothing.
    const allowed = access === "env" && value === "*" || isGranted(access, value, grant);
    log.add({ server, access, value: maskText(redact(value)), allowed, source: "deno" });
  }
}
