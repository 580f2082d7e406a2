import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";

/**
 * The host of a command, with output that suits who reads it. A terminal gets text that only shows: an
 * answer or a server's message may hold sequences that move its cursor, set its title or fill its
 * clipboard, or turn the direction of what follows. So does whoever reads messages elsewhere: they are for people. With `isJson` every message is an object with a `message`.
 *
 * Its `print` and `write` throw `OUTPUT_FAILED` where the system does not take the bytes (a full disk); a
 * closed pipe stays the error it is.
 */
export function outputHost(host: Host, isJson: boolean): Host {
  const print: Host["print"] = (text) =>
    host.print(host.isTerminal("stdout") ? printable(text) : text).catch(refuse);
  const write: Host["write"] = (bytes) => host.write(bytes).catch(refuse);
  const warn: Host["warn"] = (message) =>
    host.warn(printable(isJson ? JSON.stringify({ message }) : message));
  // By descriptors, since reading `stdin` opens it.
  return Object.defineProperties({} as Host, {
    ...Object.getOwnPropertyDescriptors(host),
    print: { value: print, enumerable: true },
    write: { value: write, enumerable: true },
    warn: { value: warn, enumerable: true },
  });
}

/** What the system says of a write has a code; anything else is a defect. */
function refuse(error: unknown): never {
  const isSystems = error instanceof Error && "code" in error && error.name !== "BrokenPipe";
  if (!isSystems || error instanceof SkepError) throw error;
  const message = `Cannot write to stdout: ${error.message}`;
  throw new SkepError("OUTPUT_FAILED", message, {}, { cause: error });
}

/** Control characters become U+FFFD, newline and tab excepted, and so does what turns or reorders text. */
function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(UNPRINTABLE, "\ufffd");
}

// deno-lint-ignore no-control-regex -- control characters are what it looks for
const UNPRINTABLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
