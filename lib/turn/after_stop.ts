import { SkepError } from "../errors.ts";
import type { Reply, Turn } from "./state.ts";

const WHY: Readonly<Record<string, string>> = {
  calls: "it stopped for tool calls and named none",
  context_full: "it filled the model's context",
};

/** How a turn stands after a reply that is the last one. Only a known stop ends it well. */
export function afterStop(reply: Reply): Turn {
  switch (reply.stop) {
    case "end":
      return { state: "ended", stop: "end_turn" };
    case "max_tokens":
      return { state: "ended", stop: "max_tokens" };
    case "refusal":
      return { state: "ended", stop: "refusal" };
    default: {
      const raw = reply.raw === undefined ? "" : ` (its word: ${JSON.stringify(reply.raw)})`;
      const why = WHY[reply.stop] ?? reply.stop;
      const error = new SkepError(
        "PROVIDER_FAILED",
        `The model's reply did not end as one should: ${why}${raw}`,
        { provider: "model" },
      );
      return { state: "failed", error };
    }
  }
}
