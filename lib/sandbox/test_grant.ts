import { askedBy } from "./asked.ts";
import type { BackendName } from "./backend.ts";
import { policyBounds } from "./bounds.ts";
import { readCommand, type ServerCommand } from "./command.ts";
import { computeGrant } from "./compute_grant.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import type { Environment } from "./environment.ts";
import type { Grant } from "./grant.ts";
import { pathRules } from "./path_rules.ts";
import type { ServerSpec } from "./spec.ts";
import { testContext } from "./test_world.ts";

/** The private places of the server in the unit tests of this folder. */
export const TEST_PLACES: ServerPlaces = {
  tmp: "/tmp/skep-1/tmp",
  home: "/tmp/skep-1/home",
  denoDir: "/home/u/.cache/deno",
  deno: "/opt/deno",
  ownFiles: [],
};

/** A spec of a server named `s` that the person typed: a native program unless told otherwise. */
export function testSpec(spec: Partial<ServerSpec> = {}): ServerSpec {
  const origin = { kind: "flag", where: "--mcp" } as const;
  return { name: "s", command: "prog", args: [], env: {}, origin, ...spec };
}

/** Computes the grant and environment of a spec, for unit tests. */
export async function testGrant(
  spec: Partial<ServerSpec> = {},
  context: LaunchContext = testContext(),
  places: Partial<ServerPlaces> = {},
  backend?: BackendName,
): Promise<{ readonly grant: Grant; readonly environment: Environment }> {
  const whole = testSpec(spec);
  const at = { ...TEST_PLACES, ...places };
  const command: ServerCommand = readCommand(whole);
  const asked = askedBy(whole, command, context.host.platform.os, context.policy);
  const rules = await pathRules(whole, context, at, "/tmp", backend);
  const isHeld = context.sandbox === "off" || backend !== undefined;
  return await computeGrant({
    spec: whole,
    kind: command.kind,
    asked,
    enforcement: {
      mode: context.sandbox === "off" ? "off" : "prefer",
      backend,
      mayRunPrograms: isHeld,
    },
    places: at,
    rules,
    bounds: await policyBounds(context.policy, whole, command, rules),
  }, context);
}
