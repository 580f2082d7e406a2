import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { azureBaseUrl } from "./azure.ts";
import { databricksRoute } from "./databricks_route.ts";
import { isOpenAIHost } from "./openai.ts";
import { openRouterBody } from "./openrouter_body.ts";
import { resolveModel } from "./resolve.ts";

Deno.test("isOpenAIHost() knows OpenAI's hosts, and none that looks like one", () => {
  const urls: [string, boolean][] = [
    ["https://api.openai.com/v1", true],
    ["http://api.openai.com/v1", true],
    ["https://eu.api.openai.com/v1", true],
    ["https://openai.com", true],
    ["https://api.openai.com.evil.test/v1", false],
    ["https://notopenai.com/v1", false],
    ["https://evil.test/api.openai.com", false],
    ["http://localhost:11434/v1", false],
    ["https://my.openai.azure.com/openai/v1", false],
  ];
  for (const [url, isOwn] of urls) assertEquals([url, isOpenAIHost(url)], [url, isOwn]);
});

Deno.test("openOpenAI() refuses a protocol that is none", async () => {
  const env: Record<string, string> = { OPENAI_COMPAT_API_KEY: "k", OPENAI_COMPAT_API: "grpc" };
  const world = {
    env: (name: string) => env[name],
    files: {} as Files,
    fetch: () => Promise.reject(new Error("nothing may be sent")),
    sleep: () => Promise.resolve(),
    nowMs: () => 0,
    cwd: () => "/",
    limits: DEFAULT_LIMITS,
  };
  const error = await assertRejects(() => resolveModel("openai:m", world), SkepError);
  assertEquals([error.code, error.message], [
    "CONFIG_INVALID",
    'Cannot use OPENAI_COMPAT_API="grpc": it must be one of auto, chat, chat-completions, ' +
    "chat_completions, responses",
  ]);
});

Deno.test("azureBaseUrl() finds the API below what Azure calls the endpoint", () => {
  assertEquals(azureBaseUrl("https://r.openai.azure.com"), "https://r.openai.azure.com/openai/v1");
  for (const named of ["https://r.openai.azure.com/openai/v1", "https://gw.test/x/openai"]) {
    assertEquals(azureBaseUrl(named), named);
  }
});

Deno.test("databricksRoute() goes by whole words of the endpoint's name, OpenAI's first", () => {
  const routes: [string, string][] = [
    ["databricks-gpt-5-5", "responses"],
    ["gpt4o", "responses"],
    ["Sol", "responses"],
    ["my_luna.v2", "responses"],
    ["databricks-claude-opus-4-7", "anthropic"],
    ["team-sonnet", "anthropic"],
    ["mythos-preview", "anthropic"],
    ["claude-gpt-judge", "responses"],
    ["consolidated-llama", "chat"],
    ["terraform-coder", "chat"],
    ["corpus-reranker", "chat"],
    ["octopus-model", "chat"],
    ["lagpt", "chat"],
  ];
  for (const [name, route] of routes) assertEquals([name, databricksRoute(name)], [name, route]);
});

const cache_control = { type: "ephemeral" };
const marked = (text: string) => [{ type: "text", text, cache_control }];

Deno.test("openRouterBody() marks the system prompt, the last two texts of the user, and the last tool", () => {
  const image = { role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] };
  const user = (content: string) => ({ role: "user", content });
  const tool = (name: string) => ({ type: "function", function: { name } });
  const body = {
    model: "anthropic/claude-sonnet-4.5",
    messages: [
      { role: "system", content: "s" },
      user("one"),
      user("two"),
      { role: "assistant", content: "a" },
      user("three"),
      image,
    ],
    tools: [tool("a"), tool("b")],
  };
  assertEquals(openRouterBody(body, "anthropic/claude-sonnet-4.5", true), {
    model: "anthropic/claude-sonnet-4.5",
    messages: [
      { role: "system", content: marked("s") },
      user("one"),
      { role: "user", content: marked("two") },
      { role: "assistant", content: "a" },
      { role: "user", content: marked("three") },
      image,
    ],
    tools: [tool("a"), { type: "function", function: { name: "b", cache_control } }],
  });
  assertEquals(openRouterBody(body, "anthropic/claude-sonnet-4.5", false), body);
  assertEquals(openRouterBody(body, "openai/gpt-5.5", true), body);
});
