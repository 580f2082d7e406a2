// `skep models` as a person runs it.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { startFakeProvider } from "./fake_provider.ts";
import { skep, tempFolder } from "./harness.ts";

const LIST = {
  status: 200,
  body: JSON.stringify({ data: [{ id: "claude-sonnet-4-5" }, { id: "brand-new" }] }),
};

Deno.test("skep models lists the models of a provider, with context and prices", async () => {
  await using fake = startFakeProvider([LIST, LIST]);
  const { ANTHROPIC_BASE_URL = "", ANTHROPIC_API_KEY = "" } = fake.env;
  const env = { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY };
  const words = await skep(["models"], { env });
  assertEquals(
    [words.code, words.stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))],
    [
      0,
      [
        "anthropic:claude-sonnet-4-5 | 200000 tokens | $3 in, $15 out",
        "anthropic:brand-new | context unknown",
        "",
      ],
    ],
  );
  const json = await skep(["models", "anthropic", "--json"], { env });
  const [first, second] = json.stdout.split("\n").map((line) =>
    line === "" ? undefined : JSON.parse(line)
  );
  assertEquals(first, {
    model: "anthropic:claude-sonnet-4-5",
    listed_by: "provider",
    context_tokens: 200_000,
    context_from: "catalog",
    max_output_tokens: 64_000,
    images: true,
    prices: { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 },
  });
  assertEquals(second, { model: "anthropic:brand-new", listed_by: "provider" });
});

Deno.test("skep models lists the models of models.yaml, and says what keeps a provider from it", async () => {
  await using fake = startFakeProvider([LIST]);
  await using folder = await tempFolder();
  const { ANTHROPIC_BASE_URL = "", ANTHROPIC_API_KEY = "" } = fake.env;
  await Deno.writeTextFile(
    `${folder.path}/models.yaml`,
    JSON.stringify({
      providers: {
        groq: { base_url: "https://groq.test/v1" },
        ollama: { base_url: "http://127.0.0.1:9/v1" },
      },
      models: { "anthropic:mine": { context_tokens: 5 } },
    }),
  );
  const env = { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, SKEP_CONFIG_DIR: folder.path };
  const { code, stdout, stderr } = await skep(["models", "--json"], { env });
  assertEquals([code, stdout.trim().split("\n").map((line) => JSON.parse(line).model)], [0, [
    "anthropic:claude-sonnet-4-5",
    "anthropic:brand-new",
    "anthropic:mine",
  ]]);
  assertStringIncludes(stderr, "ollama cannot be reached at http://127.0.0.1:9/v1");
  assertStringIncludes(stderr, "groq: Cannot use the provider groq: GROQ_API_KEY is not set");
  const config = JSON.stringify({ providers: { groq: { base_url: "https://groq.test/v1" } } });
  await Deno.writeTextFile(`${folder.path}/models.yaml`, config);
  const alone = await skep(["models"], { env: { SKEP_CONFIG_DIR: folder.path } });
  assertEquals([alone.code, alone.stdout], [1, ""]);
  await Deno.writeTextFile(`${folder.path}/models.yaml`, '{"providers":{"antropic":{}}}');
  const wrong = await skep(["chat", "-p", "hi"], { env: { SKEP_CONFIG_DIR: folder.path } });
  assertEquals(wrong.code, 1);
  assertStringIncludes(wrong.stderr, "providers.antropic must have a base_url");
});

Deno.test("skep models says which provider is not set, unknown, or cannot be asked", async () => {
  const unset = await skep(["models"], {});
  assertEquals([unset.code, unset.stdout], [0, ""]);
  assertStringIncludes(unset.stderr, "No provider is set");
  const missing = await skep(["models", "anthropic"], {});
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, "ANTHROPIC_API_KEY is not set");
  const unknown = await skep(["models", "antropic"], {});
  assertEquals(unknown.code, 1);
  assertStringIncludes(unknown.stderr, "did you mean anthropic?");
  const nothing = await skep(["models", "nope"], {});
  assertStringIncludes(nothing.stderr, "Providers with a list: anthropic, openai, ");
  const silent = await skep(["models", "offline"], {});
  assertEquals(silent.code, 1);
  assertStringIncludes(silent.stderr, "offline has no models to list");
  await using fake = startFakeProvider([{ status: 401, body: "no" }]);
  const { ANTHROPIC_BASE_URL = "", ANTHROPIC_API_KEY = "" } = fake.env;
  const refused = await skep(["models"], { env: { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } });
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "refused the key in ANTHROPIC_API_KEY");
});
