import { assertEquals } from "@std/assert";
import {
  echo,
  FakeSession,
  type Frame,
  MemoryClient,
  type PlayTurn,
} from "../../tests/acp_client.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Model } from "../model/model.ts";

const FACTS = { contextTokens: 1000, source: "catalog", efforts: ["high", "low"] } as const;

/** A client whose models all think; notes what was resolved. */
function started(models = [{ id: "anthropic:x", name: "x" }, { id: "openai:y", name: "y" }]) {
  const session = new FakeSession("s1", echo);
  session.modelId = "anthropic:x";
  session.modelFacts = FACTS;
  const resolved: unknown[] = [];
  const client = new MemoryClient({
    open: () => Promise.resolve(session),
    models: () => Promise.resolve(models),
    resolveModel: (id, choice) => {
      resolved.push([id, choice]);
      const stream: Model["stream"] = () => {
        throw new Error("nobody prompts it");
      };
      return Promise.resolve({ id, facts: FACTS, stream });
    },
  });
  return { client, session, resolved };
}

function set(client: MemoryClient, configId: string, value: unknown): Promise<Frame> {
  return client.request("session/set_config_option", { sessionId: "s1", configId, value });
}

/** Each option of a reply with what it is set to. */
function values({ configOptions }: Frame): unknown {
  const options = configOptions as { id: string; currentValue: string }[];
  return Object.fromEntries(options.map(({ id, currentValue }) => [id, currentValue]));
}

Deno.test("session/set_config_option sets model, thinking and mode, and answers with all options", async () => {
  const { client, session, resolved } = started();
  assertEquals(values(await client.request("session/new", { cwd: "/w", mcpServers: [] })), {
    model: "anthropic:x",
    thought_level: "default",
    mode: "normal",
  });
  assertEquals(values(await set(client, "thought_level", "high")), {
    model: "anthropic:x",
    thought_level: "high",
    mode: "normal",
  });
  await set(client, "model", "openai:y");
  assertEquals(values(await set(client, "mode", "plan")), {
    model: "openai:y",
    thought_level: "high",
    mode: "plan",
  });
  await set(client, "thought_level", "default");
  assertEquals(resolved, [
    ["anthropic:x", { beside: "anthropic:x", effort: "high" }],
    ["openai:y", { beside: "anthropic:x", effort: "high" }],
    ["openai:y", { beside: "openai:y", effort: undefined }],
  ]);
  assertEquals(session.mode, "plan");
  assertEquals(client.updates(), [{
    sessionUpdate: "current_mode_update",
    currentModeId: "plan",
  }]);
  await client.end();
});

Deno.test("session/set_config_option refuses what is no option, and what is no value of one", async () => {
  const { client } = started();
  await client.open();
  const refused = [
    await set(client, "temperature", "1"),
    await set(client, "model", " "),
    await set(client, "thought_level", "extreme"),
    await set(client, "mode", true),
    await set(client, "mode", "yolo"),
  ];
  assertEquals(refused.map(({ message }) => String(message).split(": ")[1]), [
    "configId must be one of model, thought_level, mode",
    "the value of model must be text that is not blank",
    "the value of thought_level must be one of those listed",
    "the value of mode must be text that is not blank",
    "the mode must be one of normal, plan",
  ]);
  await client.end();
});

Deno.test("a model or mode that is set by its own method shows in the options", async () => {
  const { client } = started();
  await client.open();
  await client.request("session/set_model", { sessionId: "s1", modelId: "openai:y" });
  await client.request("session/set_mode", { sessionId: "s1", modeId: "plan" });
  const told = client.updates().filter(({ sessionUpdate }) =>
    sessionUpdate === "config_option_update"
  );
  assertEquals(told.map((update) => values(update)), [
    { model: "openai:y", thought_level: "default", mode: "normal" },
    { model: "openai:y", thought_level: "default", mode: "plan" },
  ]);
  await client.end();
});

Deno.test("a client of version 2 knows the models of the provider in use by their own names", async () => {
  const { client } = started();
  await client.request("initialize", { protocolVersion: 2 });
  const reply = await client.request("session/new", { cwd: "/w", mcpServers: [] });
  assertEquals(reply.models, {
    currentModelId: "x",
    availableModels: [{ modelId: "x", name: "x" }, { modelId: "openai:y", name: "y" }],
  });
  assertEquals((values(reply) as { model: string }).model, "x");
  await client.end();
});

Deno.test("a session does not wait for models longer than its limit, and tells of them later", async () => {
  const found = Promise.withResolvers<{ id: string; name: string }[]>();
  const session = new FakeSession("s1", echo);
  const waits: number[] = [];
  const client = new MemoryClient({
    open: () => Promise.resolve(session),
    models: () => found.promise,
    limits: { ...DEFAULT_LIMITS, idleSessionS: 0 },
    world: { sleep: (ms) => Promise.resolve(void waits.push(ms)), warn: () => {} },
  });
  const clientCapabilities = { _meta: { skep: { unstable: true } } };
  await client.request("initialize", { protocolVersion: 1, clientCapabilities });
  const { models } = await client.request("session/new", { cwd: "/w", mcpServers: [] });
  assertEquals(models, {
    currentModelId: "offline:plain",
    availableModels: [{ modelId: "offline:plain", name: "offline:plain" }],
  });
  assertEquals(waits, [3000]);
  found.resolve([{ id: "anthropic:x", name: "x" }]);
  await client.frame(({ params }) => JSON.stringify(params)?.includes("anthropic:x") === true);
  await client.end();
});

Deno.test("a session is named by its first prompt, once, or by its client before that", async () => {
  const play: PlayTurn = (_prompt, onUpdate) => {
    onUpdate({ type: "turn_started", turnId: "run_1" });
    return Promise.resolve("end_turn");
  };
  const titles = async (params: object) => {
    const open = () => Promise.resolve(new FakeSession("s1", play));
    const client = new MemoryClient({ open });
    await client.open(params);
    await client.prompt("s1", "\nFix the bug\nand more");
    await client.prompt("s1", "thanks");
    await client.end();
    return client.updates().flatMap(({ title }) => title === undefined ? [] : [title]);
  };
  assertEquals(await titles({}), ["Fix the bug"]);
  assertEquals(await titles({ _meta: { sessionTitle: "Guide · #general" } }), ["Guide · #general"]);
});
