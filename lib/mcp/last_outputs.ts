import * as z from "zod";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { elideMiddle } from "./elide.ts";
import { plainText } from "./plain_text.ts";
import { within } from "./within.ts";

/** A server that names this experimental capability tells what a call had come to that was given up. */
export const LAST_OUTPUT_CAPABILITY = "skep/last_output";

/** In a call's `_meta`: the name under which its last output is told. */
const CALL_META = "skep/call";

/** Such a server tells it: once for each call that was given up, with or without a text. */
export const LAST_OUTPUT = z.looseObject({
  method: z.literal("notifications/skep/last_output"),
  params: z.looseObject({
    call: z.unknown().optional(),
    text: z.string().optional().catch(undefined),
  }).catch({}),
});

/** One call whose last output may come. */
export interface LastOutput extends Disposable {
  /** What goes along with the call. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Waits a moment for it, no longer than the server lives. */
  take(gone: AbortSignal): Promise<string | undefined>;
}

/**
 * What calls had come to that were given up: the protocol has no answer to those, and a command may have
 * written much since its last note of progress.
 */
export class LastOutputs {
  readonly #waiting = new Map<unknown, (text: string | undefined) => void>();
  readonly #limits: Pick<Limits, "lastOutputMs" | "maxToolResultTextBytes">;
  readonly #sleep: Host["sleep"];
  #count = 0;

  constructor(
    limits: Pick<Limits, "lastOutputMs" | "maxToolResultTextBytes">,
    sleep: Host["sleep"],
  ) {
    this.#limits = limits;
    this.#sleep = sleep;
  }

  /** A call begins. */
  begin(): LastOutput {
    const call = ++this.#count;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting.set(call, resolve);
    return {
      meta: { [CALL_META]: call },
      take: (gone) => within(promise, this.#limits.lastOutputMs, this.#sleep, gone),
      [Symbol.dispose]: () => this.#waiting.delete(call),
    };
  }

  /** A server has told one; one that nobody waits for is nothing. */
  told({ call, text }: z.infer<typeof LAST_OUTPUT>["params"]): void {
    const plain = text === undefined
      ? undefined
      : elideMiddle(plainText(text), this.#limits.maxToolResultTextBytes);
    this.#waiting.get(call)?.(plain);
  }
}
