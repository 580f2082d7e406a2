import { SkepError } from "../errors.ts";
import { newCallIds } from "./call_ids.ts";
import { describeTools, HELP, WELCOME } from "./offline_help.ts";
import { parseCommands } from "./offline_commands.ts";
import type { Image, Text } from "./message.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";

const NOTICE = "No model provider is configured: a plain interpreter answers, no AI (/help). " +
  "For a real model set SKEP_MODEL=anthropic:MODEL and ANTHROPIC_API_KEY, " +
  "or SKEP_MODEL=openai-compatible:MODEL, OPENAI_COMPAT_BASE_URL and OPENAI_COMPAT_API_KEY";

/**
 * The model that serves when no provider is configured: no network, no key, no AI. It reads commands
 * (see {@linkcode parseCommands}) and calls tools through the real loop; when the results are there it
 * gives their text as it is, in order. It keeps nothing: the last message decides.
 *
 * @example
 * ```ts
 * import { offlineModel } from "./offline.ts";
 *
 * if (offlineModel().id !== "offline") throw new Error("another model");
 * ```
 */
export function offlineModel(): Model {
  return {
    id: "offline",
    notice: NOTICE,
    async *stream(request, signal) {
      for (const part of answer(request)) {
        if (signal.aborted) throw new SkepError("CANCELLED", "The request was cancelled", {});
        yield part;
      }
    },
  };
}

function answer({ messages, tools, whyNot, mayHave }: ModelRequest): ModelPart[] {
  const last = messages.at(-1);
  if (last?.role === "tool") {
    return says(textOf(last.results.flatMap((result) => result.content)));
  }
  if (last?.role !== "user") return says(WELCOME);
  const texts = last.content.filter((block) => block.type === "text");
  const commands = parseCommands(textOf(texts), tools, { whyNot, mayHave });
  switch (commands.kind) {
    case "calls": {
      const newId = newCallIds(messages);
      const calls = commands.calls.map((call): ModelPart => ({
        type: "call",
        id: newId(),
        ...call,
      }));
      return [...calls, { type: "stop", reason: "calls" }];
    }
    case "help":
      return says(HELP);
    case "tools":
      return says(describeTools(tools));
    case "refused":
      return says(`${commands.reasons.join("\n")}\nNothing was run.`);
    case "talk":
      return says(WELCOME);
    default:
      return commands satisfies never;
  }
}

function says(text: string): ModelPart[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    { type: "stop", reason: "end" },
  ];
}

/** The blocks' text, each beginning on a line of its own. */
function textOf(blocks: readonly (Text | Image)[]): string {
  return blocks.reduce((text, block) => {
    const next = block.type === "text" ? block.text : `[image: ${block.mediaType}]`;
    return text === "" || text.endsWith("\n") ? text + next : `${text}\n${next}`;
  }, "");
}
