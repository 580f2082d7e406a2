import type { Limits } from "../../lib/limits.ts";
import type { StepFetch } from "./steps.ts";

/**
 * A `fetch` that follows no redirect, waits no longer than `loginRequestTimeoutS`, and whose answer's body fails
 * with a `RangeError` past `maxLoginFileBytes`.
 */
export function stepFetch(
  fetchFn: typeof fetch,
  { loginRequestTimeoutS, maxLoginFileBytes }: Pick<
    Limits,
    "loginRequestTimeoutS" | "maxLoginFileBytes"
  >,
): StepFetch {
  return async (url, init = {}) => {
    const signal = AbortSignal.timeout(loginRequestTimeoutS * 1000);
    const response = await fetchFn(url, { ...init, redirect: "manual", signal });
    let bytes = 0;
    const bounded = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length;
          if (bytes <= maxLoginFileBytes) return controller.enqueue(chunk);
          const message = `the answer takes more than ${maxLoginFileBytes} bytes`;
          controller.error(new RangeError(message));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded ?? null, { status, statusText, headers });
  };
}
