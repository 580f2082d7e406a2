import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { parseServers, readServerFile, type ServerFile } from "./server_file.ts";

const ORIGIN = { kind: "file", where: "/w/mcp.json" } as const;

function read(text: string): Promise<ServerFile> {
  const files = { readText: () => Promise.resolve(text) };
  return readServerFile("/w/mcp.json", files, { maxConfigFileBytes: 1024 });
}

Deno.test("readServerFile() reads Claude desktop's form, with comments and trailing commas", async () => {
  const text = `{
    // servers
    "mcpServers": {
      "fs": { "command": "npx", "args": ["-y", "x", "a b"], "env": { "A": "\${B}" }, },
      "bare": { "command": "/bin/x", "permissions": { "net": ["loopback"] } },
      "off": { "command": "y", "disabled": true },
    },
  }`;
  assertEquals(await read(text), {
    specs: [
      { name: "fs", command: "npx", args: ["-y", "x", "a b"], env: { A: "${B}" }, origin: ORIGIN },
      {
        name: "bare",
        command: "/bin/x",
        args: [],
        env: {},
        origin: ORIGIN,
        permissions: { net: ["loopback"] },
      },
    ],
    problems: [],
    unusable: [],
    off: new Map([["off", "is switched off by its entry in /w/mcp.json"]]),
  });
});

Deno.test("readServerFile() reads VS Code's form", async () => {
  const { specs, problems } = await read('{"servers": {"a": {"type": "stdio", "command": "x"}}}');
  assertEquals([specs.map((spec) => spec.name), problems], [["a"], []]);
});

Deno.test("readServerFile() leaves a bad entry out, says why, and keeps the others (T28)", async () => {
  const text = `{"mcpServers": {
    "good": {"command": "x"},
    "none": {"args": []},
    "remote": {"url": "ftp://example.com/mcp"},
    "both": {"command": "x", "url": "https://example.com/mcp"},
    "number": {"command": "x", "args": [1]},
    "null": null,
    "text": "x",
    "off": {"command": "x", "disabled": "no"},
    "grant": {"command": "x", "permissions": {"raed": []}}
  }}`;
  const { specs, problems, unusable } = await read(text);
  assertEquals(specs.map((spec) => spec.name), ["good"]);
  assertEquals(unusable.map(({ name }) => name), [
    "none",
    "remote",
    "both",
    "number",
    "null",
    "text",
    "off",
    "grant",
  ]);
  assertEquals(problems, [
    'Server "none" is left out. Cannot use /w/mcp.json:3:5: the required field "mcpServers.none.command" is missing',
    'Server "remote" is left out. Cannot use /w/mcp.json:4:16: server "remote" has a url that is no address of https: or http:',
    'Server "both" is left out. Cannot use /w/mcp.json:5:30: server "both" has a command and a url: leave one out',
    'Server "number" is left out. Cannot use /w/mcp.json:6:32: "mcpServers.number.args" must be a list of texts, not [1]',
    'Server "null" is left out. Cannot use /w/mcp.json:7:5: it is null',
    'Server "text" is left out. Cannot use /w/mcp.json:8:5: "mcpServers.text" must be a mapping of names to values, not "x"',
    'Server "off" is left out. Cannot use /w/mcp.json:9:29: "mcpServers.off.disabled" must be true or false, not "no"',
    'Server "grant" is left out. Cannot use /w/mcp.json:10:47: Cannot grant permissions "raed" to server "grant": there is no such key; did you mean "read"?',
  ]);
});

Deno.test("readServerFile() keeps an entry with a field it does not use, and says so", async () => {
  const { specs, problems } = await read('{"mcpServers": {"a": {"command": "x", "argss": []}}}');
  assertEquals(specs.length, 1);
  assertEquals(problems, [
    '/w/mcp.json:1:39: the field "argss" of server "a" is not used, did you mean "args"?',
  ]);
});

Deno.test("parseServers() refuses a file that is no such file, with line and column", () => {
  const refusal = (text: string) => {
    const error = assertThrows(() => parseServers(text, "/w/mcp.json", ORIGIN), SkepError);
    assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: "/w/mcp.json" }]);
    return error.message;
  };
  assertEquals(
    refusal('{"mcpServers": {\n  "a": }}'),
    'Cannot use /w/mcp.json:2:8: it is not JSON, there is "}" where a value should be',
  );
  assertEquals(
    refusal("{}"),
    'Cannot use /w/mcp.json:1:1: it has none of "mcpServers", "servers", "context_servers"',
  );
  assertEquals(
    refusal("[]"),
    "Cannot use /w/mcp.json:1:1: it must be a mapping of names to values, not []",
  );
  assertEquals(
    refusal('{"mcpServers": []}'),
    'Cannot use /w/mcp.json:1:2: "mcpServers" must be a mapping of names to values, not []',
  );
});

Deno.test("readServerFile() passes its bound on and says what cannot be read", async () => {
  const asked: number[] = [];
  const files = {
    readText: (_path: string, maxBytes: number) => {
      asked.push(maxBytes);
      return Promise.resolve('{"mcpServers": {}}');
    },
  };
  const limits = { maxConfigFileBytes: 77 };
  assertEquals(await readServerFile("/w/a", files, limits), {
    specs: [],
    problems: [],
    unusable: [],
    off: new Map(),
  });
  assertEquals(asked, [77]);
  const broken = { readText: () => Promise.reject(new Error("no such file")) };
  const error = await assertRejects(() => readServerFile("/w/a", broken, limits), SkepError);
  assertEquals(
    [error.code, error.message],
    ["CONFIG_INVALID", 'Cannot use the server file "/w/a": no such file'],
  );
});
