import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { resolveModel } from "./resolve.ts";
import type { ModelWorld } from "./world.ts";

function worldOf(env: Record<string, string> = {}, files: Record<string, string> = {}): ModelWorld {
  const readText = (path: string) =>
    path in files ? Promise.resolve(files[path]!) : Promise.reject(new Error(`no ${path}`));
  return {
    env: (name) => env[name],
    files: { readText } as Partial<Files> as Files,
    fetch: () => Promise.reject(new Error("nothing may be sent")),
    sleep: () => Promise.resolve(),
    nowMs: () => 0,
    cwd: () => "/home/me",
    limits: DEFAULT_LIMITS,
  };
}

async function refusalOf(id: string, env?: Record<string, string>): Promise<SkepError> {
  return await assertRejects(() => resolveModel(id, worldOf(env)), SkepError);
}

Deno.test("resolveModel() gives the offline model, with a notice", async () => {
  const model = await resolveModel("offline", worldOf());
  assertEquals(model.id, "offline");
  assertEquals(model.notice?.includes("\n"), false);
});

Deno.test("resolveModel() reads a script from the folder the program started in", async () => {
  const world = worldOf({}, { "/home/me/a/b:c.yaml": "replies: [hi]" });
  assertEquals((await resolveModel("script:a/b:c.yaml", world)).id, "script:a/b:c.yaml");
});

Deno.test("resolveModel() suggests the nearest provider, else names them all", async () => {
  const near = await refusalOf("antropic:claude");
  assertEquals(near.code, "MODEL_UNKNOWN");
  assertEquals(
    near.message,
    'Cannot use the model "antropic:claude": there is no provider "antropic"; did you mean anthropic?',
  );
  assertEquals(
    (await refusalOf("gpt-9")).message,
    'Cannot use the model "gpt-9": there is no provider "gpt-9"; ' +
      "write one of anthropic:MODEL, openai:MODEL, openai-compatible:MODEL, openrouter:MODEL, " +
      "google:MODEL, azure:MODEL, amazon-bedrock:MODEL, databricks:MODEL, databricks_v2:MODEL, " +
      "ollama:MODEL, lmstudio:MODEL, llamacpp:MODEL, vllm:MODEL, script:FILE.yaml, offline",
  );
});

Deno.test("resolveModel() wants a model after a provider that has several, and none after offline", async () => {
  assertEquals(
    (await refusalOf("anthropic")).message,
    'Cannot use the model "anthropic": it must name a model: anthropic:MODEL',
  );
  assertEquals(
    (await refusalOf("offline:x")).message,
    'Cannot use the model "offline:x": offline has just one model: write offline alone',
  );
});

Deno.test("resolveModel() names the variable of a missing key, and takes no other provider", async () => {
  const others = { OPENAI_COMPAT_API_KEY: "k", OPENAI_COMPAT_MODEL: "m" };
  const missing = await refusalOf("anthropic:claude", others);
  assertEquals([missing.code, missing.details], [
    "MODEL_KEY_MISSING",
    { provider: "anthropic", variable: "ANTHROPIC_API_KEY" },
  ]);
  const remote = { OPENAI_COMPAT_BASE_URL: "https://models.test/v1" };
  assertEquals((await refusalOf("openai-compatible:m", remote)).details, {
    provider: "openai-compatible",
    variable: "OPENAI_COMPAT_API_KEY",
  });
});
