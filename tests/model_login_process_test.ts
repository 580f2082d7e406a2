// Logins at Databricks, keys from files and commands, and lists of models, at a real HTTP server.
// Needs --allow-net=127.0.0.1,localhost --allow-write, --allow-run=/bin/sh, and what the AI SDK's packages
// ask for when they are loaded: --allow-env --allow-sys=hostname.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SkepError } from "../lib/errors.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { modelChooser } from "../lib/model/choices.ts";
import { readOperatorFile } from "../lib/model/operator_file.ts";
import { findProvider } from "../lib/model/providers.ts";
import { resolveModel } from "../lib/model/resolve.ts";
import type { ModelWorld } from "../lib/model/world.ts";
import { type FakeReply, type FakeRequest, startFakeProvider } from "./fake_provider.ts";
import { tempFolder } from "./harness.ts";
import { LIMITS, OK, run, textOf } from "./model_harness.ts";

const DISCOVERY = "/oidc/.well-known/oauth-authorization-server";

/** What the workspace's login server knows, and how often it was asked. */
interface Login {
  /** Access tokens that the model endpoints take. */
  accepted: Set<string>;
  /** The next answer of the token endpoint. */
  grants: FakeReply[];
  readonly forms: URLSearchParams[];
}

const grant = (access: string, more: object = {}): FakeReply => ({
  status: 200,
  body: JSON.stringify({ access_token: access, expires_in: 3600, refresh_token: "r-1", ...more }),
});

function startWorkspace() {
  const login: Login = { accepted: new Set(), grants: [], forms: [] };
  const fake = startFakeProvider((request: FakeRequest): FakeReply => {
    const { path, headers, body } = request;
    if (path === DISCOVERY) {
      return {
        status: 200,
        body: JSON.stringify({
          authorization_endpoint: `${fake.url}/oidc/v1/authorize`,
          token_endpoint: `${fake.url}/oidc/v1/token`,
        }),
      };
    }
    if (path === "/oidc/v1/token") {
      login.forms.push(new URLSearchParams(body));
      return login.grants.shift() ?? { status: 400, body: '{"error":"invalid_grant"}' };
    }
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    return login.accepted.has(token) ? OK : { status: 401, body: '{"message":"expired"}' };
  });
  return { fake, login };
}

/** A world whose person, if there is one, follows the address that is shown to them. */
function worldOf(
  url: string,
  configFolder: string,
  visit?: (address: URL) => Promise<unknown>,
): ModelWorld & { visits: Promise<unknown>[] } {
  const { files, fetch, sleep, nowMs, cwd, spawn } = denoHost();
  const visits: Promise<unknown>[] = [];
  const show = (line: string) => {
    const address = /https?:\S+/.exec(line)?.[0];
    if (address !== undefined) visits.push(visit!(new URL(address)));
  };
  return {
    ...{ files, fetch, sleep, nowMs, cwd, spawn, configFolder, visits },
    env: (name) => ({ DATABRICKS_HOST: url, PATH: "/usr/bin:/bin" })[name],
    limits: { ...LIMITS, loginTimeoutS: 6 },
    ...(visit === undefined ? {} : { warn: show }),
  };
}

/** Comes back from the login page, as a browser does. */
async function comeBack(address: URL, answer: Record<string, string>): Promise<number> {
  const back = new URL(address.searchParams.get("redirect_uri")!);
  for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
  const response = await fetch(back);
  await response.body?.cancel();
  return response.status;
}

const say = async (world: ModelWorld) => await run(await resolveModel("databricks:m", world));

async function cacheFile(folder: string): Promise<string> {
  const names = await Array.fromAsync(Deno.readDir(join(folder, "oauth")), ({ name }) => name);
  assertEquals(names.length, 1);
  return join(folder, "oauth", names[0]!);
}

Deno.test("a login in the browser gives a token, which is kept for this user alone", async () => {
  await using folder = await tempFolder();
  const { fake, login } = startWorkspace();
  await using _ = fake;
  login.accepted.add("a-1");
  login.grants.push(grant("a-1"));
  const statuses: number[] = [];
  let challenge = "";
  const world = worldOf(fake.url, folder.path, async (address) => {
    assertEquals(address.origin + address.pathname, `${fake.url}/oidc/v1/authorize`);
    const fields = Object.fromEntries(address.searchParams);
    challenge = fields.code_challenge!;
    assertEquals(
      [fields.client_id, fields.scope, fields.code_challenge_method, fields.response_type],
      ["databricks-cli", "all-apis offline_access", "S256", "code"],
    );
    statuses.push(await comeBack(address, { code: "stolen", state: "not-ours" }));
    statuses.push(await comeBack(address, { code: "c-1", state: fields.state! }));
  });
  const { parts, error } = await say(world);
  await Promise.all(world.visits);
  assertEquals([textOf(parts), error, statuses], ["fine", undefined, [400, 200]]);
  const [form] = login.forms;
  assertEquals([form?.get("grant_type"), form?.get("code")], ["authorization_code", "c-1"]);
  const verifier = new TextEncoder().encode(form?.get("code_verifier") ?? "");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
  assertEquals(digest.toBase64({ alphabet: "base64url", omitPadding: true }), challenge);
  const path = await cacheFile(folder.path);
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  // Another program finds it, and asks nobody.
  assertEquals(textOf((await say(worldOf(fake.url, folder.path))).parts), "fine");
  assertEquals(login.forms.length, 1);
});

Deno.test("nobody who logs in, or one who is refused, is an error that says what to do", async () => {
  await using folder = await tempFolder();
  const { fake } = startWorkspace();
  await using _ = fake;
  const nobody = await say(worldOf(fake.url, folder.path));
  assertEquals(nobody.error?.code, "PROVIDER_AUTH_FAILED");
  assertStringIncludes(
    nobody.error?.message ?? "",
    "nobody is there to log in. Set DATABRICKS_TOKEN",
  );
  const world = worldOf(
    fake.url,
    folder.path,
    (address) =>
      comeBack(address, { error: "<b>denied</b>", state: address.searchParams.get("state")! }),
  );
  assertStringIncludes((await say(world)).error?.message ?? "", "the login was refused");
  await Promise.all(world.visits);
});

/** Keeps a token as an earlier login would have. */
async function keep(folder: string, url: string, fields: object, mode = 0o600): Promise<string> {
  const text = [url, "databricks-cli", "all-apis offline_access"].join();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const path = join(folder, "oauth", `databricks-${new Uint8Array(digest).toHex()}.json`);
  await Deno.mkdir(join(folder, "oauth"), { recursive: true });
  await Deno.writeTextFile(path, JSON.stringify(fields), { mode });
  await Deno.chmod(path, mode);
  return path;
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

Deno.test("an expired token is refreshed silently, once for requests that start together", async () => {
  await using folder = await tempFolder();
  const { fake, login } = startWorkspace();
  await using _ = fake;
  const path = await keep(folder.path, fake.url, {
    access_token: "a-0",
    refresh_token: "r-0",
    expires_at: 1,
  });
  login.accepted.add("a-1");
  login.grants.push(grant("a-1", { refresh_token: undefined }));
  const model = await resolveModel("databricks:m", worldOf(fake.url, folder.path));
  const replies = await Promise.all([run(model), run(model), run(model)]);
  assertEquals(replies.map(({ parts }) => textOf(parts)), ["fine", "fine", "fine"]);
  assertEquals(login.forms.map((form) => form.get("refresh_token")), ["r-0"]);
  const kept = JSON.parse(await Deno.readTextFile(path));
  assertEquals([kept.access_token, kept.refresh_token], ["a-1", "r-0"]); // the old one, as none came
});

Deno.test("a token that is refused is refreshed though it lasts, or another program's is taken", async () => {
  await using folder = await tempFolder();
  const { fake, login } = startWorkspace();
  await using _ = fake;
  const old = { access_token: "a-0", refresh_token: "r-0", expires_at: inAnHour() };
  await keep(folder.path, fake.url, old);
  login.accepted.add("a-1");
  login.grants.push(grant("a-1"));
  const world = worldOf(fake.url, folder.path);
  const model = await resolveModel("databricks:m", world);
  assertEquals(textOf((await run(model)).parts), "fine");
  assertEquals(login.forms.length, 1);
  login.accepted = new Set(["a-2"]);
  await keep(folder.path, fake.url, { ...old, access_token: "a-2" });
  assertEquals(textOf((await run(model)).parts), "fine");
  assertEquals(login.forms.length, 1);
});

Deno.test("a refused token without a refresh token is final, and opens no browser", async () => {
  await using folder = await tempFolder();
  const { fake, login } = startWorkspace();
  await using _ = fake;
  await keep(folder.path, fake.url, { access_token: "a-0", expires_at: inAnHour() });
  const world = worldOf(fake.url, folder.path, () => Promise.reject(new Error("no browser")));
  const { error } = await say(world);
  assertEquals([error?.code, login.forms.length, world.visits.length], [
    "PROVIDER_AUTH_FAILED",
    0,
    0,
  ]);
  assertEquals(error?.message.includes("a-0"), false);
});

Deno.test("a kept token that others can read is made private, a link is not followed", async () => {
  await using folder = await tempFolder();
  const { fake, login } = startWorkspace();
  await using _ = fake;
  login.accepted.add("a-0");
  const token = { access_token: "a-0", refresh_token: "r-0", expires_at: inAnHour() };
  const path = await keep(folder.path, fake.url, token, 0o644);
  assertEquals(textOf((await say(worldOf(fake.url, folder.path))).parts), "fine");
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  await Deno.rename(path, join(folder.path, "elsewhere.json"));
  await Deno.symlink(join(folder.path, "elsewhere.json"), path);
  assertEquals((await say(worldOf(fake.url, folder.path))).error?.code, "PROVIDER_AUTH_FAILED");
});

Deno.test("a workspace that names another host's login is not believed", async () => {
  await using folder = await tempFolder();
  await using fake = startFakeProvider(() => ({
    status: 200,
    body: JSON.stringify({
      authorization_endpoint: "https://evil.test/authorize",
      token_endpoint: "https://evil.test/token",
    }),
  }));
  const { error } = await say(worldOf(fake.url, folder.path, () => Promise.resolve()));
  assertStringIncludes(error?.message ?? "", "names no authorization_endpoint of its own");
});

Deno.test("a key comes from a file, or from a command that is run again after a refusal", async () => {
  await using folder = await tempFolder();
  await using fake = startFakeProvider(({ headers }) =>
    headers["x-api-key"] === "key-2" ? OK : { status: 401, body: "no" }
  );
  const count = join(folder.path, "count");
  await Deno.writeTextFile(count, "0");
  const script = `n=$(($(cat ${count})+1)); echo $n > ${count}; echo key-$n`;
  await Deno.writeTextFile(
    join(folder.path, "models.yaml"),
    JSON.stringify({ providers: { anthropic: { key_command: ["/bin/sh", "-c", script] } } }),
  );
  const world: ModelWorld = { ...worldOf(fake.url, folder.path), env: (name) => fakeUrl[name] };
  const fakeUrl: Record<string, string> = { ANTHROPIC_BASE_URL: fake.url, PATH: "/usr/bin:/bin" };
  const model = await resolveModel("anthropic:claude-sonnet-5", world);
  assertEquals(textOf((await run(model)).parts), "fine");
  assertEquals(fake.requests.map(({ headers }) => headers["x-api-key"]), ["key-1", "key-2"]);
  const file = join(folder.path, "key");
  await Deno.writeTextFile(file, "key-2\n", { mode: 0o600 });
  fakeUrl.ANTHROPIC_API_KEY_FILE = file;
  assertEquals(textOf((await run(await resolveModel(model.id, world))).parts), "fine");
});

/** The models that a provider lists, with what is known of their context. */
async function listed(name: string, world: ModelWorld): Promise<unknown[]> {
  const operator = await readOperatorFile(world);
  const { models } = await findProvider(name, operator)!.list!(world, operator);
  return models.map(({ id, facts }) => [id, facts.contextTokens, facts.source]);
}

Deno.test("models are listed in each provider's own form, page by page", async () => {
  await using folder = await tempFolder();
  const pages: Record<string, object> = {
    "/v1/models?limit=1000": {
      data: [{ id: "claude-sonnet-4-5", type: "model" }],
      has_more: true,
      last_id: "claude-sonnet-4-5",
    },
    "/v1/models?limit=1000&after_id=claude-sonnet-4-5": {
      data: [{ id: "new-one" }],
      has_more: false,
    },
    "/v1/models": { data: [{ id: "qwen3", max_model_len: 4096 }, { id: "qwen3" }] },
    "/api/v1/models": { data: [{ id: "x/y", context_length: 32_000 }] },
    "/v1beta/models?pageSize=1000": {
      models: [
        {
          name: "models/g",
          inputTokenLimit: 9000,
          supportedGenerationMethods: ["generateContent"],
        },
        { name: "models/embed", supportedGenerationMethods: ["embedContent"] },
      ],
      nextPageToken: "p2",
    },
    "/v1beta/models?pageSize=1000&pageToken=p2": {
      models: [{ name: "models/h" }],
      nextPageToken: "p2",
    },
    "/api/2.0/serving-endpoints": {
      endpoints: [
        { name: "ready", state: { ready: "READY" }, task: "llm/v1/chat" },
        { name: "starting", state: { ready: "NOT_READY" }, task: "llm/v1/chat" },
        { name: "embeds", task: "llm/v1/embeddings" },
        { name: "says-nothing" },
      ],
    },
    "/api/ai-gateway/v2/endpoints?page_size=100": {
      endpoints: [
        { name: "old", created_timestamp: "1000" },
        { name: "bge-large", created_timestamp: 3000 },
        { name: "my-embedding", created_timestamp: 3000 },
        { name: "new", created_timestamp: 2000 },
        { name: "undated" },
      ],
    },
  };
  await using fake = startFakeProvider(({ path }) =>
    path in pages
      ? { status: 200, body: JSON.stringify(pages[path]) }
      : { status: 404, body: "no such page" }
  );
  const world = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
  assertEquals(await listed("anthropic", world), [
    ["claude-sonnet-4-5", 200_000, "catalog"],
    ["new-one", 200_000, "guess"],
  ]);
  assertEquals(await listed("openai-compatible", world), [["qwen3", 4096, "provider"]]);
  assertEquals(await listed("openrouter", world), [["x/y", 32_000, "provider"]]);
  assertEquals(await listed("google", world), [["g", 9000, "provider"], ["h", 200_000, "guess"]]);
  const names = async (name: string) =>
    (await listed(name, world)).map((each) => (each as string[])[0]);
  assertEquals(await names("databricks"), ["ready", "says-nothing"]);
  assertEquals(await names("databricks_v2"), ["new", "old", "undated"]);
  const azure = await names("azure");
  assert(azure.includes("gpt-5.5-2026-04-23"), azure.join());
});

Deno.test("a gateway of Databricks that lists nothing has its usual models, and says so", async () => {
  await using folder = await tempFolder();
  const page = { endpoints: [{ name: "bge-large" }] };
  await using fake = startFakeProvider([{ status: 200, body: JSON.stringify(page) }]);
  const world = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
  const operator = await readOperatorFile(world);
  const { models, notice } = await findProvider("databricks_v2", operator)!.list!(world, operator);
  assertEquals(models.map(({ id, listedBy }) => `${id} ${listedBy}`), [
    "databricks-gpt-5-5 catalog",
    "databricks-claude-opus-4-7 catalog",
  ]);
  assertEquals(notice, "the workspace lists no endpoint that chats; these are the usual ones");
});

Deno.test("Bedrock's profiles and models are listed, with a key or signed by an account's", async () => {
  await using folder = await tempFolder();
  const pages: Record<string, object> = {
    "/inference-profiles?maxResults=1000": {
      inferenceProfileSummaries: [
        { inferenceProfileId: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", status: "ACTIVE" },
        { inferenceProfileId: "eu.gone", status: "INACTIVE" },
      ],
      nextToken: "p/2",
    },
    "/inference-profiles?maxResults=1000&nextToken=p%2F2": {
      inferenceProfileSummaries: [{ inferenceProfileId: "eu.amazon.nova-pro-v1:0" }],
    },
    "/foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND": {
      modelSummaries: [
        { modelId: "acme.new-v1:0", modelLifecycle: { status: "ACTIVE" } },
        { modelId: "acme.old-v1:0", modelLifecycle: { status: "LEGACY" } },
        { modelId: "acme.whole-v1:0", responseStreamingSupported: false },
      ],
    },
  };
  await using fake = startFakeProvider(({ path }) =>
    path in pages ? { status: 200, body: JSON.stringify(pages[path]) } : { status: 404, body: "no" }
  );
  const expected = [
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, "catalog"],
    ["eu.amazon.nova-pro-v1:0", 200_000, "guess"],
    ["acme.new-v1:0", 200_000, "guess"],
  ];
  const place = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
  assertEquals(await listed("amazon-bedrock", place), expected);
  const key = fake.env.AWS_BEARER_TOKEN_BEDROCK;
  assertEquals(
    fake.requests.map(({ headers }) => headers.authorization),
    Array(3).fill(`Bearer ${key}`),
  );
  const account: Record<string, string> = {
    AWS_ENDPOINT_URL_BEDROCK: fake.url,
    AWS_REGION: "eu-test-1",
    AWS_ACCESS_KEY_ID: "AKIATEST",
    AWS_SECRET_ACCESS_KEY: "s3cret-of-the-account",
    AWS_SESSION_TOKEN: "session-1",
  };
  const signed = { ...worldOf(fake.url, folder.path), env: (name: string) => account[name] };
  assertEquals(await listed("amazon-bedrock", signed), expected);
  const { headers } = fake.requests[3]!;
  assertStringIncludes(headers.authorization!, "AWS4-HMAC-SHA256 Credential=AKIATEST/");
  assertStringIncludes(headers.authorization!, "/eu-test-1/bedrock/aws4_request");
  assertEquals(headers["x-amz-security-token"], "session-1");
  assertEquals(JSON.stringify(headers).includes("s3cret"), false);
});

Deno.test("the models to choose from are those of the model's provider, it first", async () => {
  await using folder = await tempFolder();
  const page = JSON.stringify({ data: [{ id: "a" }, { id: "b" }] });
  const answers: FakeReply[] = [{ status: 401, body: "no" }, { status: 200, body: page }];
  await using fake = startFakeProvider(answers);
  const world = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
  const choose = modelChooser(world);
  const ids = async (current: string) => (await choose(current)).map(({ id }) => id);
  const [A, B, C] = ["a", "b", "c"].map((model) => `openai-compatible:${model}`) as [
    string,
    string,
    string,
  ];
  assertEquals(await ids(B), [B]); // it could not be asked, which is not kept
  assertEquals(await ids(B), [B, A]);
  assertEquals(await ids(C), [C, A, B]); // what it answered is
  assertEquals([await ids("offline"), fake.requests.length], [["offline"], 2]);
});

Deno.test("model_discovery_surfaces_rejected_static_token_as_auth_failure", async () => {
  await using folder = await tempFolder();
  await using fake = startFakeProvider([{ status: 401, body: "the token dapi-fake is bad" }]);
  const world = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
  const error = await assertRejects(() => modelChooser(world)("databricks:m"), SkepError);
  assertEquals([error.code, fake.requests.length], ["PROVIDER_AUTH_FAILED", 1]);
});

Deno.test("oauth_missing_token_uses_configured_model_then_retries_discovery", async () => {
  await using folder = await tempFolder();
  await using fake = startFakeProvider(() => ({ status: 401, body: "no" }));
  const env = (name: string) => name === "DATABRICKS_HOST" ? fake.url : undefined;
  const choose = modelChooser({ ...worldOf(fake.url, folder.path), env });
  const alone = [{ id: "databricks:m", name: "databricks:m" }];
  assertEquals(await choose("databricks:m"), alone);
  const asked = fake.requests.length;
  assertEquals([await choose("databricks:m"), fake.requests.length > asked], [alone, true]);
});

Deno.test("a model that no catalog knows has the context that its provider lists", async () => {
  await using folder = await tempFolder();
  const list = {
    data: [{ id: "x/new", context_length: 4321, top_provider: { max_completion_tokens: 99 } }],
  };
  await using fake = startFakeProvider(() => ({ status: 200, body: JSON.stringify(list) }));
  const world = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
  const { facts, notice } = await resolveModel("openrouter:x/new", world);
  assertEquals([facts?.contextTokens, facts?.maxOutputTokens, facts?.source, notice], [
    4321,
    99,
    "provider",
    undefined,
  ]);
  const other = await resolveModel("openrouter:x/other", world);
  assertEquals(other.facts?.source, "guess");
  await resolveModel("openrouter:anthropic/claude-sonnet-4.5", world);
  assertEquals(fake.requests.length, 2); // a model that is known is not asked for
});

Deno.test("a provider that does not say its contexts in time is not waited for", async () => {
  await using folder = await tempFolder();
  await using fake = startFakeProvider(["hang"]);
  const limits = { ...LIMITS, discoverTimeoutS: 1 };
  const world = {
    ...worldOf(fake.url, folder.path),
    env: (name: string) => fake.env[name],
    limits,
  };
  const { facts } = await resolveModel("openrouter:x/new", world);
  assertEquals(facts?.source, "guess");
});

Deno.test("a program that takes long to give a key does not hold up the opening of a model", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(
    join(folder.path, "models.yaml"),
    JSON.stringify({
      providers: {
        mine: { base_url: "http://127.0.0.1:9/v1", key_command: ["/bin/sleep", "4242"] },
      },
    }),
  );
  const stop = new AbortController();
  const limits = { ...LIMITS, discoverTimeoutS: 1 };
  const world = { ...worldOf("", folder.path), limits, signal: stop.signal };
  const model = await resolveModel("mine:x", world);
  assertEquals(model.facts?.source, "guess");
  stop.abort(); // the program is ended with us
});

Deno.test("a list that is not there, is none, or is refused says so", async () => {
  await using folder = await tempFolder();
  const answers: [FakeReply, SkepError["code"], string][] = [
    [{ status: 404, body: "no" }, "PROVIDER_FAILED", "has no list of models at"],
    [
      { status: 401, body: "no" },
      "PROVIDER_AUTH_FAILED",
      "refused the key in OPENAI_COMPAT_API_KEY",
    ],
    [{ status: 200, body: "{}" }, "PROVIDER_FAILED", "sent a list of models that cannot be read"],
    [{ status: 200, body: "nope" }, "PROVIDER_FAILED", "sent a list of models that cannot be read"],
    [
      { status: 200, headers: { "content-type": "text/html" }, body: "<p>" },
      "PROVIDER_FAILED",
      "answered with text/html, not with JSON",
    ],
  ];
  for (const [reply, code, why] of answers) {
    await using fake = startFakeProvider([reply]);
    const world = { ...worldOf(fake.url, folder.path), env: (name: string) => fake.env[name] };
    const error = await assertRejects(() => listed("openai-compatible", world), SkepError, why);
    assertEquals(error.code, code);
  }
});

Deno.test("models.yaml makes a provider of its own, and settles facts", async () => {
  await using folder = await tempFolder();
  await using fake = startFakeProvider([OK]);
  await Deno.writeTextFile(
    join(folder.path, "models.yaml"),
    JSON.stringify({
      providers: { groq: { base_url: `${fake.url}/v1/`, key_variable: "MY_KEY" } },
      models: { "groq:llama:70b": { context_tokens: 4000, prices: { input: 1, output: 2 } } },
    }),
  );
  const env: Record<string, string> = { MY_KEY: "gsk-1" };
  const world = { ...worldOf(fake.url, folder.path), env: (name: string) => env[name] };
  const model = await resolveModel("groq:llama:70b", world);
  assertEquals([model.id, model.facts?.contextTokens, model.notice], [
    "groq:llama:70b",
    4000,
    undefined,
  ]);
  assertEquals(textOf((await run(model)).parts), "fine");
  assertEquals([fake.requests[0]?.path, fake.requests[0]?.headers.authorization], [
    "/v1/chat/completions",
    "Bearer gsk-1",
  ]);
  const error = await assertRejects(() => resolveModel("grok:x", world), SkepError);
  assertStringIncludes(error.message, "did you mean groq?");
});
