import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";
import { parseModelId } from "../model/model_id.ts";
import type { ModelSettings } from "../model/settings.ts";
import type { Persona } from "../persona/persona.ts";

/** Variables that say how hard a model is to think, before what a persona says; the first that is set wins. */
export const THINKING_VARIABLES: readonly string[] = [
  "SKEP_THINKING_EFFORT",
  "BUZZ_AGENT_THINKING_EFFORT",
];

/** The environment as models read it: what the operator did not set there, the persona may have set. */
export function modelEnv(
  env: Host["env"],
  { settings: { thinking, maxContextTokens } }: Pick<Persona, "settings">,
): Host["env"] {
  const own: [names: readonly string[], value: string | undefined][] = [
    [THINKING_VARIABLES, thinking],
    [LIMITS.maxContextTokens.override, maxContextTokens ? String(maxContextTokens) : undefined],
  ];
  const added = new Map(
    own.filter(([names]) => names.every((name) => !env(name)?.trim()))
      .map(([names, value]) => [names[0], value]),
  );
  return (name) => added.get(name) ?? env(name);
}

/**
 * What a persona settles for the model of that id. Its `provider` options are written for the provider of
 * its own model: another one, which a person has switched to, is not sent them.
 */
export function modelSettings(
  id: string,
  { model, settings: { temperature, provider } }: Pick<Persona, "model" | "settings">,
): Partial<ModelSettings> {
  const providerOf = (each: string) => parseModelId(each).provider;
  const isTheirs = model === undefined || providerOf(model) === providerOf(id);
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(provider === undefined || !isTheirs ? {} : { extraFields: provider }),
  };
}
