import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { providersSet } from "../model/choices.ts";
import type { ModelFacts } from "../model/facts.ts";
import { formatModelId } from "../model/model_id.ts";
import { type OperatorFile, readOperatorFile } from "../model/operator_file.ts";
import { findProvider, type ListedEntry, type Provider, PROVIDERS } from "../model/providers.ts";
import type { ModelWorld } from "../model/world.ts";
import { nearest } from "../suggest.ts";
import { exitCodeOf } from "./exit_codes.ts";
import type { Invocation } from "./flags.ts";
import { readSettings } from "./settings.ts";
import { untilSignal } from "./stopping.ts";

/**
 * `skep models [PROVIDER]`: the models of the providers that are set, or of one, with what is known of
 * each. One that cannot be asked does not keep the others from being listed; when none can, the exit
 * code says why, 2 where that differs.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return untilSignal(host, (signal) => list(invocation, host, signal));
}

async function list(invocation: Invocation, host: Host, signal: AbortSignal): Promise<number> {
  const { folders, limits, isJson } = await readSettings(invocation, host);
  const { env, files, fetch, sleep, nowMs, cwd } = host;
  const world: ModelWorld = {
    ...{ env, files, fetch, sleep, nowMs, cwd, limits, signal },
    configFolder: folders.config,
    spawn: (command) => host.spawn(command),
    warn: (line) => host.warn(line),
  };
  const operator = await readOperatorFile(world);
  const [wanted] = invocation.positionals;
  const chosen = wanted === undefined
    ? providersSet(operator, host)
    : [[wanted, named(wanted, operator)] as const];
  if (chosen.length === 0) {
    host.warn(
      `No provider is set: name one, such as skep models anthropic, of ${
        listing(operator).join(", ")
      }`,
    );
    return 0;
  }
  const failures: number[] = [];
  for (const [name, provider] of chosen) {
    try {
      const { models, notice } = await provider.list!(world, operator, signal);
      if (notice !== undefined) host.warn(`${name}: ${notice}`);
      if (models.length === 0) host.warn(`${name}: it lists no models`);
      for (const entry of models) {
        const model = formatModelId({ provider: name, model: entry.id });
        const line = isJson ? JSON.stringify(inJson(model, entry)) : inWords(model, entry.facts);
        await host.print(`${line}\n`);
      }
    } catch (error) {
      if (wanted !== undefined || signal.aborted) throw error;
      failures.push(error instanceof SkepError ? exitCodeOf(error.code) : 4);
      const text = messageOf(error);
      host.warn(text.startsWith(name) ? text : `${name}: ${text}`);
    }
  }
  if (failures.length < chosen.length) return 0;
  return new Set(failures).size === 1 ? failures[0]! : 2;
}

function named(name: string, operator: OperatorFile): Provider {
  const provider = findProvider(name, operator);
  if (provider?.list !== undefined) return provider;
  const all = listing(operator);
  const near = nearest(name, all);
  const why = provider !== undefined
    ? `${name} has no models to list`
    : `there is no provider "${name}"${near === undefined ? "" : `; did you mean ${near}?`}`;
  const message = `Cannot list models: ${why}. Providers with a list: ${all.join(", ")}`;
  throw new SkepError("USAGE", message, { argument: name });
}

/** The names of the providers that have a list, the operator's own behind ours. */
function listing(operator: OperatorFile): string[] {
  const names = [...PROVIDERS].filter(([, { list }]) => list !== undefined).map(([each]) => each);
  return [...new Set([...names, ...operator.providers.keys()])];
}

/** The spelling of `models.yaml`. What nobody knows is left out, a guessed context too. */
function inJson(
  model: string,
  { facts, listedBy }: ListedEntry,
): Readonly<Record<string, unknown>> {
  const { contextTokens, source, maxOutputTokens, takesImages, prices, efforts } = facts;
  const isKnown = source !== "guess";
  return {
    model,
    listed_by: listedBy,
    context_tokens: isKnown ? contextTokens : undefined,
    context_from: isKnown ? source : undefined,
    max_output_tokens: maxOutputTokens,
    images: takesImages,
    prices: prices && {
      input: prices.input,
      output: prices.output,
      cached_input: prices.cachedInput,
      cache_write: prices.cacheWrite,
    },
    efforts,
  };
}

/** Model, context, prices for a million tokens, and what it does not take. */
function inWords(model: string, facts: ModelFacts): string {
  const { contextTokens, source, prices, takesImages } = facts;
  const context = source === "guess" ? "context unknown" : `${contextTokens} tokens`;
  const cost = prices === undefined ? "" : `$${prices.input} in, $${prices.output} out`;
  const images = takesImages === false ? "no images" : "";
  return [model.padEnd(48), context.padEnd(17), cost.padEnd(22), images].join(" ").trimEnd();
}
