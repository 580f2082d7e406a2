import type { Limits } from "../limits.ts";
import { type Denial, isMarkedDenial } from "../sandbox/denial.ts";
import type { Grant } from "../sandbox/grant.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { Refusal } from "../sandbox/server_proxy.ts";
import { byteLength, elideEnd } from "./elide.ts";
import type { CallResult, Keep } from "./registry.ts";
import { type RawResult, readResult } from "./result.ts";
import { readStructuredContent } from "./structured.ts";

/** How a denial by a server's grant is found in a result, and told. */
export interface DenialReader {
  /** Finds the access that the grant refused in a result of `tools/call`, as the server wrote it. */
  findDenial(grant: Grant, result: RawResult): Denial | undefined;
  /** What was refused, by which grant, and the line that would allow it. */
  explainDenial(denial: Denial, grant: Grant): string;
}

/** The result of a call that its server never answered. */
export function undelivered(text: string): CallResult {
  return { isError: true, content: [{ type: "text", text }], isUndelivered: true };
}

/** The same of a call that was given up; `told` is what its server then told of it. */
export function unanswered(
  tool: string,
  { toolTimeoutS }: Pick<Limits, "toolTimeoutS">,
  told?: string,
): CallResult {
  const text = `"${tool}" gave no answer and no sign of progress within ${toolTimeoutS} s, so it ` +
    "was given up. Try a smaller or faster step.";
  return undelivered(told ? `${text}\nWhat it had come to:\n${told}` : text);
}

/** A failure without content of the server's own, in the form of a server's result. */
export function failed(text: string): RawResult {
  return { isError: true, content: [{ type: "text", text }] };
}

/** What there is to a result besides what its server wrote. */
export interface DeliveryOptions {
  /** What the server's network proxy refused while the call ran. */
  readonly refused?: readonly Refusal[];
  readonly keep?: Keep;
}

/**
 * A server's result within its bounds, without its secrets. One that its grant stopped ends with what would
 * allow it; where one of our servers said so itself, that stands in place of its own words. What a program
 * met that it started is told with the result, and does not make it a failure.
 */
export function delivered(
  raw: RawResult,
  { grant, redact }: Pick<Launch, "grant" | "redact">,
  { findDenial, explainDenial }: DenialReader,
  limits: Pick<Limits, "maxToolResultTextBytes" | "maxToolResultBytes">,
  { refused = [], keep }: DeliveryOptions = {},
): CallResult {
  const isMarked = isMarkedDenial(raw);
  const denial = refused.length === 0 || isMarked ? findDenial(grant, raw) : undefined;
  if (denial === undefined && refused.length === 0) {
    const structured = readStructuredContent(raw, limits.maxToolResultTextBytes, redact);
    return { ...readResult(raw, limits, redact, keep), ...(structured && { structured }) };
  }
  const explained = denial === undefined
    ? refused.map(({ text }) => text).join("\n")
    : explainDenial(denial, grant);
  const text = elideEnd(redact(explained), limits.maxToolResultTextBytes, " [truncated]");
  const told = denial ?? denialOf(refused);
  const shown = told && { denial: { ...told, value: redact(told.value) } };
  if (isMarked) return { isError: true, content: [{ type: "text", text }], ...shown };
  // The explanation is never what is elided.
  const left = Math.max(limits.maxToolResultTextBytes - byteLength(text), 0);
  const read = readResult(raw, { ...limits, maxToolResultTextBytes: left }, redact, keep);
  return {
    ...read,
    content: [...read.content, { type: "text", text }],
    ...(read.isError ? shown : {}),
  };
}

/** The connection that was refused first: a call that fails for one fails for that. */
function denialOf([first]: readonly Refusal[]): Denial | undefined {
  if (first === undefined) return undefined;
  return { server: first.server, access: "net", value: first.value, isCertain: true };
}
