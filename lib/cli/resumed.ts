import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { SessionRequest } from "../session/session.ts";
import type { SessionInfo } from "../session/store.ts";
import type { Invocation } from "./flags.ts";
import { keptSessions } from "./kept_sessions.ts";
import { readSettings } from "./settings.ts";

/** A command line that may go on with a session. */
export interface Resumed {
  /** With the session's folder and persona in the place of what was not given. */
  readonly invocation: Invocation;
  readonly resume?: NonNullable<SessionRequest["resume"]>;
  readonly info?: SessionInfo;
}

const FLAGS = ["continue", "resume", "fork"] as const;

/**
 * Finds the session that `--continue` (the last one of the folder), `--resume ID` or `--fork ID` means. It
 * works in its own folder again, whatever `--cwd` says unless that is gone, and with its own persona unless
 * one is given.
 *
 * @throws {SkepError} `USAGE`, `SESSION_UNKNOWN`, `STORE_FAILED`.
 */
export async function resumed(invocation: Invocation, host: Host): Promise<Resumed> {
  const [flag, other] = FLAGS.filter((name) => invocation.has(name));
  if (flag === undefined) return { invocation };
  if (other !== undefined) {
    const message = `Cannot use --${flag} and --${other} together: each names a session`;
    throw new SkepError("USAGE", message, { argument: `--${other}` });
  }
  const settings = await readSettings(invocation, host);
  await using sessions = keptSessions(settings, host);
  const store = await sessions.store();
  const id = invocation.value(flag) ?? "";
  const info = flag === "continue"
    ? (await store.list({ cwd: settings.cwd, isPrompted: true, limit: 1 })).sessions[0]
    : await store.info(id);
  if (info === undefined) {
    const message = flag === "continue"
      ? `There is no session of ${settings.cwd} to continue: skep sessions list --all shows those of other folders`
      : `There is no session "${id}": skep sessions list --all shows those there are`;
    throw new SkepError("SESSION_UNKNOWN", message, { sessionId: id });
  }
  const given = invocation.values("cwd");
  const cwd = await folderOf(info, given, host);
  return {
    invocation: {
      ...invocation,
      value: (name) =>
        name === "persona" ? invocation.value(name) ?? info.persona : invocation.value(name),
      // The first of several is the caller's folder, see readSettings().
      values: (name) => name === "cwd" ? [given[0] ?? ".", ...cwd] : invocation.values(name),
    },
    resume: { id: info.id, ...(flag === "fork" ? { isFork: true } : {}) },
    info,
  };
}

/** An error that says how a session goes on whose persona is gone. */
export function withPersonaOf(info: SessionInfo | undefined, error: unknown): unknown {
  if (info === undefined || !isSkepError(error, "PERSONA_NOT_FOUND")) return error;
  const message =
    `${error.message}. Session ${info.id} was begun with it: --persona NAME goes on ` +
    "with another one";
  return new SkepError("PERSONA_NOT_FOUND", message, error.details, { cause: error });
}

/** Where a session goes on. @throws {SkepError} `CONFIG_INVALID` when its folder is gone. */
async function folderOf(
  { id, cwd }: SessionInfo,
  given: readonly string[],
  { files }: Pick<Host, "files">,
): Promise<readonly string[]> {
  if ((await files.stat(cwd))?.isDirectory) return [cwd];
  if (given.length > 0) return given;
  const message = `Cannot go on with session ${id} in ${cwd}, where it worked: there is no such ` +
    "folder any more. Make it again, or say with --cwd where to go on";
  throw new SkepError("CONFIG_INVALID", message, { source: cwd });
}
