import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { readNewSession } from "./new_session.ts";

const CLIENT = { kind: "client", where: "session/new" } as const;

function problemOf(entry: unknown): string | undefined {
  const { request, problems } = readNewSession({ cwd: "/w", mcpServers: [entry] });
  assertEquals([request.servers.length, problems.length], [0, 1]);
  return problems[0];
}

Deno.test("readNewSession() reads a stdio server as its editor wrote it (T34)", () => {
  const { request, problems } = readNewSession({
    cwd: "/w",
    mcpServers: [
      { name: "a", command: "/bin/a", args: ["--x", "a b"], env: [{ name: "K", value: "v" }] },
      { type: "stdio", name: "b", command: "npx" },
    ],
  });
  assertEquals(request.servers, [
    { name: "a", command: "/bin/a", args: ["--x", "a b"], env: { K: "v" }, origin: CLIENT },
    { name: "b", command: "npx", args: [], env: {}, origin: CLIENT },
  ]);
  assertEquals(problems, []);
});

Deno.test("readNewSession() reads what a server asks for in _meta.skep.permissions, and leaves one out that asks badly", () => {
  const entry = { name: "a", command: "c" };
  const permissions = { read: ["${WORKSPACE}"], write: ["${WORKSPACE}/out"], net: [] };
  const { request } = readNewSession({
    cwd: "/w",
    mcpServers: [{ ...entry, _meta: { skep: { permissions }, other: 1 } }, { ...entry, _meta: {} }],
  });
  assertEquals(request.servers.map((spec) => spec.permissions), [permissions, undefined]);
  assertEquals(
    problemOf({ ...entry, _meta: { skep: { permissions: { reed: [] } } } })?.split(": ")[0],
    'MCP server "a" was left out',
  );
  assertEquals(
    problemOf({ ...entry, _meta: { skep: { permissions: "all" } } })?.includes("permissions"),
    true,
  );
});

Deno.test("readNewSession() leaves a bad server out and says why (T28)", () => {
  assertEquals(problemOf(3), "MCP server 1 was left out: it must be an object");
  assertEquals(
    problemOf({ type: "ws", name: "h", url: "http://x" }),
    'MCP server "h" was left out: its type is "ws", not "stdio", "http" or "sse"',
  );
  assertEquals(
    problemOf({ type: "http", name: "h", url: "x" }),
    'MCP server "h" was left out: it has a url that is no address of https: or http:',
  );
  assertEquals(
    problemOf({ type: "sse", name: "h", url: "https://x", headers: [{ name: "A" }] }),
    'MCP server "h" was left out: headers must be an array of {name, value}, both texts',
  );
  assertEquals(
    problemOf({ type: "http", name: "h", url: "https://x", command: "c" }),
    'MCP server "h" was left out: it has a command and a url: leave one out',
  );
  assertEquals(problemOf({ command: "c" }), "MCP server 1 was left out: name must be text");
  assertEquals(problemOf({ name: "n" }), 'MCP server "n" was left out: command must be text');
  assertEquals(
    problemOf({ name: "n", command: "c", args: "-x" }),
    'MCP server "n" was left out: args must be an array of texts',
  );
  assertEquals(
    problemOf({ name: "n", command: "c", env: { K: "s3cret" } }),
    'MCP server "n" was left out: env must be an array of {name, value}',
  );
  assertEquals(
    problemOf({ name: "n", command: "c", env: [{ name: "K", value: 1 }] }),
    'MCP server "n" was left out: env must be an array of {name, value}, both texts',
  );
});

Deno.test("readNewSession() reads a server with an address, whose one host is its grant", () => {
  const headers = [{ name: "Authorization", value: "Bearer ${X}" }];
  const far = { type: "http", name: "far", url: "https://mcp.example.com/mcp", headers };
  const { request, problems } = readNewSession({ cwd: "/w", mcpServers: [far] });
  assertEquals(problems, []);
  assertEquals(request.servers, [{
    name: "far",
    command: "skep",
    args: ["mcp", "bridge", "--http"],
    env: {
      BRIDGE_URL: "https://mcp.example.com/mcp",
      BRIDGE_SECRET_HEADER_AUTHORIZATION: "Bearer ${X}",
    },
    permissions: { net: ["mcp.example.com:443"] },
    origin: CLIENT,
  }]);
});

Deno.test("readNewSession() keeps the good servers beside a bad one (T28)", () => {
  const good = { name: "good", command: "c" };
  const { request, problems } = readNewSession({ cwd: "/w", mcpServers: [{}, good, null] });
  assertEquals(request.servers.map(({ name }) => name), ["good"]);
  assertEquals(problems.length, 2);
});

Deno.test("readNewSession() needs no list of servers", () => {
  assertEquals(readNewSession({ cwd: "/w" }), {
    request: { cwd: "/w", servers: [] },
    problems: [],
  });
  assertEquals(readNewSession({ cwd: "/w", mcpServers: null }).request.servers, []);
});

Deno.test("readNewSession() takes a system prompt, and a blank one for none", () => {
  const promptOf = (systemPrompt: unknown) =>
    readNewSession({ cwd: "/w", systemPrompt }).request.systemPrompt;
  assertEquals(promptOf(" Be kind.\n"), " Be kind.\n");
  assertEquals(promptOf(" \n"), undefined);
  assertEquals(promptOf(null), undefined);
});

Deno.test("readNewSession() refuses what makes no session", () => {
  const refuse = (params: unknown, text: string) =>
    assertThrows(() => readNewSession(params), SkepError, text);
  refuse(undefined, "session/new: params must be an object");
  refuse({}, "session/new: cwd must be an absolute path, not missing");
  refuse({ cwd: "" }, 'session/new: cwd must be an absolute path, not ""');
  refuse({ cwd: "a/b" }, 'session/new: cwd must be an absolute path, not "a/b"');
  refuse({ cwd: "/w", mcpServers: {} }, "session/new: mcpServers must be an array");
  refuse({ cwd: "/w", systemPrompt: 1 }, "session/new: systemPrompt must be text");
});

Deno.test("readNewSession() takes folders that a session works in besides, by absolute paths", () => {
  const read = (additionalDirectories: unknown) =>
    readNewSession({ cwd: "/w", additionalDirectories }).request.addedFolders;
  assertEquals([read(undefined), read(null), read([])], [undefined, undefined, undefined]);
  assertEquals(read(["/a", "/b"]), ["/a", "/b"]);
  const many = Array.from({ length: LIMITS.maxAddedFolders.value }, (_, at) => `/${at}`);
  assertEquals(read(many), many);
  const refused = (given: unknown, why: string) =>
    assertThrows(() => read(given), SkepError, `session/new: additionalDirectories ${why}`);
  refused("/a", "must be an array");
  refused(["a"], 'must be absolute paths: "a" is none');
  refused([1], "must be absolute paths: 1 is none");
  refused(["/a\0"], 'must be absolute paths: "/a\\u0000" is none');
  refused([...many, "/more"], "has 17 entries: the limit is 16");
});
