// Kept sessions over ACP: what one agent began, another one lists, shows, goes on with and removes.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { startAcp, type WireMessage } from "./acp_process.ts";
import { skep, tempFolder } from "./harness.ts";

/** The kinds of updates, each once where several follow one another. */
function kinds(updates: readonly WireMessage[]): string[] {
  return updates.map(({ sessionUpdate }) => sessionUpdate)
    .filter((kind, at, all) => kind !== all[at - 1]);
}

Deno.test("a session that one agent began is listed, loaded, prompted, resumed, forked and deleted by the next", async () => {
  await using state = await tempFolder();
  await using work = await tempFolder();
  await Deno.writeTextFile(join(work.path, "a.txt"), "one bee\n");
  const options = { env: { SKEP_STATE_DIR: state.path } };
  const place = { cwd: work.path, mcpServers: [] };
  let sessionId: string;
  {
    const acp = await startAcp([], options);
    await using running = acp.running;
    sessionId = await acp.open(work.path);
    await acp.turn(sessionId, "/dev__read_file path=a.txt");
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
  const acp = await startAcp([], options);
  await using running = acp.running;
  const { agentCapabilities } = await acp.request("initialize", { protocolVersion: 1 });
  assertEquals(agentCapabilities.loadSession, true);
  const [listed] = (await acp.request("session/list", { cwd: work.path })).sessions;
  assertEquals([listed.sessionId, listed.cwd], [sessionId, work.path]);
  assertStringIncludes(listed.title, "/dev__read_file");
  const loaded = await acp.request("session/load", { sessionId, ...place });
  assertEquals(loaded.modes.currentModeId, "normal");
  const answered = acp.messages().findIndex(({ result }) => result?.modes !== undefined);
  const before = acp.messages().slice(0, answered).flatMap(({ params }) => params?.update ?? []);
  assertEquals(kinds(before), [
    "user_message_chunk",
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
  ]);
  assertEquals(before[0].content.text, "/dev__read_file path=a.txt");
  assertStringIncludes(JSON.stringify(before), "one bee");
  assertEquals(await acp.turn(sessionId, "/tools"), { stopReason: "end_turn" });
  const forked = await acp.request("session/fork", { sessionId, ...place });
  assert(forked.sessionId !== sessionId, "a copy has an id of its own");
  assertEquals(await acp.request("session/close", { sessionId }), {});
  const told = acp.updates().length;
  assertEquals((await acp.request("session/resume", { sessionId, ...place })).error, undefined);
  assertEquals(kinds(acp.updates().slice(told)).includes("user_message_chunk"), false);
  assertEquals(await acp.turn(sessionId, "/tools"), { stopReason: "end_turn" });
  // It has its title already: the first prompt from here is not the session's.
  assertEquals(kinds(acp.updates()).includes("session_info_update"), false);
  assertEquals(await acp.request("session/delete", { sessionId }), {});
  const left = (await acp.request("session/list", { cwd: work.path })).sessions;
  assertEquals(left.map((each: WireMessage) => each.sessionId), [forked.sessionId]);
  assertEquals((await acp.request("session/load", { sessionId, ...place })).error.code, -32002);
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});

Deno.test("a session in which nothing was said is opened again by its id, in its own folder alone, and is in no list", async () => {
  await using home = await tempFolder();
  const [work, other] = [join(home.path, "work"), join(home.path, "other")];
  await Promise.all([work, other].map((path) => Deno.mkdir(path)));
  const options = { env: { SKEP_STATE_DIR: join(home.path, "state") } };
  let sessionId: string;
  {
    const acp = await startAcp([], options);
    await using running = acp.running;
    sessionId = await acp.open(work);
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
  const acp = await startAcp([], options);
  await using _running = acp.running;
  assertEquals(await acp.request("session/list"), { sessions: [] });
  const elsewhere = await acp.request("session/load", { sessionId, cwd: other, mcpServers: [] });
  assertEquals(elsewhere.error, {
    code: -32602,
    message: `session/load: session "${sessionId}" works in "${work}", not in "${other}": ` +
      "open it with its own cwd",
  });
  const loaded = await acp.request("session/load", { sessionId, cwd: work, mcpServers: [] });
  assertEquals(loaded.error, undefined);
  assertEquals(await acp.turn(sessionId, "/tools"), { stopReason: "end_turn" });
  const listed = (await acp.request("session/list")).sessions;
  assertEquals(listed.map((each: WireMessage) => each.sessionId), [sessionId]);
  const nul = await acp.request("session/new", { cwd: "/a\0b", mcpServers: [] });
  assertEquals(nul.error.code, -32602);
});

Deno.test("a workspace that is named by a link is its server's own, by both of its paths", async () => {
  await using home = await tempFolder();
  const [work, link] = [join(home.path, "work"), join(home.path, "link")];
  await Deno.mkdir(work);
  await Deno.symlink(work, link);
  await Deno.writeTextFile(join(work, "a.txt"), "one bee\n");
  const acp = await startAcp();
  await using _running = acp.running;
  const sessionId = await acp.open(link);
  for (const path of [join(link, "a.txt"), join(work, "a.txt"), "a.txt"]) {
    const told = acp.updates().length;
    await acp.turn(sessionId, `/dev__read_file path=${path}`);
    const reads = acp.updates().slice(told).filter(({ kind }) => kind === "read");
    assertEquals(reads.map(({ locations }) => locations), [[{ path: join(link, "a.txt") }]]);
    assertStringIncludes(JSON.stringify(acp.updates().slice(told)), "1:one bee");
  }
  await acp.turn(sessionId, `/dev__write_file path=${link}/b.txt content=new`);
  assertEquals(await Deno.readTextFile(join(work, "b.txt")), "new");
  const written = acp.updates().findLast(({ content }) => content?.[0]?.type === "diff")!;
  assertEquals(written.content[0].path, join(link, "b.txt"));
  for (const cwd of [link, work, `${work}/`]) {
    assertEquals((await acp.request("session/list", { cwd })).sessions.length, 1);
  }
});

Deno.test("a call that failed, was denied or was not run is failed as it happens, and when its session is loaded", async () => {
  await using home = await tempFolder();
  await using work = await tempFolder();
  const policy = join(home.path, "policy.yaml");
  await Deno.writeTextFile(policy, "approvals:\n  - deny: dev__write_file\n");
  await Deno.writeTextFile(join(work.path, "ok"), "one bee\n");
  const acp = await startAcp(["--policy", policy], { env: { HOME: home.path } });
  await using _running = acp.running;
  const sessionId = await acp.open(work.path);
  const calls = ["dev__read_file path=none", "dev__read_file path=/etc/passwd"];
  for (const call of [...calls, "dev__write_file path=a content=b", "dev__read_file path=ok"]) {
    await acp.turn(sessionId, `/${call}`);
  }
  const ends = (updates: WireMessage[]) =>
    updates.filter(({ sessionUpdate, rawOutput }) =>
      sessionUpdate === "tool_call_update" && rawOutput !== undefined
    ).map(({ status, content }) => [status, content[0].content.text.slice(0, 13)]);
  const live = ends(acp.updates());
  assertEquals(live.map(([status]) => status), ["failed", "failed", "failed", "completed"]);
  assertEquals([live[1]![1], live[2]![1]], ["Access denied", "dev__write_fi"]);
  const told = acp.updates().length;
  await acp.request("session/load", { sessionId, cwd: work.path, mcpServers: [] });
  assertEquals(ends(acp.updates().slice(told)), live);
});

/** What a client knows of each call in the end: its updates one over the other. */
function shownCalls(updates: readonly WireMessage[]): WireMessage[] {
  const calls = new Map<string, WireMessage>();
  for (const { sessionUpdate, ...update } of updates) {
    if (!["tool_call", "tool_call_update"].includes(sessionUpdate)) continue;
    calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update });
  }
  return [...calls.values()];
}

Deno.test("edits of a loaded session were plain text: its calls, differences and plan are shown as they were live", async () => {
  await using home = await tempFolder();
  const [work, link] = [join(home.path, "work"), join(home.path, "link")];
  await Deno.mkdir(work);
  await Deno.symlink(work, link);
  await Deno.writeTextFile(join(work, "a.txt"), "first\nsecond\n");
  const env = (name: string) => ({ env: { SKEP_STATE_DIR: join(home.path, name) } });
  const lines = [
    "/dev__read_file path=a.txt",
    "/dev__str_replace path=a.txt old_str=second new_str=2nd",
    '/dev__write_file path=b.txt content="new\\n"',
    "/dev__str_replace path=a.txt old_str=none new_str=some",
    '/dev__todo {"todos":[{"text":"look","status":"done"},{"text":"write"}]}',
    '/dev__shell command="echo one; exit 3"',
  ];
  let sessionId: string;
  let live: WireMessage[];
  let plan: WireMessage | undefined;
  {
    const acp = await startAcp([], env("here"));
    await using running = acp.running;
    sessionId = await acp.open(link);
    for (const line of lines) await acp.turn(sessionId, line);
    live = shownCalls(acp.updates());
    plan = acp.lastUpdate("plan");
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
  const edited = live.find(({ name }) => name === "dev__str_replace")!;
  const path = join(link, "a.txt");
  const texts = { oldText: "first\nsecond\n", newText: "first\n2nd\n" };
  assertEquals(edited.content[0], { type: "diff", path, ...texts });
  assertEquals(edited.locations, [{ path, line: 1 }]);
  assert(edited.rawOutput.structuredContent.diff.includes("+2nd"), "it is shown raw as well");
  assertEquals(plan?.entries.length, 2);

  const file = join(home.path, "moved.skep-session");
  const exported = await skep(["sessions", "export", sessionId, file], env("here"));
  assertEquals([exported.code, exported.stderr], [0, ""]);
  const imported = await skep(["sessions", "import", file], env("there"));
  assertEquals([imported.code, imported.stderr], [0, ""]);
  for (const place of ["here", "there"]) {
    const acp = await startAcp([], env(place));
    await using running = acp.running;
    await acp.request("initialize", { protocolVersion: 1 });
    await acp.request("session/load", { sessionId, cwd: link, mcpServers: [] });
    assertEquals(shownCalls(acp.updates()), live);
    assertEquals(acp.lastUpdate("plan"), plan);
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
});

Deno.test("a server that was switched off in a session is off when the session goes on, until it is switched on", async () => {
  await using state = await tempFolder();
  await using work = await tempFolder();
  const options = { env: { SKEP_STATE_DIR: state.path } };
  const place = { cwd: work.path, mcpServers: [] };
  const stateIn = async (acp: Awaited<ReturnType<typeof startAcp>>, sessionId: string) => {
    const { servers } = await acp.request("_skep/mcp/list", { sessionId });
    return servers.find(({ name }: WireMessage) => name === "dev").state;
  };
  let sessionId: string;
  {
    const acp = await startAcp([], options);
    await using running = acp.running;
    sessionId = await acp.open(work.path);
    await acp.turn(sessionId, "/help");
    await acp.request("_skep/mcp/disable", { sessionId, name: "dev" });
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
  {
    const acp = await startAcp([], options);
    await using running = acp.running;
    await acp.request("initialize", { protocolVersion: 1 });
    await acp.request("session/resume", { sessionId, ...place });
    assertEquals(await stateIn(acp, sessionId), "disabled");
    await running.until(() => acp.said().includes("Switched off, as this session was left: dev"));
    await acp.turn(sessionId, "/dev__read_file path=a.txt");
    await running.until(() =>
      acp.said().includes(`dev__read_file cannot be called: the server "dev" is switched off`)
    );
    await acp.request("_skep/mcp/reload", { sessionId, name: "dev" });
    assertEquals(await stateIn(acp, sessionId), "healthy");
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
  const acp = await startAcp([], options);
  await using running = acp.running;
  await acp.request("initialize", { protocolVersion: 1 });
  await acp.request("session/resume", { sessionId, ...place });
  assertEquals(await stateIn(acp, sessionId), "healthy");
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});

Deno.test("a client is told in its session that the store was damaged, and the session is kept (T110)", async () => {
  await using state = await tempFolder();
  await using work = await tempFolder();
  const options = { env: { SKEP_STATE_DIR: state.path } };
  const ids: string[] = [];
  for (const isDamaged of [false, true]) {
    const acp = await startAcp([], options);
    await using running = acp.running;
    const sessionId = await acp.open(work.path, { _meta: { sessionTitle: "The hive" } });
    ids.push(sessionId);
    assertEquals(await acp.turn(sessionId, "/help"), { stopReason: "end_turn" });
    if (isDamaged) {
      await running.until(() => /The store of sessions .* was damaged/.test(acp.said()));
    }
    const { sessions } = await acp.request("session/list", { cwd: work.path });
    assertEquals(sessions.map((each: WireMessage) => each.sessionId).sort(), [...ids].sort());
    assertEquals(sessions.map(({ title }: WireMessage) => title), ids.map(() => "The hive"));
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
    const path = join(state.path, "sessions", "sessions.db");
    const db = new DatabaseSync(path);
    const index = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'sessions_by_use'")
      .get()!;
    db.close();
    const file = await Deno.readFile(path);
    const page = Number(index.rootpage) - 1;
    file.fill(0xff, page * 4096, (page + 1) * 4096);
    await Deno.writeFile(path, file);
  }
});
