import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { openCatalog } from "./catalog.ts";
import { readOperatorFile } from "./operator_file.ts";

const read = (text: string | undefined, mode = 0o644) =>
  readOperatorFile({
    configFolder: "/c",
    limits: DEFAULT_LIMITS,
    files: {
      stat: () => Promise.resolve(text === undefined ? undefined : { isFile: true, mode }),
      readText: () => Promise.resolve(text ?? ""),
    } as unknown as Files,
  });

Deno.test("readOperatorFile() settles nothing where there is no folder, no file, or an empty one", async () => {
  for (const text of [undefined, "", "# nothing\n"]) {
    const { providers, models } = await read(text);
    assertEquals([providers.size, models.size], [0, 0]);
  }
  const { path } = await readOperatorFile({ limits: DEFAULT_LIMITS, files: {} as Files });
  assertEquals(path, undefined);
});

Deno.test("readOperatorFile() reads keys of providers, own providers, and facts of models", async () => {
  const { path, providers, models } = await read(`
providers:
  anthropic: { key_command: [pass, show, anthropic], limits: { concurrent: 2 } }
  groq: { base_url: "https://groq.test/v1", key_file: /home/me/.groq }
models:
  "ollama:llama3:8b":
    context_tokens: 8192
    max_output_tokens: 2048
    images: false
    prices: { input: 0.5, output: 1, cached_input: 0.1 }
    efforts: [low, HIGH]
`);
  assertEquals(path, "/c/models.yaml");
  assertEquals(Object.fromEntries(providers), {
    anthropic: { keyCommand: ["pass", "show", "anthropic"], limits: { concurrent: 2 } },
    groq: { baseUrl: "https://groq.test/v1", keyFile: "/home/me/.groq" },
  });
  assertEquals(models.get("ollama:llama3:8b"), {
    contextTokens: 8192,
    maxOutputTokens: 2048,
    takesImages: false,
    prices: { input: 0.5, output: 1, cachedInput: 0.1 },
    efforts: ["low", "high"],
  });
});

Deno.test("readOperatorFile() refuses a file that others may write: it names programs to run", async () => {
  for (const mode of [0o664, 0o646]) {
    await assertRejects(() => read("", mode), SkepError, "must not be open to others' writing");
  }
  assertEquals((await read("", 0o644)).path, "/c/models.yaml");
});

Deno.test("readOperatorFile() names the entry at fault", async () => {
  const faults: [string, string][] = [
    ["models: [", "it must be read: "],
    ["modls: {}", 'it must have no "modls", but providers, models'],
    ["providers: 1", "providers must be a map"],
    ["providers: { a: { key: x } }", 'providers.a must have no "key"'],
    [
      "providers: { antropic: { limits: { concurrent: 1 } } }",
      "providers.antropic must have a base_url, as a provider of your own, or be called anthropic",
    ],
    [
      "providers: { 'a:b': { base_url: 'http://a.test' } }",
      'providers."a:b" must have no colon in its name: what follows one is a model',
    ],
    ["providers: { mine: { key_file: /k } }", "providers.mine must have a base_url"],
    [
      "providers: { a: { base_url: nowhere } }",
      'providers.a.base_url="nowhere": it must be an http',
    ],
    ["providers: { a: { base_url: 'http://me:pw@a.test' } }", "it must have no user, password"],
    ["providers: { a: { key_variable: 'A B' } }", "providers.a.key_variable must be the name of"],
    ["providers: { openai: { key_variable: K } }", "providers.openai must have no key_variable"],
    [
      "models: { 'antropic:x': { images: true } }",
      'models."antropic:x" must be PROVIDER:MODEL, with a provider that there is: such as anthropic',
    ],
    ["models: { llama3: { images: true } }", 'models."llama3" must be PROVIDER:MODEL'],
    ["models: { 'ollama:': { images: true } }", 'models."ollama:" must be PROVIDER:MODEL'],
    ["providers: { a: { key_command: pass } }", "providers.a.key_command must be a list"],
    ["models: { m: { context_tokens: 0 } }", "models.m.context_tokens must be a whole number"],
    ["models: { m: { context_tokens: 1e99 } }", "models.m.context_tokens must be a whole number"],
    [
      "providers: { a: { limits: { concurrent: 0 } } }",
      "providers.a.limits.concurrent must be a whole",
    ],
    ["models: { m: { images: 1 } }", "models.m.images must be true or false"],
    ["models: { m: { prices: { input: 1 } } }", "models.m.prices must have input and output"],
    [
      "models: { m: { prices: { input: -1, output: 1 } } }",
      "models.m.prices.input must be US dollars",
    ],
    ["models: { m: { efforts: [hard] } }", "models.m.efforts of /c/models.yaml"],
  ];
  for (const [text, fault] of faults) {
    const error = await assertRejects(() => read(text), SkepError, fault);
    assertEquals(error.code, "CONFIG_INVALID");
  }
});

const catalogOf = (models: Record<string, object>, env: Record<string, string> = {}) =>
  openCatalog("anthropic", { models: new Map(Object.entries(models)) }, {
    env: (name) => env[name],
    limits: { ...DEFAULT_LIMITS, maxContextTokens: Number(env.SKEP_MAX_CONTEXT_TOKENS ?? 200_000) },
  });

Deno.test("openCatalog() puts the operator before the catalog, and the catalog before a guess", async () => {
  const catalog = await catalogOf({ "anthropic:claude-sonnet-4-5": { contextTokens: 5000 } });
  const own = catalog.facts("claude-sonnet-4-5");
  assertEquals([own.contextTokens, own.source, own.prices?.input], [5000, "operator", 3]);
  const known = catalog.facts("claude-opus-4-5-20251101");
  assertEquals([known.contextTokens, known.source, known.maxOutputTokens], [
    200_000,
    "catalog",
    64_000,
  ]);
  assertEquals(catalog.facts("nobody-knows"), { contextTokens: 200_000, source: "guess" });
  assertEquals(catalog.unpriced().facts("claude-opus-4-5").prices, undefined);
});

Deno.test("openCatalog() takes the context that the environment names for every model", async () => {
  const catalog = await catalogOf({}, { SKEP_MAX_CONTEXT_TOKENS: "1234" });
  for (const model of ["claude-sonnet-4-5", "nobody-knows"]) {
    const { contextTokens, source } = catalog.facts(model);
    assertEquals([contextTokens, source], [1234, "operator"]);
  }
});
