// What servers say: frames, tool lists, names, results and requests of their own.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SkepError } from "../lib/errors.ts";
import { listed, startFakes, textOf, until } from "./fake_servers.ts";
import { fromRepo, tempFolder } from "./harness.ts";

Deno.test("a connection lives through noise on stdout and answers in pieces (T22)", async () => {
  await using session = await startFakes([{
    name: "a",
    knobs: ["--noise", "--pieces=7", "--partial-end"],
  }]);
  assertEquals(textOf(await session.call("a__echo", { text: "grüße" })), "grüße");
  assertEquals(textOf(await session.call("a__echo", { text: "again" })), "again");
  const noise = session.logs.filter(({ kind }) => kind === "noise").map(({ text }) => text);
  assertEquals(noise.slice(0, 4), ["Starting... 0", '{"level":"info"}', "[1]", "Starting... 1"]);
  assertEquals(noise.length, 12);
});

Deno.test("a result keeps U+2028 and U+2029 (T24)", async () => {
  await using session = await startFakes([{ name: "a" }]);
  assertEquals(textOf(await session.call("a__separators")), "a\u2028b\u2029c");
});

Deno.test("a line of 32 MiB without an end fails its server in bounded memory, and others live (T26, 10.32 frame cap)", async () => {
  await using session = await startFakes([{ name: "a" }, { name: "b" }]);
  const before = Deno.memoryUsage().rss;
  const result = await session.call("a__giant", { bytes: 32 * 1024 * 1024 });
  const grown = Deno.memoryUsage().rss - before;
  assertEquals(
    textOf(result),
    'Server "a" sent a line of more than 4194304 bytes (before it answered "giant")',
  );
  assert(grown < 24 * 1024 * 1024, `memory grew by ${grown} bytes`);
  assertEquals(textOf(await session.call("b__echo", { text: "hi" })), "hi");
  assertEquals(textOf(await session.call("a__echo", { text: "back" })), "back");
});

Deno.test("a tool that is added after the first call is listed in the next round (T30)", async () => {
  await using session = await startFakes([
    { name: "before", knobs: ["--add-tool"] },
    { name: "after", knobs: ["--add-tool=after"] },
  ]);
  assertEquals(listed(session).filter((name) => name.endsWith("__b")), []);
  await session.call("before__echo");
  assertEquals(listed(session).filter((name) => name.endsWith("__b")), ["before__b"]);
  await session.call("after__echo");
  await until(() => listed(session).includes("after__b"));
  assertEquals(textOf(await session.call("after__b", { text: "new" })), "new");
});

Deno.test("structured content is given once (T36)", async () => {
  await using session = await startFakes([{ name: "a" }]);
  const structuredContent = { b: [1, { c: null }], a: "x" };
  const same = [{ type: "text", text: '{"a": "x", "b": [1, {"c": null}]}' }];
  const both = await session.call("a__raw", { result: { content: same, structuredContent } });
  assertEquals(both.content, [{ type: "text", text: '{"a": "x", "b": [1, {"c": null}]}' }]);
  const alone = await session.call("a__raw", { result: { content: [], structuredContent } });
  assertEquals(alone.content, [{ type: "text", text: '{"b":[1,{"c":null}],"a":"x"}' }]);
});

Deno.test("names that no provider takes are mapped, and mapped back at the call (T39)", async () => {
  await using folder = await tempFolder();
  const received = join(folder.path, "received");
  const knobs = ["--odd-names", `--call-received=${received}`];
  await using session = await startFakes([{ name: "my files", flags: ["--allow-write"], knobs }]);
  const names = listed(session).slice(-3);
  assertEquals(names.slice(1), [
    "my_files__fs_read",
    "my_files__longlonglonglonglonglonglonglonglonglonglongl_41f792b8",
  ]);
  for (const name of names) {
    assert(/^[a-zA-Z0-9_-]{1,64}$/.test(name), name);
    assertEquals(textOf(await session.call(name, { text: name })), name);
  }
  const lines = (await Deno.readTextFile(received)).trim().split("\n");
  assertEquals(lines.map((line) => JSON.parse(line).name), [
    "fs.read",
    "fs_read",
    "longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglongab",
  ]);
  assertEquals(session.notices, ['Server "my files" is listed as "my_files"']);
});

Deno.test("two servers may have tools of one name, and one name themselves (T41)", async () => {
  await using session = await startFakes([
    { name: "a", knobs: ["1"] },
    { name: "b", knobs: ["2"] },
    { name: "a", knobs: ["3"] },
  ]);
  assertEquals(textOf(await session.call("a__argv")), '["1"]');
  assertEquals(textOf(await session.call("b__argv")), '["2"]');
  assertEquals(textOf(await session.call("a-2__argv")), '["3"]');
});

Deno.test("a tool with a malformed schema is usable, and its list never hangs (T47)", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--bad-tools"] }]);
  const bad = ["no_schema", "empty_schema", "array_type", "text_schema", "bad_required"];
  for (const name of bad) {
    const tool = session.registry.tools().find((tool) => tool.name === `a__${name}`);
    assertEquals(tool?.inputSchema, { type: "object" });
    assertEquals(textOf(await session.call(`a__${name}`, { text: name })), name);
  }
  assertEquals(session.notices.slice(0, 2), [
    'Server "a": 3 tools without a name are left out',
    'Server "a": the tool "no_schema" has no usable input schema: it takes any object',
  ]);
});

Deno.test("hooks are never listed and cannot be called (hook_tools_hidden_from_llm)", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--stop-hook", "--stop-text=no"] }]);
  assertEquals(listed(session).filter((name) => name.includes("Stop")), []);
  assertEquals(textOf(await session.call("a___Stop")), "unknown tool: a___Stop");
});

Deno.test("128 tools and 16 servers are exactly at their limits", async () => {
  const more = Array.from(
    { length: 15 },
    (_, index) => ({ name: `s${index}`, program: "/no/such" }),
  );
  await using session = await startFakes([{ name: "a", knobs: ["--tool-count=112"] }, ...more]);
  assertEquals(listed(session).length, 128);
  assertEquals(session.notices.filter((notice) => notice.includes("left out")), []);
});

Deno.test("the 129th tool and the 17th server are left out and named (tool_metadata_caps_enforced, mcp_server_count_cap)", async () => {
  const more = Array.from(
    { length: 15 },
    (_, index) => ({ name: `s${index}`, program: "/no/such" }),
  );
  await using session = await startFakes([
    { name: "a", knobs: ["--tool-count=113"] },
    ...more,
    { name: "z" },
  ]);
  assertEquals(listed(session).length, 128);
  assertEquals(session.notices.at(0), "Only 16 servers are started: z left out");
  assertEquals(session.notices.at(-1), "Only 128 tools are listed, left out: a__tool_112");
  assertEquals((await session.call("a__tool_111", { text: "in" })).isError, false);
  assertEquals(textOf(await session.call("a__tool_112")), "unknown tool: a__tool_112");
});

Deno.test("a tool list whose pages never end is read up to its bound", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--endless-tools"] }], {
    maxListedTools: 120,
  });
  assertEquals(listed(session).length, 120);
  assertEquals(session.notices, [
    'Server "a": it has more than 120 tools: the rest of its list is not read',
  ]);
});

Deno.test("a server may ask for roots and ping, and is refused sampling", async () => {
  await using session = await startFakes([{ name: "a" }]);
  assertEquals(JSON.parse(textOf(await session.call("a__roots"))), {
    roots: [{ uri: `file://${fromRepo("tests")}`, name: "tests" }],
  });
  assertEquals(textOf(await session.call("a__ping")), "{}");
  assertEquals(JSON.parse(textOf(await session.call("a__sample"))), {
    code: -32601,
    message: "Method not found",
  });
});

Deno.test("an error of the protocol is a result, and the server lives", async () => {
  await using session = await startFakes([{ name: "a" }]);
  assertEquals(await session.call("a__reject", { text: "no such thing" }), {
    isError: true,
    content: [{ type: "text", text: 'Server "a" rejected the call: no such thing' }],
  });
  assertEquals((await session.call("a__echo", { text: "hi" })).isError, false);
});

Deno.test("a denial is found in a result and explained at its end", async () => {
  const denial = { server: "a", access: "read", value: "/etc/passwd", isCertain: false };
  await using session = await startFakes([{ name: "a" }], {}, {
    findDenial: (grant, result) =>
      grant.server === "a" && JSON.stringify(result).includes("NotCapable") ? denial : undefined,
    explainDenial: ({ access, value }, { server }) => `${server} may not ${access} ${value}`,
  });
  const result = await session.call("a__read", { path: "/etc/passwd" });
  assertEquals([result.isError, result.denial], [true, denial]);
  assertStringIncludes(textOf(result), "NotCapable");
  assertEquals(result.content.at(-1), { type: "text", text: "a may not read /etc/passwd" });
  assertEquals((await session.call("a__echo", { text: "hi" })).denial, undefined);
});

Deno.test("what a server writes to stderr goes to the log line by line, whatever its length", async () => {
  const words = "one\u001b[31mred\u001b[0m\ntwo";
  await using session = await startFakes([{ name: "a", knobs: [`--stderr=${words}`] }]);
  await until(() => session.logs.filter(({ kind }) => kind === "stderr").length === 2);
  assertEquals(session.logs.filter(({ kind }) => kind === "stderr"), [
    { server: "a", kind: "stderr", text: "onered" },
    { server: "a", kind: "stderr", text: "two" },
  ]);
});

Deno.test("a cursor that never changes was told as too many tools", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--same-cursor"] }]);
  assertEquals(listed(session).includes("a__echo"), true);
  assertEquals(session.notices, [
    'Server "a": its tools/list gives the same cursor again: the rest of its list is not read',
  ]);
});

Deno.test("a tools/list that is no list went by in silence", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--no-list"] }, { name: "b" }]);
  assertEquals(session.notices, ['Server "a": its tools/list is no list']);
  assertEquals(session.registry.absences(), [
    'The server "a" did not list its tools as it must: its tools are not there.',
  ]);
  assertEquals(session.registry.servers()[0], {
    name: "a",
    state: "healthy",
    reason: "its tools/list is no list",
    tools: [],
  });
  assertEquals(listed(session).includes("b__echo"), true);
  await assertRejects(
    () => startFakes([{ name: "a", knobs: ["--no-list"] }], {}, { isStrict: true }),
    SkepError,
    'Server "a" is healthy: its tools/list is no list',
  );
});
