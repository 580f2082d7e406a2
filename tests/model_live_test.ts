// Real providers, one small request each. They cost money, so they run only when SKEP_TEST_LIVE names the
// models: SKEP_TEST_LIVE="anthropic:claude-haiku-4-5 openai:gpt-5-mini" deno task test:process
import { assert, assertEquals } from "@std/assert";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import type { Message } from "../lib/model/message.ts";
import { collectReply } from "../lib/model/reply.ts";
import { resolveModel } from "../lib/model/resolve.ts";

const MODELS = (Deno.env.get("SKEP_TEST_LIVE") ?? "").split(/\s+/).filter((id) => id !== "");

const ADD = {
  name: "sum__add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
  },
};

Deno.test({
  name: MODELS.length === 0
    ? "live providers (skipped: SKEP_TEST_LIVE names no model, and a request costs money)"
    : "live providers answer, call a tool, and take its result",
  ignore: MODELS.length === 0,
  fn: async (t) => {
    for (const id of MODELS) {
      await t.step(id, async () => {
        const { env, files, fetch, sleep, nowMs, cwd } = denoHost();
        const world = { env, files, fetch, sleep, nowMs, cwd, limits: DEFAULT_LIMITS };
        const model = await resolveModel(id, world);
        const messages: Message[] = [{
          role: "user",
          content: [{ type: "text", text: "Add 2 and 3 with the tool, then say the sum." }],
        }];
        const ask = async () => {
          const request = {
            system: "Use the tool.",
            messages,
            tools: [ADD],
            maxOutputTokens: 2000,
          };
          const parts = model.stream(request, AbortSignal.timeout(60_000));
          return await collectReply(parts, model.id);
        };
        const first = await ask();
        assertEquals(first.stop.reason, "calls");
        assert((first.usage?.inputTokens ?? 0) > 0, "usage was told");
        messages.push(first.message);
        const calls = first.message.content.filter((part) => part.type === "call");
        messages.push({
          role: "tool",
          results: calls.map(({ id: callId, name }) => (
            { callId, name, isError: false, content: [{ type: "text", text: "5" }] }
          )),
        });
        const second = await ask();
        const said = second.message.content.flatMap((part) =>
          part.type === "text" ? [part.text] : []
        );
        assert(said.join("").includes("5"), said.join(""));
      });
    }
  },
});
