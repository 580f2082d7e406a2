import { assertEquals } from "@std/assert";
import { parseServers } from "./server_file.ts";
import { mergeEntries, permissionsLeftOut, serverEntries } from "./server_import.ts";

const ORIGIN = { kind: "file", where: "/w/x.json" } as const;

Deno.test("serverEntries() gives what Zed, VS Code and Claude desktop write in one form", () => {
  const texts = [
    `{ // Zed
      "theme": "x",
      "context_servers": { "a": { "source": "custom",
        "command": { "path": "npx", "args": ["-y", "p"], "env": { "T": "\${T}" } } } } }`,
    `{ "servers": { "a": { "type": "stdio", "command": "npx", "args": ["-y", "p"],
      "env": { "T": "\${T}" } } }, "inputs": [] }`,
    `{ "mcpServers": { "a": { "command": ["npx", "-y", "p"], "env": { "T": "\${T}" }, }, } }`,
  ];
  for (const text of texts) {
    const { specs, notes, refused } = parseServers(text, "/w/x.json", ORIGIN);
    assertEquals([notes, refused], [[], []]);
    assertEquals(serverEntries(specs), {
      a: { command: "npx", args: ["-y", "p"], env: { T: "${T}" } },
    });
  }
});

Deno.test("serverEntries() gives a server with a url as it was written, without permissions", () => {
  const entry = {
    url: "https://example.com/mcp",
    type: "sse",
    headers: { "x-key": "Bearer ${T}", "a_b": "c" },
    permissions: { secrets: { T: "env:T" } },
  };
  const text = JSON.stringify({ mcpServers: { a: entry, b: { url: "https://example.com/" } } });
  const { specs, notes, refused } = parseServers(text, "/w/x.json", ORIGIN);
  assertEquals([notes, refused], [[], []]);
  const { permissions: _, ...written } = entry;
  assertEquals(serverEntries(specs), { a: written, b: { url: "https://example.com/" } });
});

Deno.test("serverEntries() took over what a workspace's file asks for, which was then granted unasked", () => {
  const text = `{ "mcpServers": {
    "a": { "command": "x", "permissions": { "run": ["*"], "net": ["*"] } }, "b": { "command": "y" },
    "c": { "url": "https://example.com/", "permissions": { "secrets": { "T": "env:T" } } } } }`;
  const { specs } = parseServers(text, "/w/.mcp.json", ORIGIN);
  assertEquals(serverEntries(specs), {
    a: { command: "x" },
    b: { command: "y" },
    c: { url: "https://example.com/" },
  });
  assertEquals(specs.map(permissionsLeftOut), [
    { net: ["*"], run: ["*"] },
    undefined,
    { secrets: { T: "env:T" } },
  ]);
});

Deno.test("an imported server was audited with the editor's name of the workspace", () => {
  const text = `{ "servers": { "fs": { "command": "npx", "args": ["p", "\${workspaceFolder}/a"],
    "env": { "A": "\${env:A}" } }, "far": { "url": "https://a.example/", "headers": { "k": "\${env:K}" } } } }`;
  assertEquals(serverEntries(parseServers(text, "/w/x.json", ORIGIN).specs), {
    fs: { command: "npx", args: ["p", "${WORKSPACE}/a"], env: { A: "${A}" } },
    far: { url: "https://a.example/", headers: { k: "${K}" } },
  });
});

Deno.test("parseServers() leaves out what is switched off in any way, and keeps single tools off", () => {
  const text = `{ "mcpServers": {
    "a": { "command": "x", "disabled": true }, "b": { "command": "x", "enabled": false },
    "c": { "command": "x", "enabled": true, "disabledTools": ["t"] },
    "d": { "command": "x", "enabled_tools": ["u"], "disabled_tools": ["v"] } } }`;
  const { specs, off, notes } = parseServers(text, "/w/x.json", ORIGIN);
  assertEquals([off, notes], [["a", "b"], []]);
  assertEquals(
    specs.map(({ name, enabledTools, disabledTools }) => [name, enabledTools, disabledTools]),
    [
      ["c", undefined, ["t"]],
      ["d", ["u"], ["v"]],
    ],
  );
});

Deno.test("mergeEntries() adds what is new, and leaves alone what is there otherwise", () => {
  const before = '{"other": 1, "mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}';
  const merged = mergeEntries(before, {
    a: { command: "x" },
    b: { command: "z" },
    c: { command: "w" },
  });
  assertEquals([merged?.added, merged?.conflicts], [["c"], ["b"]]);
  assertEquals(JSON.parse(merged?.text ?? ""), {
    other: 1,
    mcpServers: { a: { command: "x" }, b: { command: "y" }, c: { command: "w" } },
  });
  assertEquals(mergeEntries(undefined, { a: {} })?.added, ["a"]);
  for (const text of ["[]", '{"mcpServers": []}', "{"]) {
    assertEquals([text, mergeEntries(text, {})], [text, undefined]);
  }
});
