import { IDENTITY_KEYS } from "../sandbox/keys.ts";
import type { ServerSpec } from "../sandbox/spec.ts";

/** A client's servers, and what a person must be told of the keys among their variables. */
export interface KeylessServers {
  readonly servers: readonly ServerSpec[];
  readonly notice?: string;
}

/**
 * Takes the identity's private key out of a client's servers, as buzz-acp passes it to them: with it a
 * server could speak for that identity anywhere. Where the operator wants it all the same the variables
 * are marked, and the audit shows them.
 *
 * @param isPassed `SKEP_PASS_KEYS` is 1.
 */
export function withoutIdentityKeys(
  servers: readonly ServerSpec[],
  isPassed: boolean,
): KeylessServers {
  const keysOf = ({ env }: ServerSpec) => Object.keys(env).filter((name) => isKey(name, env[name]));
  const holders = servers.filter((spec) => keysOf(spec).length > 0);
  if (holders.length === 0) return { servers };
  if (isPassed) {
    return {
      servers: servers.map((spec) => {
        const passedKeys = keysOf(spec);
        return passedKeys.length === 0 ? spec : { ...spec, passedKeys };
      }),
    };
  }
  const names = [...new Set(holders.flatMap(keysOf))].join(", ");
  const who = holders.map(({ name }) => JSON.stringify(name)).join(", ");
  return {
    servers: servers.map((spec) => {
      const keys = keysOf(spec);
      return { ...spec, env: without(spec.env, keys) };
    }),
    notice: `No server gets a private key: ${names} was left out for ${who}. To post as this ` +
      `identity, run skep serve, whose relay server signs without the key; SKEP_PASS_KEYS=1 passes it`,
  };
}

/** By its name, or as nsec1… is written, under any name. */
function isKey(name: string, value: string | undefined): boolean {
  return IDENTITY_KEYS.includes(name.toUpperCase()) ||
    /^nsec1[02-9ac-hj-np-z]{20,}$/.test(value ?? "");
}

function without(
  env: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
