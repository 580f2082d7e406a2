import { SkepError } from "../errors.ts";
import { IDENTITY_KEYS } from "../sandbox/keys.ts";
import { URL_VARIABLE } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";

/** A client's servers, and what a person must be told of the keys among their variables. */
export interface KeylessServers {
  readonly servers: readonly ServerSpec[];
  readonly notice?: string;
}

/**
 * Takes the identity's private key out of a client's servers, as buzz-acp passes it to them: with it a
 * server could speak for that identity anywhere. Where the operator wants it all the same the variables
 * are marked, and the audit shows them. A server whose arguments or address hold the key is not started: without
 * it they would mean something else.
 *
 * @param isPassed `SKEP_PASS_KEYS` is 1.
 */
export function withoutIdentityKeys(
  servers: readonly ServerSpec[],
  isPassed: boolean,
): KeylessServers {
  const keysOf = ({ env }: ServerSpec) => Object.keys(env).filter((name) => isKey(name, env[name]));
  if (isPassed) {
    return {
      servers: servers.map((spec) => {
        const passedKeys = keysOf(spec);
        return passedKeys.length === 0 ? spec : { ...spec, passedKeys };
      }),
    };
  }
  const refused = servers.map((spec) =>
    holdsKey(spec) ? { ...spec, problem: keyInside(spec) } : spec
  );
  const holders = servers.filter((spec) => keysOf(spec).length > 0 && !holdsKey(spec));
  if (holders.length === 0) return { servers: refused };
  const names = [...new Set(holders.flatMap(keysOf))].join(", ");
  const who = holders.map(({ name }) => JSON.stringify(name)).join(", ");
  return {
    servers: refused.map((spec) => ({ ...spec, env: without(spec.env, keysOf(spec)) })),
    notice: `No server gets a private key: ${names} was left out for ${who}. To post as this ` +
      `identity, run skep serve, whose relay server signs without the key; SKEP_PASS_KEYS=1 passes it`,
  };
}

/** By its name, or by a value that has it as nsec1… is written, under any name. */
function isKey(name: string, value: string | undefined): boolean {
  return IDENTITY_KEYS.includes(name.toUpperCase()) || NSEC.test(value ?? "");
}

/** In bech32 (NIP-19), all in small letters or all in capitals. */
const NSEC = /nsec1[02-9ac-hj-np-z]{20,}|NSEC1[02-9AC-HJ-NP-Z]{20,}/;

function holdsKey({ command, args, env }: ServerSpec): boolean {
  return [command, ...args, env[URL_VARIABLE] ?? ""].some((text) => NSEC.test(text));
}

function keyInside({ name, env }: ServerSpec): SkepError {
  const where = NSEC.test(env[URL_VARIABLE] ?? "") ? "url" : "command line";
  const message =
    `its ${where} has a private key in it, and no server gets one: leave the key out; ` +
    "to post as this identity, run skep serve; SKEP_PASS_KEYS=1 passes it";
  return new SkepError("GRANT_REFUSED", message, { server: name });
}

function without(
  env: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
