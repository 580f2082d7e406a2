// A fake provider whose replies are for prompts alone: whatever else it is asked, it does not know.
import {
  type FakeProvider,
  type FakeReply,
  type FakeRequest,
  startFakeProvider,
} from "./fake_provider.ts";

const PROMPTS = ["/v1/messages", "/v1/chat/completions"];

/** A {@linkcode FakeProvider} with the requests that are prompts. */
export type PromptProvider = FakeProvider & { prompts(): readonly FakeRequest[] };

/** Starts one; each prompt takes the next reply, and one that finds none is refused. */
export function startPromptProvider(replies: readonly FakeReply[]): PromptProvider {
  const queue = [...replies];
  const provider = startFakeProvider(({ path }) => {
    if (!PROMPTS.includes(path)) return { status: 404 };
    return queue.shift() ?? { status: 400, body: '{"error":{"message":"no reply is left"}}' };
  });
  const prompts = () => provider.requests.filter(({ path }) => PROMPTS.includes(path));
  return Object.assign(provider, { prompts });
}
