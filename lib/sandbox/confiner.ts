import { join } from "@std/path";
import { SkepError } from "../errors.ts";
import type { SpawnCommand } from "../host/process.ts";
import { type Backend, confined } from "./backend.ts";
import type { ControlGroups } from "./control_groups.ts";
import { type Confinement, confinement, type ConfinementInput } from "./confinement.ts";
import type { LaunchContext } from "./context.ts";
import { isWithin } from "./paths.ts";
import { holdPlaceholders } from "./placeholders.ts";
import type { Arch } from "./syscalls.ts";

/** What holds the servers of this run: the backend that works here, and the runtime's lifeline. */
export interface Confiner {
  readonly backend: Backend;
  readonly arch: Arch;
  /** Path of the FIFO that the runtime holds open. */
  readonly lifeline: string;
  /** The control groups that servers can be put in here; absent: none. */
  readonly groups?: ControlGroups;
}

/** A command behind its confinement. */
export interface ConfinedLaunch {
  /** What to spawn. */
  readonly command: SpawnCommand;
  readonly confinement: Confinement;
  /** Removes what was made in the person's folders to hold a place. */
  release(): Promise<void>;
}

/** Longest text that Linux takes as one variable, its name and NUL counted. */
const MAX_VARIABLE_BYTES = 128 * 1024;

/**
 * Puts a server's command behind its confinement: makes the placeholders, writes what the backend
 * reads into `folder`, which is private and which the server does not see.
 *
 * @throws {SkepError} `GRANT_INVALID` when the environment is longer than the system can carry,
 * `GRANT_REFUSED` when a protected file cannot be held, or the server could write what confines it.
 */
export async function confineLaunch(
  command: SpawnCommand,
  input: Omit<ConfinementInput, "backend">,
  folder: string,
  confiner: Confiner,
  context: LaunchContext,
): Promise<ConfinedLaunch> {
  const { files, platform } = context.host;
  const { server, write } = input.grant;
  const { program } = confiner.backend;
  if (write.some(({ value }) => isWithin(program, value, platform.os))) {
    const message =
      `Cannot start server "${server}": it may write ${program}, which is to confine it`;
    throw new SkepError("GRANT_REFUSED", message, { server });
  }
  const whole = await confinement({ ...input, backend: confiner.backend.name }, context);
  const places = await holdPlaceholders(whole.placeholders, files);
  const isLeftOut = (path: string) =>
    whole.placeholders.some((each) => each.path === path) && !places.paths.includes(path);
  const held = {
    ...whole,
    mounts: whole.mounts.filter(({ path }) => !isLeftOut(path)),
    placeholders: whole.placeholders.filter(({ path }) => !isLeftOut(path)),
  };
  try {
    const { command: outer, files: needed } = confined(command, held, {
      ...confiner,
      folder,
      launcher: join(context.programRoot, "tools", "launch", "main.js"),
      deno: input.places.deno,
      denoDir: input.places.denoDir,
      proxyStartS: context.limits.proxyStartS,
    });
    checkEnvironment(outer, server);
    for (const { path, bytes } of needed) await files.writeBytes(path, bytes);
    await files.makeFolder(join(folder, "root"));
    return { command: outer, confinement: held, release: places.release };
  } catch (error) {
    await places.release();
    throw error;
  }
}

function checkEnvironment({ env }: SpawnCommand, server: string): void {
  for (const [name, value] of Object.entries(env)) {
    const bytes = new TextEncoder().encode(value).length + name.length + 2;
    if (bytes <= MAX_VARIABLE_BYTES) continue;
    const message =
      `Cannot start server "${server}": its environment of ${bytes} bytes is over ${MAX_VARIABLE_BYTES}`;
    throw new SkepError("GRANT_INVALID", message, { server, entry: "env", value: "" });
  }
}
