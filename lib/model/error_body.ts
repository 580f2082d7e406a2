import { isRecord } from "./is_record.ts";
import type { Failure } from "./provider_failure.ts";
import { retryDelayMs } from "./retry_after.ts";

/** What the body of an error says. */
type Said = Pick<Failure, "message" | "kind" | "retryAfterMs">;

/**
 * What an error's body says: `{error: {message, type, code}}` and the simpler forms that servers use,
 * else the text as it is.
 */
export function parseErrorBody(body: string): Said {
  try {
    return readError(JSON.parse(body)) ?? { message: body.trim() };
  } catch {
    return { message: body.trim() }; // HTML, plain text, or JSON that was cut at the bound
  }
}

/** What a provider's error object says; undefined when it is none. */
export function readError(value: unknown): Said | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value.error)) return readError(value.error);
  const message = [value.message, value.error, value.detail].find((text) =>
    typeof text === "string"
  );
  const kind = [value.type, value.code, value.status].filter((word) => typeof word === "string")
    .join(" ");
  if (message === undefined && kind === "") return undefined;
  const retryAfterMs = retryDelayMs(value.details);
  return {
    message: message === undefined ? kind : String(message),
    ...(kind === "" ? {} : { kind }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
