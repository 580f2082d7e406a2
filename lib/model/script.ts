import { resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { newCallIds } from "./call_ids.ts";
import type { Message } from "./message.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { parseScript, type ScriptReply, type ScriptStep } from "./script_file.ts";
import type { ModelWorld } from "./world.ts";

const PROVIDER = "script";

/**
 * A model that plays a YAML file, see {@linkcode parseScript}: one reply for each request, in order,
 * whichever session asks. For tests and demos. Its errors are thrown as they are, without retries.
 *
 * @param path Of the file; a relative one starts at the folder that the program was started in.
 * @throws {SkepError} `CONFIG_INVALID` when the file cannot be read or used.
 */
export async function openScript(
  path: string,
  world: Pick<ModelWorld, "files" | "cwd" | "sleep" | "limits">,
): Promise<Model> {
  let text: string;
  try {
    text = await world.files.readText(resolve(world.cwd(), path), world.limits.maxConfigFileBytes);
  } catch (cause) {
    const message = `Cannot use the script ${path}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source: path }, { cause });
  }
  const { replies, repeat } = parseScript(text, path);
  let played = 0;
  return {
    id: `${PROVIDER}:${path}`,
    async *stream(request, signal) {
      const number = ++played;
      const reply = replies[number - 1] ?? (repeat === "last" ? replies.at(-1) : undefined);
      if (reply === undefined) {
        throw failed(
          `The script ${path} has no reply for request ${number}: it holds ${replies.length}`,
        );
      }
      checkExpectation(reply, request, `The script ${path}, reply ${number}`);
      try {
        yield* play(reply, request, world, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new SkepError("CANCELLED", "The request was cancelled", {}, { cause: error });
      }
    },
  };
}

async function* play(
  { steps }: ScriptReply,
  { messages }: ModelRequest,
  { sleep }: Pick<ModelWorld, "sleep">,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, void> {
  const newId = newCallIds(messages);
  for (const step of steps) {
    signal.throwIfAborted();
    if (step.type === "delay") await sleep(step.ms, signal);
    else if (step.type === "cut") throw failed("The scripted reply broke off without a stop");
    else if (step.type === "error") throw errorOf(step);
    else if (step.type === "call") yield { ...step, id: step.id ?? newId() };
    else yield step;
  }
}

function checkExpectation(
  { expect }: ScriptReply,
  { messages }: ModelRequest,
  where: string,
): void {
  const said = textOf(messages.at(-1));
  if (expect === undefined || said.includes(expect)) return;
  const found = JSON.stringify(said);
  throw failed(`${where}: the last message must contain ${JSON.stringify(expect)}, it is ${found}`);
}

function textOf(message: Message | undefined): string {
  const blocks = message?.role === "tool"
    ? message.results.flatMap((result) => result.content)
    : message?.content ?? [];
  return blocks.flatMap((block) => "text" in block ? [block.text] : []).join("\n");
}

function errorOf(
  { code, message, status }: Extract<ScriptStep, { type: "error" }>,
): SkepError {
  switch (code) {
    case "PROVIDER_AUTH_FAILED":
      return new SkepError(code, message, { provider: PROVIDER, status: status ?? 401 });
    case "PROVIDER_MODEL_NOT_FOUND":
      return new SkepError(code, message, { provider: PROVIDER, model: PROVIDER });
    case "CONTEXT_TOO_LONG":
      return new SkepError(code, message, { provider: PROVIDER });
    case "PROVIDER_FAILED":
      return new SkepError(code, message, {
        provider: PROVIDER,
        ...(status === undefined ? {} : { status }),
      });
    default:
      return code satisfies never;
  }
}

function failed(message: string): SkepError {
  return new SkepError("PROVIDER_FAILED", message, { provider: PROVIDER });
}
