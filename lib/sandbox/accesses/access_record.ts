/** One line of an access log: who did what, when, and whether the server's grant allows it. */
export interface AccessRecord {
  /** When, as ISO 8601 in UTC. */
  readonly at: string;
  /** The server's name. */
  readonly server: string;
  /** `ready` when it can be started, else as in a grant: `read`, `write`, `net`, `run`, `env`, `sys`, or `ffi`. */
  readonly access: string;
  /** The path, host, program or name, `*` for all of them; of `ready` the command line. */
  readonly value: string;
  readonly allowed: boolean;
  /**
   * Who says so. `skep` itself; `deno`, which records what it checks, and whose word the server can forge;
   * the server's `result`; skep's network `proxy`; the person's `editor`, which reads and writes in its place.
   */
  readonly source: "skep" | "deno" | "result" | "proxy" | "editor";
  /** False for a denial that was concluded from an error text and may be something else; else absent. */
  readonly isCertain?: false;
  /** Of `ready`: what the server does that is in no line. */
  readonly unseen?: string;
}

/** What a log ends with that is full: nothing after it was recorded. */
export interface CutOff {
  readonly at: string;
  /** The bound, in bytes. */
  readonly cutOffAtBytes: number;
}

/** A value that a server chose goes no further than a path's length, in UTF-16 units. */
const LONGEST_VALUE = 4096;

/** A record as a line, its `\n` included. */
export function recordLine(record: AccessRecord | CutOff): string {
  const short = "value" in record && record.access !== "ready"
    ? { ...record, value: record.value.slice(0, LONGEST_VALUE) }
    : record;
  return `${JSON.stringify(short)}\n`;
}

/** Reads a line of a log; undefined for one that was not written whole. */
export function parseRecord(line: string): AccessRecord | CutOff | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { at, server, access, value: what, allowed, source, cutOffAtBytes } = value as Record<
    string,
    unknown
  >;
  if (typeof at !== "string") return undefined;
  if (typeof cutOffAtBytes === "number") return { at, cutOffAtBytes };
  const texts = [server, access, what, source];
  const isRecord = texts.every((text) => typeof text === "string") && typeof allowed === "boolean";
  return isRecord ? value as AccessRecord : undefined;
}
