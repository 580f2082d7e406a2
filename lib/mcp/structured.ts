import { byteLength } from "./elide.ts";
import { isObject } from "./message.ts";
import type { RawResult } from "./result.ts";

/**
 * A result's structured content for programs, such as an editor that shows a plan: an object, without
 * its server's secrets. Undefined when there is none, or it is over the bound: no part of one can be
 * left out without saying something else.
 */
export function readStructuredContent(
  { structuredContent: value }: RawResult,
  maxBytes: number,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(value) || byteLength(JSON.stringify(value)) > maxBytes) return undefined;
  return redacted(value, redact) as Record<string, unknown>;
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value.toWellFormed());
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [redact(name), redacted(each, redact)]),
  );
}
