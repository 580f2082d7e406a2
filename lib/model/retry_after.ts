import type { Host } from "../host/host.ts";
import { isRecord } from "./is_record.ts";

/**
 * The wait that a response asks for, in ms: its Retry-After in seconds or as a date. Undefined when it
 * asks for none, or for one that is over.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
 */
export function retryAfterMs(
  headers: Headers | undefined,
  nowMs: Host["nowMs"],
): number | undefined {
  const exact = Number(headers?.get("retry-after-ms") ?? NaN); // OpenAI's own, which is finer
  if (exact > 0) return exact;
  const text = headers?.get("retry-after")?.trim();
  if (!text) return undefined;
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs();
  return wait > 0 ? wait : undefined;
}

/**
 * The wait, in ms, that the details of one of Google's errors ask for; Gemini sends no Retry-After.
 *
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
 */
export function retryDelayMs(details: unknown): number | undefined {
  const found = Array.isArray(details)
    ? details.find((each) =>
      isRecord(each) && String(each["@type"]).endsWith("/google.rpc.RetryInfo")
    )
    : undefined;
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(found?.retryDelay)) ?? [];
  const ms = Math.ceil(Number(seconds ?? 0) * 1000);
  return ms > 0 ? ms : undefined;
}

/** A wait for people: `86,400 s`, and in hours once seconds say little. */
export function waitInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (!Number.isFinite(seconds)) return "a time without end";
  const exact = `${seconds.toLocaleString("en")} s`;
  return seconds < 3600 ? exact : `${exact}, which is ${Math.round(seconds / 360) / 10} h`;
}
