import { SkepError } from "../errors.ts";

/** The error of work whose caller left. */
export function cancelled(text = "The call was cancelled"): SkepError<"CANCELLED"> {
  return new SkepError("CANCELLED", text, {});
}

/**
 * What `pending` comes to, unless the caller leaves before; the work itself goes on.
 *
 * @throws {SkepError} `CANCELLED` as soon as the signal is aborted.
 */
export async function orCancelled<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(cancelled());
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([pending, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
