import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type Effort, parseEffort } from "./effort.ts";

/** What a person settles for every request to a model. */
export interface ModelSettings {
  /** How hard the model is to think; undefined: as the provider likes. */
  readonly effort: Effort | undefined;
  /** The provider is asked to keep the start of a request, where it wants to be asked. */
  readonly isCaching: boolean;
  /** From 0 to 2; absent: as the provider likes. */
  readonly temperature?: number;
  /**
   * Fields of the request's body that are added where skep sends none of that name, in the provider's own
   * words: those of `EXTRA_FIELDS`.
   */
  readonly extraFields?: Readonly<Record<string, unknown>>;
}

const EFFORT_VARIABLES = ["SKEP_THINKING_EFFORT", "BUZZ_AGENT_THINKING_EFFORT"];
const CACHING_VARIABLES = ["SKEP_PROMPT_CACHING", "BUZZ_AGENT_PROMPT_CACHING"];

/**
 * Reads the settings from the environment.
 *
 * @throws {SkepError} `CONFIG_INVALID` for a value that is none.
 */
export function readModelSettings(env: Host["env"]): ModelSettings {
  const effort = firstSet(EFFORT_VARIABLES, env);
  const caching = firstSet(CACHING_VARIABLES, env);
  if (caching !== undefined && !/^\d+$/.test(caching.value)) {
    const { name, value } = caching;
    const message = `Cannot use ${name}="${value}": it must be 0, for no caching, or 1`;
    throw new SkepError("CONFIG_INVALID", message, { source: name });
  }
  return {
    effort: effort && parseEffort(effort.value, effort.name),
    isCaching: Number(caching?.value ?? 1) !== 0,
  };
}

function firstSet(
  names: readonly string[],
  env: Host["env"],
): { readonly name: string; readonly value: string } | undefined {
  return names.map((name) => ({ name, value: env(name)?.trim() ?? "" }))
    .find(({ value }) => value !== "");
}
