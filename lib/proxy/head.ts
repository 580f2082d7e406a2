import type { Connection } from "../host/sockets.ts";

/** The head of an HTTP message: its first line and its fields, as they came, in order. */
export interface Head {
  readonly line: string;
  readonly fields: readonly Field[];
}

/** One field of a head. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

/** What came of reading a head: it, and the bytes after it that were read along. */
export type ReadHead =
  | { readonly head: Head; readonly rest: Uint8Array }
  | { readonly problem: "ended" | "too_large" | "malformed" };

/**
 * Reads the head of an HTTP/1 message, up to its empty line. Lines that end in anything but CRLF, folded
 * fields and control characters are malformed: readers disagree about them.
 *
 * @param limit Most bytes that the head may have, its empty line counted.
 */
export async function readHead(connection: Connection, limit: number): Promise<ReadHead> {
  const bytes = new Uint8Array(limit);
  for (let length = 0;;) {
    const count = await connection.read(bytes.subarray(length));
    if (count === undefined) return { problem: "ended" };
    const end = endOfHead(bytes, Math.max(0, length - 3), length + count);
    length += count;
    if (end !== undefined) {
      const head = parseHead(bytes.subarray(0, end));
      return head === undefined
        ? { problem: "malformed" }
        : { head, rest: bytes.slice(end, length) };
    }
    if (length === limit) return { problem: "too_large" };
  }
}

/** A head as it is sent. */
export function headBytes({ line, fields }: Head): Uint8Array {
  const lines = [line, ...fields.map(({ name, value }) => `${name}: ${value}`), "", ""];
  return Uint8Array.from(lines.join("\r\n"), (character) => character.charCodeAt(0));
}

/** The same connection with `rest` before what it gives. */
export function withRest(connection: Connection, rest: Uint8Array): Connection {
  let left = rest;
  return {
    ...connection,
    read: (buffer) => {
      if (left.length === 0) return connection.read(buffer);
      const taken = left.subarray(0, buffer.length);
      buffer.set(taken);
      left = left.subarray(taken.length);
      return Promise.resolve(taken.length);
    },
  };
}

/** Fields that concern one connection alone, beside those that `Connection` names. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "upgrade",
];

/** The fields that go on to the next party: those of one connection are left out. */
export function endToEnd(fields: readonly Field[]): Field[] {
  const named = fields.filter(({ name }) => name.toLowerCase() === "connection")
    .flatMap(({ value }) => value.toLowerCase().split(",").map((each) => each.trim()));
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return fields.filter(({ name }) => !dropped.has(name.toLowerCase()));
}

const CR = 13;
const LF = 10;

function endOfHead(bytes: Uint8Array, from: number, length: number): number | undefined {
  for (
    let at = bytes.indexOf(CR, from);
    at >= 0 && at + 3 < length;
    at = bytes.indexOf(CR, at + 1)
  ) {
    if (bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at + 4;
  }
  return undefined;
}

function parseHead(bytes: Uint8Array): Head | undefined {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("").slice(0, -4);
  const [line = "", ...rest] = text.split("\r\n");
  const fields: Field[] = [];
  if ([line, ...rest].some(hasControl)) return undefined;
  for (const each of rest) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(each) ?? [];
    if (name === undefined || value === undefined) return undefined;
    fields.push({ name, value });
  }
  return { line, fields };
}

function hasControl(text: string): boolean {
  return Array.from(text, (character) => character.charCodeAt(0))
    .some((code) => (code < 0x20 && code !== 0x09) || code === 0x7f);
}
