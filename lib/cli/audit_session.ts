import { join } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type AccessRecord, type CutOff, parseRecord } from "../sandbox/accesses/access_record.ts";
import { accessLogPath } from "../session/access_log_path.ts";
import type { Invocation } from "./flags.ts";
import { readSettings } from "./settings.ts";

/** Room for the line that a full log ends with, in bytes. */
const MOST_OF_END = 1024;

/**
 * `skep audit --session ID`: what the servers of a session accessed and were denied, in order; with `--json`
 * the lines of the log.
 *
 * @throws {SkepError} `SESSION_UNKNOWN` when nothing was logged of it.
 */
export async function showAccesses(
  id: string,
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const { folders, limits, isJson } = await readSettings(invocation, host);
  const path = accessLogPath(join(folders.state, "sessions"), id);
  const isName = /^[\w-]+$/.test(id); // it becomes part of a path
  if (!isName || await host.files.stat(path) === undefined) {
    const message =
      `No accesses of a session "${id}" were logged: SKEP_LOG_ACCESS=1, set when it ` +
      "runs, logs them; skep sessions list --all shows the sessions there are";
    throw new SkepError("SESSION_UNKNOWN", message, { sessionId: id });
  }
  const text = await host.files.readText(path, limits.maxAccessLogBytes + MOST_OF_END)
    .catch((cause) => {
      const message = `Cannot read ${path}: ${messageOf(cause)}`;
      throw new SkepError("CONFIG_INVALID", message, { source: path }, { cause });
    });
  for (const line of text.split("\n")) {
    const record = parseRecord(line);
    if (record === undefined) continue;
    await host.print(isJson ? `${line}\n` : inWords(record));
  }
  return 0;
}

function inWords(record: AccessRecord | CutOff): string {
  if ("cutOffAtBytes" in record) {
    return `${record.at}  the log is full: nothing after ${record.cutOffAtBytes} bytes was ` +
      "recorded (SKEP_MAX_ACCESS_LOG_BYTES sets that)\n";
  }
  const { at, server, access, value, allowed, source, isCertain, unseen } = record;
  const verdict = allowed ? "allowed" : isCertain === false ? "denied?" : "denied ";
  const what = access === "env" && value === "*"
    ? "env, all that it is granted"
    : `${access} ${value}`;
  const line = `${at}  ${verdict}  ${server}  ${what}  (${source})`;
  const more = unseen === undefined ? "" : `  not recorded of ${server}: ${unseen}`;
  return [line, more].filter((each) => each !== "").map((each) => `${printable(each)}\n`).join("");
}

/** Values are a server's choice: a control character in one must not reach a terminal. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?");
}
