import { SkepError } from "../errors.ts";
import { isRecord } from "./is_record.ts";

/** Parameters of a request as they came: named, and nothing else of them checked. */
export type Params = Readonly<Record<string, unknown>>;

/** The parameters of a method. @throws {SkepError} `INVALID_PARAMS` when they are no object. */
export function readParams(method: string, params: unknown): Params {
  if (isRecord(params)) return params;
  throw invalid(method, "params must be an object");
}

/** The session that a request is about. @throws {SkepError} `INVALID_PARAMS` when it names none. */
export function readId(method: string, params: unknown): string {
  const { sessionId } = readParams(method, params);
  if (typeof sessionId === "string" && sessionId !== "") return sessionId;
  throw invalid(method, "sessionId must be text that is not empty");
}

/** The error of a request that cannot be used. */
export function invalid(method: string, what: string): SkepError {
  return new SkepError("INVALID_PARAMS", `${method}: ${what}`, { method });
}

/** `_meta.skep.queue` of a prompt: it waits for those before it. */
export function isToBeQueued({ _meta: meta }: Params): boolean {
  const skep = isRecord(meta) ? meta.skep : undefined;
  return isRecord(skep) && skep.queue === true;
}
