import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { defaultModelId } from "./default_model_id.ts";

const idFor = (values: Record<string, string>) => defaultModelId((name) => values[name]);

Deno.test("defaultModelId() is offline when nothing is set", () => {
  assertEquals(idFor({}), "offline");
  assertEquals(idFor({ SKEP_MODEL: " ", BUZZ_AGENT_PROVIDER: "" }), "offline");
});

Deno.test("defaultModelId() takes SKEP_MODEL before everything else", () => {
  const set = { BUZZ_AGENT_PROVIDER: "anthropic", ANTHROPIC_API_KEY: "k", ANTHROPIC_MODEL: "c" };
  assertEquals(idFor({ SKEP_MODEL: " script:x.yaml ", ...set }), "script:x.yaml");
});

Deno.test("defaultModelId() reads buzz-agent's variables, BUZZ_AGENT_MODEL first", () => {
  assertEquals(
    idFor({ BUZZ_AGENT_PROVIDER: "Anthropic ", ANTHROPIC_MODEL: "c-1" }),
    "anthropic:c-1",
  );
  assertEquals(
    idFor({ BUZZ_AGENT_PROVIDER: "openai", BUZZ_AGENT_MODEL: "m:1", OPENAI_COMPAT_MODEL: "n" }),
    "openai:m:1",
  );
  assertEquals(
    idFor({ BUZZ_AGENT_PROVIDER: "openai-compat", OPENAI_COMPAT_MODEL: "n" }),
    "openai:n",
  );
});

Deno.test("defaultModelId() does not fall back once BUZZ_AGENT_PROVIDER named a provider", () => {
  const noModel = assertThrows(
    () => idFor({ BUZZ_AGENT_PROVIDER: "anthropic", OPENAI_COMPAT_MODEL: "m" }),
    SkepError,
    "set its model, in BUZZ_AGENT_MODEL or ANTHROPIC_MODEL",
  );
  assertEquals(noModel.code, "CONFIG_INVALID");
  const unknown = assertThrows(
    () => idFor({ BUZZ_AGENT_PROVIDER: "DataBrick", BUZZ_AGENT_MODEL: "m" }),
    SkepError,
    `BUZZ_AGENT_PROVIDER="DataBrick": it must be one of anthropic, openai, openai-compat`,
  );
  assertEquals(unknown.details, { source: "BUZZ_AGENT_PROVIDER" });
});

Deno.test("defaultModelId() takes a provider only with both its key and its model", () => {
  assertEquals(idFor({ ANTHROPIC_API_KEY: "k" }), "offline");
  assertEquals(idFor({ ANTHROPIC_MODEL: "c" }), "offline");
  assertEquals(idFor({ ANTHROPIC_API_KEY: "k", ANTHROPIC_MODEL: "c" }), "anthropic:c");
  assertEquals(
    idFor({ ANTHROPIC_API_KEY: "k", OPENAI_COMPAT_API_KEY: "k", OPENAI_COMPAT_MODEL: "m" }),
    "openai:m",
  );
});

Deno.test("defaultModelId() takes a model server on this machine without a key", () => {
  const local = { OPENAI_COMPAT_BASE_URL: "http://localhost:11434/v1" };
  assertEquals(
    idFor({ ...local, OPENAI_COMPAT_MODEL: "llama3:8b" }),
    "openai:llama3:8b",
  );
  assertEquals(idFor(local), "offline");
});
