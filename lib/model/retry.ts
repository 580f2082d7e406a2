import { isSkepError, SkepError } from "../errors.ts";
import { LIMITS, type Limits } from "../limits.ts";
import { addUsage, asFailed } from "./add_usage.ts";
import type { Usage } from "./message.ts";
import type { ModelPart } from "./model.ts";
import type { ModelWorld } from "./world.ts";

/** What waiting takes. */
export interface RetryWorld extends Pick<ModelWorld, "sleep" | "random"> {
  readonly limits: Pick<
    Limits,
    "modelAttempts" | "modelRetryBaseMs" | "modelRetryMaxMs" | "modelRetryTotalS"
  >;
}

/**
 * The parts of the first attempt that works. Another one is made after a `PROVIDER_FAILED` that is
 * transient. What a person saw cannot be taken back: an attempt is told the text that was given out so
 * far, and goes on behind it. Waits as long as the provider asks, else twice as long each time, the
 * upper half of it by chance, so that many clients do not come back at once. Each wait is announced by
 * a `warning`. The usage that is given out is that of all attempts.
 *
 * @throws what the last attempt threw, the number of attempts added to its message, and the bound that
 * kept the next one from being made where it was that of all waits.
 */
export async function* retrying(
  attempt: (said: string) => AsyncIterable<ModelPart>,
  world: RetryWorld,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, void> {
  const { limits, sleep, random = Math.random } = world;
  const given = new Given();
  let waitedMs = 0;
  for (let made = 1;; made++) {
    try {
      for await (const part of attempt(given.text)) yield given.take(part, made);
      return;
    } catch (error) {
      const isWorthIt = isSkepError(error, "PROVIDER_FAILED") && error.details.isTransient === true;
      given.fail();
      if (!isWorthIt || given.hasCalls || signal.aborted) throw error;
      const backoff = Math.min(limits.modelRetryMaxMs, limits.modelRetryBaseMs * 2 ** (made - 1));
      const ms = error.details.retryAfterMs ?? backoff * (1 + random()) / 2;
      const isLast = made >= limits.modelAttempts;
      if (isLast) throw made === 1 ? error : counted(error, `after ${made} attempts`);
      if (waitedMs + ms > limits.modelRetryTotalS * 1000) {
        const [variable] = LIMITS.modelRetryTotalS.override;
        const attempts = made === 1 ? "1 attempt" : `${made} attempts`;
        const most = `${limits.modelRetryTotalS} s in all (${variable})`;
        throw counted(
          error,
          `after ${attempts}: another wait of ${seconds(ms)} s would pass ${most}`,
        );
      }
      waitedMs += ms;
      const next = given.text === "" ? "Trying again" : "Going on";
      yield { type: "warning", message: `${error.message}. ${next} in ${seconds(ms)} s` };
      await sleep(ms, signal);
    }
  }
}

/** What the attempts have given out so far. */
class Given {
  text = "";
  hasCalls = false;
  #failed: Usage | undefined;
  #current: Usage | undefined;

  take(part: ModelPart, attempt: number): ModelPart {
    switch (part.type) {
      case "text":
        this.text += part.text;
        return part;
      case "call":
        this.hasCalls = true;
        return part;
      case "reasoning": {
        if (attempt === 1) return part;
        // A later attempt's blocks are others. Behind a text that was cut off they do not go back to
        // the provider, which wants to see them first in a reply.
        const { metadata, ...rest } = part;
        const block = `${attempt}.${part.block}`;
        return this.text === "" && metadata !== undefined
          ? { ...rest, metadata, block }
          : { ...rest, block };
      }
      case "usage": {
        this.#current = part.usage;
        if (this.#failed === undefined) return part;
        return { ...part, usage: addUsage(this.#failed, part.usage) };
      }
      default:
        return part;
    }
  }

  /** The attempt failed: what it took is that of a failed one. */
  fail(): void {
    if (this.#current !== undefined) {
      this.#failed = addUsage(this.#failed ?? {}, asFailed(this.#current));
    }
    this.#current = undefined;
  }
}

function counted(error: SkepError<"PROVIDER_FAILED">, what: string): SkepError {
  const message = `${error.message} (${what})`;
  return new SkepError(error.code, message, error.details, { cause: error });
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
