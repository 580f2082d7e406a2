import { isRecord, type Json, textIn } from "./json.ts";
import type { Login } from "./login_file.ts";
import { StepFailed } from "./run_step.ts";

/**
 * The tokens that a step found, and until when they count.
 *
 * @throws {StepFailed} when there is no access token among them.
 */
export function tokensOf(
  { tokens }: Json,
  nowMs: number,
): Pick<Login, "accessToken" | "refreshToken" | "expiresAtMs"> {
  const fields = isRecord(tokens) ? tokens : {};
  const accessToken = textIn(fields, "access_token");
  // A header takes no other characters: RFC 6750, section 2.1.
  if (accessToken === undefined || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new StepFailed("it gave no access token", undefined);
  }
  const refreshToken = textIn(fields, "refresh_token");
  const lasts = Number(fields.expires_in);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(Number.isFinite(lasts) && lasts > 0 ? { expiresAtMs: nowMs + lasts * 1000 } : {}),
  };
}
