import { SkepError } from "../errors.ts";

/** A model string in its two parts. */
export interface ModelId {
  readonly provider: string;
  /** As the provider knows it, colons and all; empty for a provider that has just one model. */
  readonly model: string;
}

/**
 * Splits `provider:model` at its first colon: `ollama:llama3:8b` is the model `llama3:8b` of `ollama`.
 * A string without a colon is a provider alone. Whether such a provider exists is not looked at.
 *
 * @throws {SkepError} `MODEL_UNKNOWN` when there is no provider, or nothing after the colon.
 *
 * @example
 * ```ts
 * import { parseModelId } from "./model_id.ts";
 *
 * if (parseModelId("ollama:llama3:8b").model !== "llama3:8b") throw new Error("split wrongly");
 * ```
 */
export function parseModelId(text: string): ModelId {
  const id = text.trim();
  const colon = id.indexOf(":");
  const provider = colon === -1 ? id : id.slice(0, colon);
  const model = colon === -1 ? "" : id.slice(colon + 1);
  if (provider !== "" && (colon === -1 || model !== "")) return { provider, model };
  throw new SkepError(
    "MODEL_UNKNOWN",
    `Cannot use the model "${id}": it must be PROVIDER:MODEL`,
    { model: id },
  );
}

/** The model string of both parts. */
export function formatModelId({ provider, model }: ModelId): string {
  return model === "" ? provider : `${provider}:${model}`;
}
