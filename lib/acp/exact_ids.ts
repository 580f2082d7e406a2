import { isRecord } from "./is_record.ts";
import type { RpcMessage } from "./rpc.ts";

/** Marks a text that stands for a number; no client can know it. */
const MARK = `number ${crypto.randomUUID()} `;

/** What JSON text may hold as it is, and what a value was written as. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * A message whose request ids are beyond what a number holds exactly (2^53), with a text in the place of
 * each: so it keeps every digit on its way through. Others are given back as they are.
 *
 * @param text What the message was parsed from.
 */
export function withExactIds(
  message: Readonly<Record<string, unknown>>,
  text: string,
): Readonly<Record<string, unknown>> {
  const { params } = message;
  const isInexact = (value: unknown) => typeof value === "number" && Math.abs(value) > 2 ** 53 - 1;
  const asked = isRecord(params) ? params.requestId : undefined; // of $/cancel_request
  if (!isInexact(message.id) && !isInexact(asked)) return message;
  return JSON.parse(text, reviver) as Readonly<Record<string, unknown>>;
}

/** The JSON text of a message; ids that {@linkcode withExactIds} replaced have their digits again. */
export function toJson(message: RpcMessage): string {
  const id = "id" in message ? message.id : undefined;
  if (typeof id !== "string" || !id.startsWith(MARK)) return JSON.stringify(message);
  return JSON.stringify({ ...message, id: rawJSON(id.slice(MARK.length)) });
}

const reviver = function (key: string, value: unknown, { source }: { source: string }): unknown {
  const isId = key === "id" || key === "requestId";
  return isId && typeof value === "number" && Math.abs(value) > 2 ** 53 - 1 ? MARK + source : value;
} as unknown as (key: string, value: unknown) => unknown;
