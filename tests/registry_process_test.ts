// The registry as people and models meet it: through the real agent, over real servers.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { ServerStatus } from "../lib/mcp/registry.ts";
import { fakeServer, serverFile, skep, tempFolder } from "./harness.ts";
import { startTurns } from "./turn_harness.ts";

Deno.test("a result that is cut is kept whole, and the model reads the rest of it", async () => {
  await using world = await startTurns([
    { parts: [{ call: "fake__echo", input: "{}" }] },
    { parts: [{ call: "read_artifact", input: '{"id":"a1","offset":59995}' }] },
    { parts: [{ text: "Read." }] },
  ], { knobs: ["--result-size=60000"], env: { SKEP_MAX_TOOL_RESULT_TEXT_BYTES: "2048" } });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  const names = (request: number) =>
    world.provider.requests[request]!.body.tools.map((tool: { function: { name: string } }) =>
      tool.function.name
    );
  assertEquals(names(0).includes("read_artifact"), false);
  assertEquals(names(1).at(-1), "read_artifact");
  assertMatch(
    world.messages(1).at(-1).content,
    /\n\[\.\.\. 58080 of 60000 bytes elided from tool result; read_artifact a1 has the whole \.\.\.\]\n/,
  );
  assertEquals(world.messages(2).at(-1).content, "[bytes 59995 to 60000 of 60000]\nxxxxx");
});

Deno.test("all of a command's long output stays with the session, and the model reads the rest of it", async () => {
  await using world = await startTurns([
    { parts: [{ call: "dev__shell", input: '{"command":"seq 1 20000"}' }] },
    { parts: [{ call: "read_artifact", input: '{"id":"a1","offset":108888}' }] },
    { parts: [{ text: "Read." }] },
  ]);
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertMatch(
    world.messages(1).at(-1).content,
    /\n\[the whole of the output is in \S+\]\n\[read_artifact a1 has it too, as long as the session is kept\]$/,
  );
  assertEquals(world.messages(2).at(-1).content, "[bytes 108888 to 108894 of 108894]\n20000\n");
});

Deno.test("tools that fill the context are hidden, and the model finds one and calls it (T49)", async () => {
  await using world = await startTurns([
    { parts: [{ call: "find_tool", input: '{"query":"tool 100"}' }] },
    { parts: [{ call: "fake__tool_100", input: '{"text":"found"}' }] },
    { parts: [{ text: "Done." }] },
  ], { knobs: ["--tool-count=120", "--desc-size=1000"], env: { SKEP_MAX_TOOLS_BYTES: "20000" } });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  const tools = (request: number) => world.provider.requests[request]!.body.tools;
  const names = (request: number) =>
    tools(request).map((tool: { function: { name: string } }) => tool.function.name);
  assertEquals(names(0).at(-1), "find_tool");
  assertEquals(names(0).includes("fake__tool_100"), false);
  assert(JSON.stringify(tools(0)).length < 21_000);
  assertStringIncludes(world.messages(1).at(-1).content, "fake__tool_100: ddd");
  assertEquals(names(1).includes("fake__tool_100"), true);
  assertEquals(world.messages(2).at(-1).content, "found");
});

Deno.test("arguments that do not fit do not end the turn: the model corrects them (10.20)", async () => {
  await using world = await startTurns([
    { parts: [{ call: "fake__echo", input: '{"text":7}' }] },
    { parts: [{ call: "fake__echo", input: '{"text":' }] },
    { parts: [{ call: "fake__echo", input: '["a"]' }] },
    { parts: [{ call: "fake__echo", input: '{"text":"right"}' }] },
    { parts: [{ text: "Done." }] },
  ], { knobs: [] });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  const last = (request: number) => world.messages(request).at(-1).content;
  assertStringIncludes(last(1), 'text: it must be of type "string", not "number"');
  for (const text of [last(2), last(3)]) {
    assertStringIncludes(text, "are not a JSON object");
    assertStringIncludes(text, "\nIt takes [text]: string");
  }
  assertEquals(last(4), "right");
});

Deno.test("skep tools says what of a tool's schema is not as its server wrote it (T47)", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, { fake: fakeServer(["--bad-tools", "--odd-names"]) });
  const { code, stdout } = await skep(["tools", "--mcp", file, "--sandbox", "off"]);
  assertEquals(code, 0);
  assertMatch(
    stdout,
    /^fake__no_schema\n.*\n.*\n? {2}\(it has no usable input schema: it takes any object\)$/m,
  );
  assertMatch(stdout, /^fake__fs_read_[^]*?\n {2}\(its server calls it "fs\.read"\)$/m);
});

Deno.test("a client adds, switches off, starts anew and removes servers of a running session", async () => {
  await using world = await startTurns(
    Array.from({ length: 3 }, () => ({ parts: [{ text: "Yes." }] })),
    { knobs: [] },
  );
  const { acp, sessionId, provider } = world;
  const mcp = (method: string, params: Record<string, unknown> = {}) =>
    acp.request(`_skep/mcp/${method}`, { sessionId, ...params });
  const names = (request: number): string[] =>
    provider.requests[request]!.body.tools.map((tool: { function: { name: string } }) =>
      tool.function.name
    );
  const { command, args } = fakeServer(["--tool-count=1"]);
  const server = { name: "fake", command, args, env: [] };
  const added = await mcp("add", { server });
  assertEquals([added.server.name, added.server.state], ["fake-2", "healthy"]);
  await world.prompt("one");
  assertEquals(names(0).includes("fake-2__tool_0"), true);
  assertEquals((await mcp("disable", { name: "fake" })).server.state, "disabled");
  await world.prompt("two");
  assertEquals(names(1).some((name) => name.startsWith("fake__")), false);
  assertEquals((await mcp("reload", { name: "fake" })).server.state, "healthy");
  const left = (await mcp("remove", { name: "fake-2" })).servers;
  assertEquals(left.map(({ name, state }: ServerStatus) => `${name} ${state}`), [
    "dev healthy",
    "fake healthy",
  ]);
  await world.prompt("three");
  assertEquals(names(2).filter((name) => name.endsWith("echo")), ["fake__echo"]);
  assertEquals((await mcp("remove", { name: "fake-2" })).error.code, -32602);
  assertEquals((await mcp("add", { server: { name: "x" } })).error.code, -32602);
});

Deno.test("a client that cancels _skep/mcp/add is not kept waiting, and the session goes on", async () => {
  await using world = await startTurns([{ parts: [{ text: "Yes." }] }], {
    knobs: [],
    env: { SKEP_LOG: "1" },
  });
  const { acp, sessionId } = world;
  const { command, args } = fakeServer(["--hang-init", "--stderr=I am up"]);
  const server = { name: "slow", command, args, env: [] };
  const id = await acp.send("_skep/mcp/add", { sessionId, server });
  await acp.running.until(({ stderr }) => stderr.includes("slow stderr: I am up"));
  await acp.notify("$/cancel_request", { requestId: id });
  const { error } = await acp.answer(id);
  assertEquals([error.code, error.message], [
    -32800,
    'The start of server "slow" was cancelled',
  ]);
  const { servers } = await acp.request("_skep/mcp/list", { sessionId });
  assertEquals(servers.map(({ name }: ServerStatus) => name), ["dev", "fake"]);
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
});

Deno.test("the model is told by name what failed to start, has another name or is left out (T27, T28)", async () => {
  await using world = await startTurns([
    { parts: [{ call: "a_b__tool_59", input: "{}" }] },
    { parts: [{ call: "gone__echo", input: "{}" }] },
    { parts: [{ text: "Done." }] },
  ], {
    knobs: ["--odd-names"],
    servers: {
      gone: { command: "/no/such" },
      bad: { command: 7 },
      "a b": fakeServer(["--tool-count=60"]),
      last: fakeServer([]),
    },
    params: { mcpServers: [{ name: "client" }] },
    env: { SKEP_MAX_SERVERS: "4", SKEP_MAX_TOOLS: "60" },
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  const system: string = world.messages(0)[0].content;
  const [, lines = ""] = /<missing_tools>\n([^]*?)\n<\/missing_tools>/.exec(system) ?? [];
  for (
    const line of [
      '- The server "bad" could not be set up: its tools are not there.',
      '- The server "client" could not be set up: its tools are not there.',
      '- The server "gone" could not be started: its tools are not there.',
      "- Only 4 servers are started; left out: last.",
      '- The server "a b" is known as "a_b".',
      '- The tool "fs.read" of the server "fake" is called fake__fs_read_9796c0a1.',
    ]
  ) assertStringIncludes(`${lines}\n`, `${line}\n`);
  assertMatch(
    lines,
    /^- Only 60 tools are listed; left out: a_b__tool_\d+, .* and \d+ more of "a_b"\.$/m,
  );
  assertEquals(
    world.messages(1).at(-1).content.split("\n")[0],
    "a_b__tool_59 cannot be called: it is left out, only 60 are listed",
  );
  assertEquals(
    world.messages(2).at(-1).content.split("\n")[0],
    'gone__echo cannot be called: the server "gone" is not running',
  );
});

Deno.test("an edit of a server file is offered, and what it widens waits for a yes", async () => {
  await using world = await startTurns(
    Array.from({ length: 3 }, () => ({ parts: [{ text: "Yes." }] })),
    { knobs: [] },
  );
  const { acp, sessionId, folder } = world;
  const file = join(folder, "servers.json");
  const reload = (accept: string[] = []) => acp.request("_skep/mcp/reload", { sessionId, accept });
  const told = () => acp.updates().filter((update) => JSON.stringify(update).includes("on disk"));
  await world.prompt("one");
  assertEquals(told().length, 0);
  const { mcpServers } = JSON.parse(await Deno.readTextFile(file));
  const write = (servers: Record<string, unknown>) =>
    Deno.writeTextFile(file, JSON.stringify({ mcpServers: servers }));
  const wider = { ...mcpServers.fake, permissions: { net: ["example.org:443"] } };
  await write({ fake: wider, more: mcpServers.fake });
  await world.prompt("two");
  await world.prompt("three");
  assertEquals(told().length, 1);
  const first = await reload();
  assertEquals([first.added, first.changed, first.removed], [[], [], []]);
  assertEquals(first.widened[0], { server: "fake", more: ["net example.org:443"] });
  assertEquals(first.widened[1].server, "more");
  const second = await reload(["fake"]);
  assertEquals([second.changed, second.widened.length], [["fake"], 1]);
  await write({ fake: { ...wider, url: "https://example.org/mcp" } });
  const mistaken = await reload();
  assertEquals([mistaken.removed, mistaken.refused.length], [[], 1]);
  assertMatch(mistaken.refused[0].reason, /^Server "fake" is left out\. .* a command and a url/);
  await write({});
  assertEquals((await reload()).removed, ["fake"]);
  await Deno.writeTextFile(file, "{");
  assertMatch((await reload()).error.message, /servers\.json/);
});

Deno.test("skep why says which check keeps each thing away from the model, and what to do", async () => {
  await using folder = await tempFolder();
  const work = join(folder.path, "work");
  const skill = async (path: string, text: string) => {
    await Deno.mkdir(join(work, path), { recursive: true });
    await Deno.writeTextFile(join(work, path, "SKILL.md"), text);
  };
  await skill(".agents/skills/good", "---\nname: good\ndescription: d\n---\nhi\n");
  await skill(".claude/skills/good", "---\nname: good\ndescription: d\n---\nhi\n");
  await skill(".agents/skills/bad", "no frontmatter\n");
  await skill("skills/lost", "---\nname: lost\ndescription: d\n---\nhi\n");
  const knobs = ["--odd-names", "--bad-tools", "--stop-hook"];
  const file = await serverFile(folder.path, {
    fake: fakeServer(knobs, { disabled_tools: ["fail"] }),
    gone: fakeServer(["--exit-init=3", "--stderr=no config"]),
    refused: { command: "/no/such" },
    off: { command: "x", disabled: true },
    entry: {},
  });
  const policy = join(folder.path, "policy.yaml");
  await Deno.writeTextFile(policy, "approvals:\n  - { deny: fake__crash }\n");
  const flags = ["--cwd", work, "--mcp", file, "--policy", policy, "--sandbox", "off"];
  const why = async (names: string[], more: string[] = [], env: Record<string, string> = {}) => {
    const run = await skep(["why", ...names, "--json", ...flags, ...more], { env });
    const found = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    return { code: run.code, found };
  };
  const names = [
    ...["gone", "refused", "off__x", "entry", "fs.read", "no_schema", "fake___Stop", "fail"],
    ...["crash", "fake__ecko", "good", "bad", "lost", "find_tool", "load_skill", "goodd"],
  ];
  const [whole, bounded, words] = await Promise.all([
    why(names),
    why(["dev__str_replace", "fake__giant", "good"], ["--no-hints"], {
      SKEP_MAX_TOOLS_BYTES: "1024",
      SKEP_MAX_TOOLS: "20",
    }),
    skep(["why", "bad", ...flags]),
  ]);
  const decided = ({ kind, isThere, checks }: {
    kind: string;
    isThere: boolean;
    checks: { what: string; outcome: string }[];
  }) => {
    const last = isThere ? checks.findLast(({ outcome }) => outcome === "noted") : checks.at(-1);
    return `${kind} ${isThere ? "there" : "not there"}, ${last?.what ?? "nothing"}`;
  };
  assertEquals(whole.code, 1);
  assertEquals(whole.found.map(decided), [
    "server not there, server",
    "server not there, server",
    "tool not there, server",
    "server not there, server",
    "tool there, name",
    "tool there, schema",
    "hook not there, hook",
    "tool not there, switch",
    "tool there, rules",
    "tool not there, tool",
    "skill there, shadow",
    "skill not there, frontmatter",
    "skill not there, folder",
    "built-in not there, need",
    "built-in there, nothing",
    "unknown not there, name",
  ]);
  assertStringIncludes(whole.found[0].checks.at(-1).text, "exited with code 3");
  assertStringIncludes(whole.found[8].checks.at(-1).text, policy);
  assertEquals(whole.found.at(-1).advice, "did you mean good?");
  assertEquals(bounded.code, 0);
  assertEquals(bounded.found.map(decided), [
    "tool not there, room",
    "tool not there, tool count",
    "skill not there, hints",
  ]);
  assertEquals(words.code, 0);
  assertMatch(words.stdout, /^bad: a skill, not there for the model\n {2}ok {4}hints /);
  assertMatch(
    words.stdout,
    /\n {2}NO {4}frontmatter {2}.*SKILL\.md:1:1: .*\n {2}What to do: .*\n$/,
  );
});

Deno.test("skep tools lists what is hidden, left out, switched off and for hooks, with sizes and totals", async () => {
  await using folder = await tempFolder();
  const knobs = ["--tool-count=30", "--desc-size=500", "--stop-hook", "--odd-names"];
  const entry = fakeServer(knobs, { disabled_tools: ["fail"] });
  const flags = ["--mcp", await serverFile(folder.path, { fake: entry }), "--sandbox", "off"];
  const env = { SKEP_MAX_TOOLS_BYTES: "8192", SKEP_MAX_TOOLS: "40" };
  const [words, json] = await Promise.all([
    skep(["tools", ...flags], { env }),
    skep(["tools", "--json", ...flags], { env }),
  ]);
  assertEquals([words.code, json.code], [0, 0]);
  assertMatch(words.stdout, /^fake__echo \[text\]\n {2}d+.*\n {2}\d+ bytes, about \d+ tokens$/m);
  assertMatch(
    words.stdout,
    /^ {2}fake__fs_read_[0-9a-f]{8}: left out, past .*; its server calls it "fs\.read"$/m,
  );
  assertMatch(words.stdout, /^Not shown to the model:$/m);
  assertMatch(words.stdout, /^ {2}fake__fail: switched off by its server's entry$/m);
  assertMatch(
    words.stdout,
    /^ {2}fake__tool_5: hidden for want of room \(\d+ bytes\), find_tool finds it$/m,
  );
  assertMatch(words.stdout, /^ {2}fake__tool_29: left out, past the limit of 40 tools$/m);
  assertMatch(words.stdout, /^ {2}fake _Stop: for hooks$/m);
  assertMatch(
    words.stdout,
    /\n\d+ tools, \d+ bytes, about \d+ tokens of each request; not shown: \d+\n$/,
  );
  const listed = json.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(listed.at(-1).name, "find_tool");
  assertEquals(Object.keys(listed[0]), ["name", "description", "inputSchema"]);
});

Deno.test("skep call says why a tool that is known cannot be called, and calls one that is hidden", async () => {
  await using folder = await tempFolder();
  const entry = fakeServer(["--odd-names", "--tool-count=20", "--desc-size=500"], {
    disabled_tools: ["fail"],
  });
  const files = { fake: entry, last: fakeServer([]), off: { command: "x", disabled: true } };
  const file = await serverFile(folder.path, files);
  const env = { SKEP_MAX_SERVERS: "2", SKEP_MAX_TOOLS: "40", SKEP_MAX_TOOLS_BYTES: "8192" };
  const call = (tool: string, bounds: Record<string, string> = env) =>
    skep(["call", tool, '{"text":"x"}', "--mcp", file, "--sandbox", "off"], { env: bounds });
  const names = ["fake__tool_5", "fake__tool_19", "last__echo", "off__x", "fake__fail"];
  const [mapped, hidden, ...others] = await Promise.all([
    call("fake__fs.read", {}),
    ...names.map((name) => call(name)),
  ]);
  assertEquals([hidden!.code, hidden!.stdout], [0, "x\n"]);
  assertStringIncludes(hidden!.stderr, '"fake__tool_5" is hidden for want of room');
  const said = [
    "only 40 tools are listed, and it comes later; switch tools off that are not needed, or raise SKEP_MAX_TOOLS",
    'server "last" is number 3, and only 2 are started; take servers out that are not needed here, or raise SKEP_MAX_SERVERS',
    `server "off" is switched off by its entry in ${file}; change that entry`,
    'the entry of server "fake" does not let it be listed; take "fail" out of disabled_tools, or into enabled_tools, of that entry',
  ];
  for (const [place, text] of said.entries()) {
    assertEquals(others[place]!.code, 1);
    assertStringIncludes(others[place]!.stderr, `Cannot call "${names[place + 1]}": ${text}`);
  }
  assertMatch(mapped.stderr, /by its server's name for it: here it is fake__fs_read_[0-9a-f]{8}$/m);
});

Deno.test("skep why knows a server that a persona switches off", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "a.persona.md");
  await Deno.writeTextFile(
    file,
    "---\nname: a\ndisplay_name: A\ndescription: d\nmcp_servers: [{ name: off, command: x, enabled: false }]\n---\nHi\n",
  );
  const { code, stdout } = await skep(["why", "off", "--json", "--persona", file]);
  assertEquals(code, 0);
  const { kind, isThere, checks } = JSON.parse(stdout);
  assertEquals([kind, isThere], ["server", false]);
  assertEquals(checks.at(-1).text, `server "off" is switched off by its entry in ${file}`);
});

Deno.test("skep prompt ends with 0 when servers wait for their first call", async () => {
  await using folder = await tempFolder();
  const flags = [
    "--mcp",
    await serverFile(folder.path, { fake: fakeServer([]) }),
    "--sandbox",
    "off",
  ];
  const env = { SKEP_EAGER_SERVERS: "1", SKEP_STATE_DIR: join(folder.path, "state") };
  const first = await skep(["prompt", "--json", ...flags], { env });
  const [again, why] = await Promise.all([
    skep(["prompt", "--json", ...flags], { env }),
    skep(["why", "fake", ...flags], { env }),
  ]);
  assertStringIncludes(why.stdout, 'server "fake" is idle: its first call starts it');
  assertEquals([first.code, again.code, again.stdout === first.stdout], [0, 0, true]);
});

Deno.test("skep tools and skep prompt list what a first request has, skep's own tools too", async () => {
  await using world = await startTurns([{ parts: [{ text: "Done." }] }], {
    knobs: ["--tool-count=30", "--desc-size=500"],
    env: { SKEP_MAX_TOOLS_BYTES: "8192" },
  });
  await using work = await tempFolder();
  const skill = join(work.path, ".agents", "skills", "deploy");
  await Deno.mkdir(skill, { recursive: true });
  await Deno.writeTextFile(join(skill, "SKILL.md"), "---\nname: deploy\ndescription: d\n---\nhi\n");
  const opened = await world.acp.request("session/new", { cwd: work.path, mcpServers: [] });
  await world.acp.turn(opened.sessionId, "go");
  const sent = world.provider.requests[0]!.body.tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  );
  assertEquals(sent.slice(-2), ["load_skill", "find_tool"]);
  const file = join(world.folder, "servers.json");
  const flags = ["--json", "--mcp", file, "--sandbox", "off", "--cwd", work.path];
  const env = { SKEP_MAX_TOOLS_BYTES: "8192" };
  const [tools, prompt] = await Promise.all([
    skep(["tools", ...flags], { env }),
    skep(["prompt", ...flags], { env }),
  ]);
  const names = tools.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).name);
  assertEquals(names, sent);
  assertEquals(JSON.parse(prompt.stdout).tools.map(({ name }: { name: string }) => name), sent);
});
