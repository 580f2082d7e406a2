import type { Host } from "../host/host.ts";
import { LIMITS, type Limits } from "../limits.ts";
import { parseModelId } from "../model/model_id.ts";
import type { ModelSettings } from "../model/settings.ts";
import type { Persona } from "../persona/persona.ts";

/** Bounds of which 0 means that there is none. */
const ZERO_IS_NONE: readonly string[] = ["maxRounds"];

/** The bounds of a run: a persona lowers them, and never raises one. */
export function personaLimits(limits: Limits, { limits: own }: Pick<Persona, "limits">): Limits {
  const lowered = Object.entries(own).map(([name, value]) => {
    const bound = limits[name as keyof Limits];
    const isNone = (each: number) => ZERO_IS_NONE.includes(name) && each === 0;
    return [name, isNone(value) ? bound : isNone(bound) ? value : Math.min(bound, value)];
  });
  return { ...limits, ...Object.fromEntries(lowered) };
}

/** The environment as models read it: what the operator did not set there, the persona may have set. */
export function modelEnv(
  env: Host["env"],
  { settings: { thinking, maxContextTokens } }: Pick<Persona, "settings">,
): Host["env"] {
  const own: [names: readonly string[], value: string | undefined][] = [
    [["SKEP_THINKING_EFFORT", "BUZZ_AGENT_THINKING_EFFORT"], thinking],
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
