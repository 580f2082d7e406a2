import type { Launch } from "../sandbox/launch.ts";
import { elideEnd } from "./elide.ts";
import { plainText } from "./plain_text.ts";

/** One line about a server, for a log. `text` is the server's own words unless `kind` is `health`. */
export interface ServerLog {
  readonly server: string;
  /**
   * `stderr` is what it wrote there, `noise` a line of its output that is no message, `log` a logging
   * message, `protocol` a message that nobody can use, `health` what became of it.
   */
  readonly kind: "stderr" | "noise" | "log" | "protocol" | "health";
  readonly text: string;
}

/** Writes one line about one server. */
export type WriteLog = (kind: ServerLog["kind"], text: string) => void;

/**
 * A {@linkcode WriteLog} for one server. Texts hold no control characters and no secrets, and are cut at
 * `maxBytes`, in this order: half a secret would be told.
 */
export function serverLog(
  { server, redact }: Pick<Launch, "server" | "redact">,
  maxBytes: number,
  onLog: (line: ServerLog) => void,
): WriteLog {
  return (kind, text) =>
    onLog({ server, kind, text: elideEnd(redact(plainText(text)), maxBytes, " [truncated]") });
}
