import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isSkepError, SkepError } from "../errors.ts";
import { asSkepError } from "./ai_sdk_error.ts";
import { toParts } from "./ai_sdk_parts.ts";
import { continued, toCallOptions } from "./ai_sdk_request.ts";
import { type Catalog, guessNotice } from "./catalog.ts";
import { costOf } from "./cost.ts";
import type { Dialect } from "./dialect.ts";
import type { ModelFacts } from "./facts.ts";
import type { Gate } from "./gate.ts";
import { hasImages } from "./fit_history.ts";
import type { KnownModel, ModelPart, ModelRequest } from "./model.ts";
import { formatModelId } from "./model_id.ts";
import type { FailureContext } from "./provider_failure.ts";
import { retrying } from "./retry.ts";
import type { ModelSettings } from "./settings.ts";
import type { ModelWorld } from "./world.ts";

/** What a model is opened with, beside the world. */
export interface ModelUse {
  readonly settings: ModelSettings;
  readonly catalog: Catalog;
  /** Lets requests to the provider go in turn. Absent: they go at once. */
  readonly gate?: Gate;
}

/** What a model over one of the AI SDK's packages is made of. */
export interface AiSdkParts {
  readonly language: LanguageModelV4;
  readonly dialect: Dialect;
  readonly context: FailureContext;
  readonly world: ModelWorld;
  readonly use: ModelUse;
}

/** A model over a package of the AI SDK, which sends through our own `fetch`. */
export function aiSdkModel(parts: AiSdkParts): KnownModel {
  return new AiSdkModel(parts);
}

class AiSdkModel implements KnownModel {
  readonly id: string;
  readonly notice?: string;
  readonly #parts: AiSdkParts;
  /** Notices that were shown: a package finds the same fault with every request, and it is said once. */
  readonly #shown = new Set<string>();
  #takesImages: boolean;
  /** Who answered last, by the provider's name for it. */
  #answering: string;

  constructor(parts: AiSdkParts) {
    this.#parts = parts;
    const { endpoint: { provider }, model } = parts.context;
    this.id = formatModelId({ provider, model });
    this.#answering = model;
    this.#takesImages = this.facts.takesImages !== false;
    const notice = guessNotice(this.id, this.facts);
    if (notice !== undefined) this.notice = notice;
  }

  /** Of whoever answered last: an alias moves on its own. */
  get facts(): ModelFacts {
    const { use: { catalog }, context: { model } } = this.#parts;
    const answering = catalog.facts(this.#answering);
    return answering.source === "guess" ? catalog.facts(model) : answering;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void, void> {
    const { world } = this.#parts;
    const send = (said: string) => this.#inTurn(continued(request, said, this.id), signal);
    try {
      try {
        yield* retrying(send, world, signal);
      } catch (error) {
        if (!this.#takesImages || !isAboutImages(error) || !hasImages(request.messages)) {
          throw error;
        }
        this.#takesImages = false;
        yield* this.#once(this.#noImages());
        yield* retrying(send, world, signal);
      }
    } catch (error) {
      // Packages throw the same for an abort as for a broken body: only our signal tells.
      if (!signal.aborted) throw error;
      throw new SkepError("CANCELLED", "The request to the model was cancelled", {}, {
        cause: error,
      });
    }
  }

  /** One attempt, when its turn has come. */
  async *#inTurn(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void, void> {
    const { gate } = this.#parts.use;
    if (gate === undefined) return yield* this.#attempt(request, signal);
    const place = gate.enter(this, sizeOf(request), signal);
    let used: number | undefined;
    try {
      if (place.position > 0) {
        const before = place.position - 1;
        const message =
          `Waiting for ${this.#parts.context.endpoint.provider}: ${before} before this one`;
        yield { type: "warning", message };
      }
      await place.ready;
      for await (const part of this.#attempt(request, signal)) {
        if (part.type === "usage") {
          used = (part.usage.inputTokens ?? 0) + (part.usage.outputTokens ?? 0);
        }
        yield part;
      }
    } catch (error) {
      // Of a wait that nobody waits for, whoever asks next is told by the provider itself.
      const pauseMs = isSkepError(error, "PROVIDER_FAILED") && error.details.isTransient
        ? error.details.retryAfterMs
        : undefined;
      if (pauseMs !== undefined) gate.pause(pauseMs);
      throw error;
    } finally {
      place.leave(used);
    }
  }

  async *#attempt(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void, void> {
    const { language, dialect, context, use: { settings } } = this.#parts;
    const notices: string[] = [];
    if (!this.#takesImages && hasImages(request.messages)) notices.push(this.#noImages());
    try {
      const options = toCallOptions(request, {
        modelId: this.id,
        model: context.model,
        dialect,
        settings,
        facts: this.facts,
        takesImages: this.#takesImages,
        notice: (text) => notices.push(text),
      });
      const { stream } = await language.doStream({ ...options, abortSignal: signal });
      for (const notice of notices) yield* this.#once(notice);
      for await (const part of toParts(stream, dialect)) {
        if (part.type === "warning") yield* this.#once(part.message);
        else if (part.type === "usage") yield this.#priced(part);
        else if (part.type === "call") yield { ...part, name: nameOf(part.name, request, dialect) };
        else yield part;
      }
    } catch (error) {
      throw asSkepError(error, context);
    }
  }

  #noImages(): string {
    return `${this.id} takes no images: they are left out from here on`;
  }

  *#once(message: string): Generator<ModelPart, void, void> {
    if (this.#shown.has(message)) return;
    this.#shown.add(message);
    yield { type: "warning", message };
  }

  #priced(part: Extract<ModelPart, { type: "usage" }>): ModelPart {
    this.#answering = part.model ?? this.#answering;
    const { prices } = this.facts;
    if (part.usage.costUsd !== undefined || prices === undefined) return part;
    const costUsd = costOf(part.usage, prices);
    return costUsd === undefined ? part : { ...part, usage: { ...part.usage, costUsd } };
  }
}

/** About how many tokens a request has, at four characters each; an image counts as some hundred. */
function sizeOf({ system, messages, tools }: ModelRequest): number {
  const text = JSON.stringify(
    [system, messages, tools],
    (name, value) => name === "data" && typeof value === "string" ? value.slice(0, 4000) : value,
  );
  return Math.ceil(text.length / 4);
}

/** The tool's own name, which the provider may have been told in another form. */
function nameOf(name: string, { tools }: ModelRequest, { fitName }: Dialect): string {
  return tools.find((tool) => fitName?.(tool.name) === name)?.name ?? name;
}

function isAboutImages(error: unknown): boolean {
  return isSkepError(error, "PROVIDER_FAILED") && error.details.reason === "images_refused";
}
