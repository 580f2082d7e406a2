import { assertEquals } from "@std/assert";
import type { Settled } from "../persona/defaults.ts";
import { modelEnv, modelSettings } from "./persona_settings.ts";

const SETTINGS: Settled = {
  triggers: { mentions: true, keywords: [], allMessages: false },
  threadReplies: true,
  broadcastReplies: false,
};

Deno.test("modelEnv() says what the persona says, where the operator says nothing", () => {
  const persona = { settings: { ...SETTINGS, thinking: "high" as const, maxContextTokens: 1000 } };
  const quiet = modelEnv((name) => name === "HOME" ? "/h" : undefined, persona);
  assertEquals(
    ["SKEP_THINKING_EFFORT", "SKEP_MAX_CONTEXT_TOKENS", "HOME"].map(quiet),
    ["high", "1000", "/h"],
  );
  const said: Record<string, string> = {
    BUZZ_AGENT_THINKING_EFFORT: "low",
    SKEP_MAX_CONTEXT_TOKENS: "5",
  };
  const loud = modelEnv((name) => said[name], persona);
  assertEquals(
    ["SKEP_THINKING_EFFORT", "BUZZ_AGENT_THINKING_EFFORT", "SKEP_MAX_CONTEXT_TOKENS"].map(loud),
    [undefined, "low", "5"],
  );
  assertEquals(
    modelEnv(() => undefined, { settings: SETTINGS })("SKEP_THINKING_EFFORT"),
    undefined,
  );
});

Deno.test("modelSettings() hands on a temperature, and options to the provider they are written for", () => {
  const provider = { order: ["a"] };
  const settings = { ...SETTINGS, temperature: 0, provider };
  const of = (id: string, model?: string) =>
    modelSettings(id, model === undefined ? { settings } : { settings, model });
  assertEquals(of("openrouter:x", "openrouter:y"), { temperature: 0, extraFields: provider });
  assertEquals(of("openrouter:x"), { temperature: 0, extraFields: provider });
  assertEquals(of("anthropic:x", "openrouter:y"), { temperature: 0 });
  assertEquals(modelSettings("offline", { settings: SETTINGS }), {});
});
