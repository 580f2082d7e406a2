import { messageOf, SkepError } from "../errors.ts";
import { CutStream } from "./ai_sdk_parts.ts";
import { readError } from "./error_body.ts";
import { isRecord } from "./is_record.ts";
import { connectionError, type FailureContext, providerError } from "./provider_failure.ts";

/** What a package of the AI SDK threw, or sent as an error part, as one of our errors. */
export function asSkepError(thrown: unknown, context: FailureContext): SkepError {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof SkepError) return error; // from our fetch: packages wrap what a body throws
  }
  if (thrown instanceof CutStream) {
    return connectionError(context, `broke off its reply: ${thrown.message}`);
  }
  const status = isRecord(thrown) ? statusOf(thrown) : undefined;
  if (status === undefined && thrown instanceof Error) {
    const isUnreadable = thrown.name.startsWith("AI_");
    // The packages' further lines spell out a schema.
    const [why] = thrown.message.split("\n");
    const what = isUnreadable ? `sent a reply that cannot be read: ${why}` : `failed: ${why}`;
    return connectionError(context, what, {
      cause: thrown,
      isTransient: isUnreadable,
      reason: "unreadable",
    });
  }
  // An error of a call holds the whole request, which is not to end in a log: it is no cause to keep.
  const said = readError(thrown) ?? { message: messageOf(thrown) };
  return providerError(context, { ...said, ...(status === undefined ? {} : { status }) });
}

/** Error events carry a status of their own, or a code that is one. 200 is the stream's. */
function statusOf(error: Readonly<Record<string, unknown>>): number | undefined {
  return [error.statusCode, error.code].map(Number).find((status) =>
    Number.isInteger(status) && status >= 400 && status <= 599
  );
}
