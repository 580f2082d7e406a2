import type { LoginMethod } from "./initialize.ts";
import { invalid, readParams } from "./params.ts";

/** The logins of the provider that is used. */
export interface Logins {
  readonly methods: readonly LoginMethod[];
  /** Has a person log in, unless that was done before. @throws {SkepError} `PROVIDER_AUTH_FAILED`. */
  readonly logIn: (methodId: string) => Promise<void>;
  /** Forgets every login that is kept. */
  readonly logOut: () => Promise<void>;
}

/** `authenticate`. @throws {SkepError} `INVALID_PARAMS` for a method that was not offered, and what logging in throws. */
export async function authenticate(
  params: unknown,
  logins: Logins | undefined,
): Promise<Record<string, never>> {
  const method = "authenticate";
  const { methodId } = readParams(method, params);
  const offered = logins?.methods.find(({ id }) => id === methodId);
  if (logins === undefined || offered === undefined) {
    const known = logins?.methods.map(({ id }) => id).join(", ") ?? "";
    throw invalid(
      method,
      known === "" ? "there is nothing to log in to" : `methodId must be one of ${known}`,
    );
  }
  await logins.logIn(offered.id);
  return {};
}

/** `logout`. Without a login it does nothing. */
export async function logout(logins: Logins | undefined): Promise<Record<string, never>> {
  await logins?.logOut();
  return {};
}
