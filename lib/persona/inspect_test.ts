import { assertEquals } from "@std/assert";
import { folderWith, packOf, PERSONA } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { GrantedAtMost } from "../sandbox/granted_at_most.ts";
import { type InspectedPersona, inspectPersona, type Operator } from "./inspect.ts";
import { loadPack } from "./pack.ts";

const NOBODY: Operator = {
  fields: {},
  limits: DEFAULT_LIMITS,
  limitOrigin: () => "built-in",
  workspace: "/work",
  os: "linux",
  isUnconfined: false,
  env: () => undefined,
};

async function inspect(
  frontmatter: string,
  manifest: Readonly<Record<string, unknown>> = {},
  operator: Partial<Operator> = {},
): Promise<InspectedPersona> {
  await using folder = await folderWith({
    ...packOf(manifest),
    "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${frontmatter}`),
    ".mcp.json": `{"mcpServers": {
      "shared": {"command": "x", "env": {"TOKEN": "hush"}}, "idle": {"command": "x", "disabled": true}}}`,
    "instructions.md": "Team",
    "x.ts": "",
  });
  const { pack } = await loadPack(folder.path, denoFiles(), DEFAULT_LIMITS);
  return inspectPersona(pack.personas[0]!, pack, { ...NOBODY, ...operator });
}

Deno.test("inspectPersona() gives each field with its origin, the operator's above all", async () => {
  const { fields } = await inspect(
    "model: a:own\nthinking: low",
    { defaults: { model: "a:pack", temperature: 0.5, subscribe: [] } },
    { fields: { thinking: { value: "max", origin: "SKEP_THINKING_EFFORT" } } },
  );
  assertEquals(fields, {
    triggers: { value: { mentions: true, keywords: [], all_messages: false }, origin: "built-in" },
    thread_replies: { value: true, origin: "built-in" },
    broadcast_replies: { value: false, origin: "built-in" },
    model: { value: "a:own", origin: "persona" },
    temperature: { value: 0.5, origin: "pack defaults" },
    subscribe: { value: [], origin: "pack defaults" },
    thinking: { value: "max", origin: "SKEP_THINKING_EFFORT" },
  });
});

Deno.test("inspectPersona() names variables and shows none of their values", async () => {
  const found = await inspect(
    "env: { A: hush }\nmcp_servers: [{ name: own, command: y, args: [z] }]",
  );
  assertEquals(
    found.servers.map(({ name, command, env, origin }) => [name, command, env, origin]),
    [
      ["shared", ["x"], ["TOKEN"], "pack"],
      ["own", ["y", "z"], [], "persona"],
    ],
  );
  assertEquals(found.env, [{ name: "A", origin: "persona" }]);
  assertEquals(JSON.stringify(found).includes("hush"), false);
  assertEquals([found.prompt_bytes, found.team_instructions_bytes], [5, 4]);
});

Deno.test("inspectPersona() names what nothing reads in a chat or under ACP", async () => {
  const own = "subscribe: ['#a']\nreply: { thread: false }\nruntime: goose\ntemperature: 1\n" +
    "provider: { seed: 1, plugins: [] }";
  assertEquals((await inspect(own)).not_used, [
    "subscribe",
    "thread_replies",
    "provider.plugins",
    "runtime",
  ]);
  assertEquals((await inspect("runtime: skep")).not_used, []);
  assertEquals((await inspect("hints: true", { defaults: { respond_to: "nobody" } })).not_used, [
    "respond_to",
  ]);
});

Deno.test("servers that are switched off were not shown, nor who said so", async () => {
  const { servers, servers_off } = await inspect(
    "mcp_servers: [{ name: shared, enabled: false }, { name: own, command: y, enabled: false }]",
  );
  assertEquals(servers, []);
  assertEquals(servers_off, [
    { name: "idle", origin: "pack" },
    { name: "shared", origin: "persona" },
    { name: "own", origin: "persona" },
  ]);
});

Deno.test("permissions, approvals, limits, secrets and hints were shown without who said so", async () => {
  const policy = {
    file: "/etc/policy.yaml",
    permissions: { net: [] },
    servers: {},
    sandbox: {},
    approvals: [{ ask: "*" }],
  };
  const found = await inspect(
    "permissions: { read: ['${WORKSPACE}'] }\nsecrets: { T: 'env:GH' }\n" +
      "limits: { max_rounds: 5, max_servers: 99 }\nhints: true",
    {},
    {
      policy,
      limits: { ...DEFAULT_LIMITS, maxServers: 3 },
      limitOrigin: () => "SKEP_MAX_SERVERS",
      hintsOffBy: "--no-hints",
    },
  );
  assertEquals(found.permissions, [
    { value: { read: ["${WORKSPACE}"] }, origin: "persona" },
    { value: { net: [] }, origin: "/etc/policy.yaml" },
  ]);
  assertEquals(found.approvals, [{ value: [{ ask: "*" }], origin: "/etc/policy.yaml" }]);
  assertEquals(found.limits, {
    max_rounds: { value: 5, origin: "persona" },
    max_servers: { value: 3, origin: "SKEP_MAX_SERVERS" },
  });
  assertEquals(found.secrets, [{ name: "T", origin: "persona", source: "env:GH" }]);
  assertEquals(found.hints, { value: false, origin: "--no-hints" });
  assertEquals((await inspect("hints: true")).hints, { value: true, origin: "persona" });
  assertEquals((await inspect("version: 1")).hints, { value: true, origin: "built-in" });
});

Deno.test("what servers ask for was shown, and nothing of what ceilings leave of it", async () => {
  const policy = {
    file: "/etc/policy.yaml",
    permissions: { net: ["*.example.org:443"], limits: { memory_mb: 512 }, secrets: {} },
    servers: { own: { permissions: { write: [] } } },
    sandbox: {},
  };
  const frontmatter = `permissions: { run: [bash], read: ["/work/a", "\${PACK}"] }
secrets: { TOK: "env:T" }
env: { B: x }
mcp_servers:
  - name: own
    command: y
    env: { KEY: "\${TOK}", PORT: "\${B}" }
    permissions:
      read: ["\${WORKSPACE}", "\${PACK}/data"]
      write: ["\${WORKSPACE}/out", "\${TMP}"]
      net: ["\${REGISTRIES}", "a.example.org:443"]
      run: [bash, git]
      sandbox: prefer
      limits: { memory_mb: 1024, processes: 9 }
  - { name: bad, command: y, args: ["\${NOPE}"] }
hooks:
  on_stop: x.ts`;
  const env = (name: string) =>
    name === "SKEP_REGISTRIES" ? "r.example.org, r.example.com" : undefined;
  const { file: persona, servers, hooks } = await inspect(frontmatter, {}, { policy, env });
  const [, own, bad] = servers;
  const by = "policy /etc/policy.yaml";
  assertEquals(own?.granted_at_most, {
    read: ["/work/a", "${PACK}/data"].map((path) => path.replace("/work", "${WORKSPACE}")),
    write: ["${TMP}"],
    net: ["r.example.org:443", "a.example.org:443"],
    run: ["bash"],
    env: ["PORT"],
    sys: [],
    secrets: [],
    limits: { memory_mb: 512, processes: 9 },
    sandbox: "prefer",
    cut: [
      { list: "write", value: "${WORKSPACE}/out", reason: `persona ${persona} does not allow it` },
      { list: "read", value: "${WORKSPACE}", reason: `persona ${persona} allows /work/a of it` },
      { list: "net", value: "r.example.com:443", reason: `${by} does not allow it` },
      { list: "run", value: "git", reason: `persona ${persona} does not allow it` },
      { list: "secrets", value: "KEY", reason: `${by} does not allow it` },
      { list: "limits", value: "memory_mb 1024", reason: `${by} allows 512` },
    ],
  });
  assertEquals(String(bad?.granted_at_most).split(":")[0], 'Cannot start server "bad"');
  assertEquals(hooks.on_stop?.granted_at_most, {
    read: ["${WORKSPACE}/a", "${PACK}"],
    write: ["${TMP}"],
    net: [],
    run: [],
    env: [],
    sys: [],
    secrets: [],
    limits: { memory_mb: 512 },
    sandbox: "require",
    cut: [{
      list: "read",
      value: "${WORKSPACE}",
      reason: `persona ${persona} allows /work/a of it`,
    }],
  });
});

Deno.test("a server with a url was shown as a program, with variables that nobody wrote", async () => {
  const { servers: [, far] } = await inspect(`secrets: { TOK: "env:T" }
mcp_servers:
  - name: far
    url: https://h.example/mcp?key=hush
    headers: { Authorization: "Bearer \${TOK}" }`);
  const { url, headers, env, granted_at_most } = far!;
  assertEquals([url, headers, env], ["https://h.example", ["authorization"], []]);
  const { net, env: names, secrets } = granted_at_most as GrantedAtMost;
  assertEquals([net, names, secrets], [["h.example:443"], [], ["TOK"]]);
  assertEquals(JSON.stringify(far).includes("hush"), false);
});

Deno.test("sandbox: off was shown as granted, though a pack's server is taken for prefer", async () => {
  const frontmatter = `permissions: { read: ["\${WORKSPACE}"] }
hooks: { on_stop: x.ts }
mcp_servers: [{ name: own, command: y, args: ["--token", abc], permissions: { sandbox: off } }]`;
  const { servers, hooks } = await inspect(frontmatter, {}, {});
  const own = servers.find(({ name }) => name === "own");
  const granted = own?.granted_at_most;
  assertEquals([typeof granted === "object" && granted.sandbox, own?.command], ["prefer", [
    "y",
    "--token",
    "[secret]",
  ]]);
  const atMost = hooks.on_stop?.granted_at_most;
  const isGrant = typeof atMost === "object";
  assertEquals(isGrant && [atMost.read, atMost.write], [["${WORKSPACE}"], ["${TMP}"]]);
});
