import { SkepError } from "../errors.ts";
import { asFailed } from "../model/add_usage.ts";
import type { Usage } from "../model/message.ts";
import type { Model, ModelPart, ModelRequest } from "../model/model.ts";
import { callIds } from "../model/call_ids.ts";
import { ReplyBuilder } from "../model/reply.ts";
import type { TurnEvent } from "./state.ts";

/** What came of asking the model once: the event for the turn, and the tokens it cost when they are known. */
export interface Asked {
  readonly event: TurnEvent;
  readonly usage?: Usage;
}

/**
 * Sends one request, hands each part on as it arrives, and gives what came of it. Never throws. After
 * the signal was aborted no part is handed on.
 */
export async function ask(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  onPart: (part: ModelPart) => void,
): Promise<Asked> {
  const reply = new ReplyBuilder(model.id, callIds(request.messages));
  const counted = (hasFailed: boolean) => {
    const { usage } = reply;
    if (usage === undefined) return {};
    return { usage: hasFailed ? asFailed(usage) : usage };
  };
  try {
    for await (const part of model.stream(request, signal)) {
      // What was taken up to a cancel is told behind it, and paid for all the same.
      if (signal.aborted && part.type !== "usage") continue;
      reply.add(part);
      if (!signal.aborted) onPart(part);
    }
    const { stop } = reply;
    if (stop === undefined) {
      throw new SkepError("PROVIDER_FAILED", `The reply of ${model.id} broke off without a stop`, {
        provider: model.id,
      });
    }
    const raw = stop.raw === undefined ? {} : { raw: stop.raw };
    const event = { content: reply.content, stop: stop.reason, ...raw };
    return { event: { type: "replied", reply: event }, ...counted(false) };
  } catch (error) {
    return { event: { type: "failed", error }, ...counted(!signal.aborted) };
  }
}
