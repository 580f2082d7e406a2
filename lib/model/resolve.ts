import { SkepError } from "../errors.ts";
import { nearest } from "../suggest.ts";
import type { Model } from "./model.ts";
import { parseModelId } from "./model_id.ts";
import { type OperatorFile, readOperatorFile } from "./operator_file.ts";
import { findProvider, modelForms, type Provider, PROVIDERS } from "./providers.ts";
import { type ModelSettings, readModelSettings } from "./settings.ts";
import type { ModelWorld } from "./world.ts";

/**
 * The model that a model string names. Only the chosen provider's code is loaded. Nothing is sent,
 * but for a model that no catalog knows: where its provider lists contexts, it is asked for this one.
 *
 * @param settings What is settled for this model alone; the environment says the rest.
 * @throws {SkepError} `MODEL_UNKNOWN`, with the nearest provider; `MODEL_KEY_MISSING`; `CONFIG_INVALID`
 * for a provider's setting or a script that cannot be used. There is no way back to another provider.
 *
 * @example
 * ```ts ignore
 * const model = await resolveModel("anthropic:claude-sonnet-5", { ...host, limits });
 * ```
 */
export async function resolveModel(
  id: string,
  world: ModelWorld,
  settings: Partial<ModelSettings> = {},
): Promise<Model> {
  const operator = await readOperatorFile(world);
  const { provider, model } = providerOf(id, operator);
  const settled = { ...readModelSettings(world.env), ...settings };
  return await provider.open(model, world, { settings: settled, operator });
}

/**
 * The provider of a model string, and the model as that provider knows it.
 *
 * @throws {SkepError} `MODEL_UNKNOWN`.
 */
export function providerOf(
  id: string,
  operator: OperatorFile,
): { readonly provider: Provider; readonly model: string } {
  const { provider: name, model } = parseModelId(id);
  const provider = findProvider(name, operator);
  if (provider === undefined) {
    const near = nearest(name, [...PROVIDERS.keys(), ...operator.providers.keys()]);
    const hint = near === undefined ? `write one of ${modelForms()}` : `did you mean ${near}?`;
    throw unknown(id, `there is no provider "${name}"; ${hint}`);
  }
  if (provider.model !== undefined && model === "") {
    throw unknown(id, `it must name a model: ${name}:${provider.model}`);
  }
  if (provider.model === undefined && model !== "") {
    throw unknown(id, `${name} has just one model: write ${name} alone`);
  }
  return { provider, model };
}

function unknown(model: string, why: string): SkepError {
  return new SkepError("MODEL_UNKNOWN", `Cannot use the model "${model}": ${why}`, { model });
}
