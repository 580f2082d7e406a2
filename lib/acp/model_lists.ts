import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { ModelChoice } from "../model/choices.ts";

/** What it takes to know the models. */
export interface ModelListsOptions {
  /**
   * The models to choose from where a model is in use; the one that sessions start with unless given.
   *
   * @throws {SkepError} when no model would answer, and what speaks against opening a session.
   */
  readonly models: (current?: string) => Promise<readonly ModelChoice[]>;
  readonly limits: Pick<Limits, "listModelsMs">;
  readonly world: Pick<Host, "sleep">;
}

/** The models to choose from, as far as they are known. Providers are asked over the network, which takes time. */
export class ModelLists {
  readonly #options: ModelListsOptions;
  readonly #onLate: () => void;
  /** By provider: a list grows by those that sessions have gone over to. */
  readonly #known = new Map<string, readonly ModelChoice[]>();

  /** @param onLate Called when models became known after {@linkcode ModelLists.look} was left. */
  constructor(options: ModelListsOptions, onLate: () => void) {
    this.#options = options;
    this.#onLate = onLate;
  }

  /** All models that are known. */
  get known(): readonly ModelChoice[] {
    return [...this.#known.values()].flat();
  }

  /** Asks for the models beside the current one, and waits for them, but not longer than their bound. */
  async look(current?: string): Promise<void> {
    const { models, limits, world } = this.#options;
    const timer = new AbortController();
    let isLeft = false;
    const found = models(current).then((list) => {
      const before = JSON.stringify(this.known);
      const own = Map.groupBy(list, ({ id }) => id.split(":", 1)[0]!);
      for (const [provider, choices] of own) this.#take(provider, choices);
      if (isLeft && JSON.stringify(this.known) !== before) this.#onLate();
    });
    found.catch(() => {}); // a failure that comes late is told with the next prompt
    const late = world.sleep(limits.listModelsMs, timer.signal).catch(() => {});
    try {
      await Promise.race([found, late]);
    } finally {
      isLeft = true;
      timer.abort();
    }
  }

  /** A list with the model in use alone says nothing against one that was longer. */
  #take(provider: string, choices: readonly ModelChoice[]): void {
    if (choices.length >= (this.#known.get(provider)?.length ?? 0)) {
      this.#known.set(provider, choices);
    }
  }
}
