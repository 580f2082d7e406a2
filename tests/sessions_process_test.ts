// Sessions that outlive their program: the real command line, killed and started again on one store.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import {
  childEnv,
  type ChildOptions,
  descendants,
  fakeServer,
  killAll,
  runChild,
  serverFile,
  skep,
  skepCommand,
  startSkep,
  tempFolder,
} from "./harness.ts";
import { CAN_BE_ANOTHER, ordinaryUser, thisUser } from "./other_user.ts";
import { startPromptProvider } from "./prompt_provider.ts";

const MODEL = ["--sandbox", "off", "--model", "openai-compatible:fake-1"];

/** A store and a folder to work in, for several runs. */
async function place(env: Readonly<Record<string, string>>) {
  const folder = await tempFolder();
  const [state, cwd] = [join(folder.path, "state"), join(folder.path, "work")];
  await Promise.all([Deno.mkdir(state), Deno.mkdir(cwd)]);
  const options: ChildOptions = { cwd, env: { ...env, SKEP_STATE_DIR: state } };
  return { state, cwd, options, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

Deno.test("a conversation goes on where it ended: --continue, --resume, --fork", async () => {
  await using provider = startPromptProvider([
    { parts: [{ text: "Noted: 42." }] },
    { parts: [{ text: "It was 42." }] },
    { parts: [{ text: "Still 42." }] },
  ]);
  await using at = await place(provider.env);
  const say = (text: string, ...more: string[]) =>
    skep(["chat", ...MODEL, ...more, "-p", text], at.options);
  assertEquals((await say("the number is 42")).code, 0);
  const continued = await say("which number?", "--continue");
  assertEquals([continued.code, continued.stdout], [0, "It was 42.\n"]);
  const [, second] = provider.prompts();
  const said = second!.body.messages.map((message: { content: unknown }) =>
    JSON.stringify(message.content)
  );
  assertStringIncludes(said.at(-3), "the number is 42");
  assertStringIncludes(said.at(-2), "Noted: 42.");
  assertStringIncludes(said.at(-1), "which number?");
  const list = await skep(["sessions", "list", "--json"], at.options);
  const [only, ...others] = list.stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals([others, only.title, only.turns], [[], "the number is 42", 2]);
  assertEquals((await say("and now?", "--fork", only.id)).stdout, "Still 42.\n");
  const after = await skep(["sessions", "list", "--json"], at.options);
  const parents = after.stdout.trim().split("\n").map((line) => JSON.parse(line).parent);
  assertEquals(parents, [only.id, undefined]);
  const unknown = await say("x", "--resume", "ses_0");
  assertEquals([unknown.code, unknown.stdout], [1, ""]);
  assertStringIncludes(unknown.stderr, 'There is no session "ses_0"');
  const both = await say("x", "--resume", "ses_0", "--continue");
  assertEquals(both.code, 1);
});

Deno.test("a call that was under way when skep was killed is told as interrupted, and not run again (T97, T108)", async () => {
  await using provider = startPromptProvider([
    { parts: [{ text: "I wait." }, { call: "fake__sleep", input: '{"ms":60000}' }] },
    { parts: [{ text: "I see." }] },
  ]);
  await using at = await place(provider.env);
  const file = await serverFile(at.state, { fake: fakeServer(["--tools", "sleep"]) });
  const args = ["chat", ...MODEL, "--mcp", file];
  {
    await using running = await startSkep([...args, "-p", "wait a minute"], at.options);
    await running.closeStdin();
    const database = join(at.state, "sessions", "sessions.db");
    await running.until(() => isRecorded(database, '"type":"call"'));
    killAll([running.pid, ...await descendants(running.pid)]);
    await running.ended;
  }
  const resumed = await skep([...args, "--continue", "-p", "what happened?"], at.options);
  assertEquals([resumed.code, resumed.stdout], [0, "I see.\n"]);
  const { messages } = provider.prompts()[1]!.body;
  const roles = messages.map(({ role }: { role: string }) => role);
  assertEquals(roles.slice(-4), ["user", "assistant", "tool", "user"]);
  const [call] = messages.at(-3).tool_calls;
  assertEquals(messages.at(-2).tool_call_id, call.id);
  assertMatch(JSON.stringify(messages.at(-2).content), /may or may not have happened/);
  assertEquals(provider.prompts().length, 2);
  assert(!JSON.stringify(messages.slice(0, -2)).includes("may or may not"));
});

Deno.test("a session that cannot be kept goes on without, and says so", async () => {
  await using at = await place({});
  await Deno.writeTextFile(join(at.state, "sessions"), "a file where the folder should be");
  const answer = await skep(["chat", "-p", "/help"], at.options);
  assertEquals(answer.code, 0);
  assertStringIncludes(answer.stderr, "This session will not be kept:");
  const resumed = await skep(["chat", "-p", "/help", "--continue"], at.options);
  assertEquals([resumed.code, resumed.stdout], [2, ""]);
});

Deno.test("a damaged page of the store ends no new chat, and costs no other session (T110)", async () => {
  await using at = await place({});
  assertEquals((await skep(["chat", "-p", "/help"], at.options)).code, 0);
  const database = join(at.state, "sessions", "sessions.db");
  const before = await skep(["sessions", "list", "--json"], at.options);
  const { id, records } = JSON.parse(before.stdout);
  const file = await Deno.readFile(database);
  // Where the facts of the session are: in their table and in its indexes.
  const text = new TextDecoder("latin1").decode(file);
  const page = Math.floor(text.lastIndexOf(id) / 4096);
  file.fill(0xff, page * 4096, (page + 1) * 4096);
  await Deno.writeFile(database, file);
  const answer = await skep(["chat", "-p", "/help"], at.options);
  assertEquals(answer.code, 0, answer.stderr);
  assertMatch(answer.stderr, /The store of sessions .* was damaged\. 1 sessions with \d+ records/);
  const after = await skep(["sessions", "list", "--json"], at.options);
  assertEquals([after.code, after.stderr], [0, ""]);
  const sessions = after.stdout.trim().split("\n").map((line) => JSON.parse(line));
  const old = sessions.find((session) => session.id === id);
  assertEquals([sessions.length, old.records, old.cwd], [2, records, at.cwd]);
  assertEquals((await skep(["chat", "--resume", id, "-p", "/help"], at.options)).code, 0);
});

Deno.test("sessions show told nothing of why a turn had failed", async () => {
  await using at = await place({});
  const script =
    "replies:\n  - parts:\n      - error: { code: PROVIDER_FAILED, message: the roof fell in }\n";
  await Deno.writeTextFile(join(at.cwd, "model.yaml"), script);
  const args = ["--sandbox", "off", "--model", "script:model.yaml", "-p", "go"];
  assertEquals((await skep(["chat", ...args], at.options)).code, 2);
  const list = await skep(["sessions", "list", "--json"], at.options);
  const { stdout } = await skep(["sessions", "show", JSON.parse(list.stdout).id], at.options);
  assertMatch(stdout, /\n> go\n\n\[the turn failed: the roof fell in\]\n$/);
});

Deno.test("sessions show, export, import and rm: a session is shown, moved to another store, and gone", async () => {
  await using provider = startPromptProvider([
    { parts: [{ call: "dev__todo", input: '{"todos":[{"text":"feed the cat"}]}' }] },
    { parts: [{ text: "The cat is on the list." }] },
  ]);
  await using at = await place(provider.env);
  await using other = await place(provider.env);
  const sessions = (...args: string[]) => skep(["sessions", ...args], at.options);
  assertEquals((await skep(["chat", ...MODEL, "-p", "plan my day"], at.options)).code, 0);
  const { id } = JSON.parse((await sessions("list", "--json")).stdout);

  const shown = await sessions("show", id);
  assertEquals([shown.code, shown.stderr], [0, ""]);
  assertStringIncludes(shown.stdout, "> plan my day\n");
  assertStringIncludes(shown.stdout, '→ dev__todo {"todos":[{"text":"feed the cat"}]}\n');
  assertMatch(shown.stdout, /\nThe cat is on the list\.\n$/);
  const records = (await sessions("show", id, "--json")).stdout.trim().split("\n")
    .map((line) => JSON.parse(line));
  assertEquals(records.map(({ seq }) => seq), records.map((_, index) => index + 1));
  assertEquals([records[0].record.type, records.at(-1).record.type], ["opened", "stop"]);

  const file = join(at.cwd, "day.skep-session");
  assertEquals((await sessions("export", id, "day.skep-session")).code, 0);
  const again = await sessions("export", id, "day.skep-session");
  assertEquals(again.code, 1);
  assertStringIncludes(again.stderr, "it is there already; --replace replaces it");
  const nowhere = await sessions("export", id, "nope/day");
  assertEquals([nowhere.code, nowhere.stdout], [1, ""]);
  assertStringIncludes(nowhere.stderr, `Cannot export to ${join(at.cwd, "nope", "day")}: `);
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(join(other.cwd, "bad"), text.replace("feed the cat", "feed the dog"));
  const changed = await skep(["sessions", "import", "bad"], other.options);
  assertEquals([changed.code, changed.stdout], [1, ""]);
  const imported = await skep(["sessions", "import", file, "--json"], other.options);
  assertEquals(JSON.parse(imported.stdout), { id, how: "added" });
  const there = await skep(["sessions", "show", id], other.options);
  assertMatch(there.stdout, /\nThe cat is on the list\.\n$/);

  for (const action of ["show", "export", "rm"]) {
    const { code, stderr } = await sessions(action);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `skep sessions ${action} needs an ID: skep sessions list --all`);
  }
  const removed = await sessions("rm", id, "ses_0");
  assertEquals(removed.code, 1);
  assertStringIncludes(removed.stderr, 'There is no session "ses_0"');
  const gone = await sessions("show", id);
  assertEquals([gone.code, gone.stdout], [1, ""]);
});

Deno.test("an import that was cut short never got its artifacts; a damaged one was exported without a word", async () => {
  await using at = await place({});
  await using other = await place({});
  assertEquals((await skep(["chat", "-p", "/help"], at.options)).code, 0);
  const { id } = JSON.parse((await skep(["sessions", "list", "--json"], at.options)).stdout);
  const name = "a1-7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed.txt"; // of "one"
  const pathIn = (state: string) => join(state, "sessions", "artifacts", id, name);
  await Deno.mkdir(join(pathIn(at.state), ".."), { recursive: true });
  await Deno.writeTextFile(pathIn(at.state), "one");
  assertEquals((await skep(["sessions", "export", id, "s"], at.options)).code, 0);
  const bring = () => skep(["sessions", "import", join(at.cwd, "s")], other.options);
  assertEquals((await bring()).stdout, `${id} is here now\n`);
  await Deno.writeTextFile(pathIn(other.state), "o"); // it was cut off
  const mended = "was here already; artifacts that were missing or damaged are here now: 1";
  assertEquals((await bring()).stdout, `${id} ${mended}\n`);
  assertEquals(await Deno.readTextFile(pathIn(other.state)), "one");
  assertEquals(
    (await bring()).stdout,
    `${id} was here already, with all that is in the file\n`,
  );
  await Deno.remove(join(pathIn(other.state), ".."), { recursive: true });
  await Deno.writeTextFile(join(pathIn(other.state), ".."), "in the way");
  const failed = await bring();
  assertEquals([failed.code, failed.stdout], [2, ""]);
  assertStringIncludes(failed.stderr, `Cannot use the sessions in ${other.state}`);
  await Deno.writeTextFile(pathIn(at.state), "two");
  const damaged = await skep(["sessions", "export", id], at.options);
  assertEquals([damaged.code, damaged.stdout.includes(name)], [0, false]);
  assertStringIncludes(
    damaged.stderr,
    `The artifact ${name} of session ${id} is not in what is exported: it is not as it was written`,
  );
});

Deno.test({
  name: "a device as the file of an export or import was a defect",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using at = await place({});
    assertEquals((await skep(["chat", "-p", "/help"], at.options)).code, 0);
    const { id } = JSON.parse((await skep(["sessions", "list", "--json"], at.options)).stdout);
    for (const path of ["/dev/stdout", "/dev/full"]) {
      const { code, stderr } = await skep(["sessions", "export", id, path], at.options);
      assertEquals(code, 1);
      assertStringIncludes(
        stderr,
        `Cannot export to ${path}: it is no regular file. Without a FILE the session is printed`,
      );
    }
    const { code, stderr } = await skep(["sessions", "import", "/dev/stdin"], at.options);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "Cannot import /dev/stdin: it is no regular file");
  },
});

Deno.test("a title with a line break or an escape was printed raw by sessions list", async () => {
  await using at = await place({});
  assertEquals((await skep(["chat", "-p", "/help"], at.options)).code, 0);
  using database = new DatabaseSync(join(at.state, "sessions", "sessions.db"));
  database.prepare("UPDATE sessions SET title = ?").run("one\ntwo\u001b[2Jthree");
  const { stdout } = await skep(["sessions", "list"], at.options);
  assertMatch(stdout, /^[^\n]* one two \[2Jthree\n$/);
});

Deno.test("a file too large for the context ended the turn, and the session forgot its task", async () => {
  await using provider = startPromptProvider([
    { parts: [{ text: "Noted." }] },
    { parts: [{ call: "dev__todo", input: '{"todos":[{"text":"feed the cat"}]}' }] },
    { parts: [{ call: "dev__read_file", input: '{"path":"big.txt"}' }] },
    { parts: [{ text: "Read." }] },
  ]);
  await using at = await place({ ...provider.env, SKEP_MAX_CONTEXT_TOKENS: "12000" });
  await Deno.writeTextFile(join(at.cwd, "big.txt"), "line of text here\n".repeat(2700));
  const say = (text: string, ...more: string[]) =>
    skep(["chat", ...MODEL, ...more, "-p", text], at.options);
  assertEquals((await say("TASK alpha-42 limit 7319")).code, 0);
  const { code, stdout, stderr } = await say("never touch legacy", "--continue");
  assertEquals([code, stdout], [0, "Read.\n"]);
  assertStringIncludes(
    stderr,
    "The context was compacted: large results of calls became references",
  );
  const last = JSON.stringify(provider.prompts().at(-1)!.body.messages);
  const kept = ["TASK alpha-42 limit 7319", "never touch legacy", "feed the cat"];
  for (const text of [...kept, "read_artifact a1 has the whole", "use offset="]) {
    assertStringIncludes(last, text);
  }
});

Deno.test("a session whose folder was removed says so, and goes on where --cwd says", async () => {
  await using at = await place({});
  const gone = join(at.cwd, "gone");
  await Deno.mkdir(gone);
  assertEquals((await skep(["chat", "--cwd", gone, "-p", "/help"], at.options)).code, 0);
  const { id } = JSON.parse(
    (await skep(["sessions", "list", "--all", "--json"], at.options)).stdout,
  );
  await Deno.remove(gone);
  const refused = await skep(["chat", "--resume", id, "-p", "/help"], at.options);
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertStringIncludes(
    refused.stderr,
    `Cannot go on with session ${id} in ${gone}, where it worked: there is no such folder any more. ` +
      "Make it again, or say with --cwd where to go on",
  );
  const moved = await skep(["chat", "--resume", id, "--cwd", at.cwd, "-p", "/help"], at.options);
  assertEquals(moved.code, 0, moved.stderr);
});

Deno.test("a session whose persona is gone says how it goes on", async () => {
  await using at = await place({});
  const persona = join(at.cwd, "own.persona.md");
  await Deno.writeTextFile(
    persona,
    "---\nname: own\ndisplay_name: Own\ndescription: Own\n---\nBe brief.\n",
  );
  const first = await skep(["chat", "--persona", persona, "-p", "/help"], at.options);
  assertEquals(first.code, 0, first.stderr);
  const { id } = JSON.parse((await skep(["sessions", "list", "--json"], at.options)).stdout);
  await Deno.remove(persona);
  const refused = await skep(["chat", "--continue", "-p", "/help"], at.options);
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertStringIncludes(
    refused.stderr,
    `Session ${id} was begun with it: --persona NAME goes on with another one`,
  );
});

Deno.test("sessions show and export give what is sound of a damaged session, and name the record that is not (T110)", async () => {
  await using at = await place({});
  await using other = await place({});
  const sessions = (...args: string[]) => skep(["sessions", ...args], at.options);
  assertEquals((await skep(["chat", "-p", "/help"], at.options)).code, 0);
  assertEquals((await skep(["chat", "--continue", "-p", "/tools"], at.options)).code, 0);
  const { id } = JSON.parse((await sessions("list", "--json")).stdout);
  const records = (await sessions("show", id, "--json")).stdout.trim().split("\n")
    .map((line) => JSON.parse(line));
  const { seq } = records.findLast(({ record }) => record.type === "prompt");
  const db = new DatabaseSync(join(at.state, "sessions", "sessions.db"));
  db.exec(`UPDATE records SET body = substr(body, 1, 20) WHERE seq = ${seq}`);
  db.close();
  const named = `Session ${id} is damaged from record ${seq} on (it is not as it was written): `;
  const shown = await sessions("show", id);
  assertEquals([shown.code, shown.stderr], [0, `${named}what is shown ends before it\n`]);
  assertStringIncludes(shown.stdout, "> /help\n");
  assertEquals(shown.stdout.includes("> /tools"), false);
  const inJson = await sessions("show", id, "--json");
  assertEquals(inJson.stdout.trim().split("\n").length, seq - 1);
  assertStringIncludes(inJson.stderr, named);
  const exported = await sessions("export", id, "s.skep-session");
  assertEquals([exported.code, exported.stderr], [0, `${named}what is exported ends before it\n`]);
  const imported = await skep(
    ["sessions", "import", join(at.cwd, "s.skep-session"), "--json"],
    other.options,
  );
  assertEquals(JSON.parse(imported.stdout), { id, how: "added" });
  assertStringIncludes((await skep(["sessions", "show", id], other.options)).stdout, "> /help\n");
});

const CAN_READ_ONLY = Deno.uid() !== 0 || CAN_BE_ANOTHER;

Deno.test({
  name:
    `a store that may only be read could not be read: its sessions are listed, shown, exported and resumed, and nothing is kept (${
      CAN_READ_ONLY
        ? "as an ordinary user"
        : "skipped: root may write everything, and setpriv is not there"
    })`,
  ignore: !CAN_READ_ONLY,
  fn: async () => {
    await using user = CAN_BE_ANOTHER
      ? await ordinaryUser(denoDir(denoHost()))
      : await thisUser(denoDir(denoHost()));
    const env = {
      ...childEnv(user.folder),
      DENO_DIR: user.denoDir,
      SKEP_STATE_DIR: join(user.folder, "state"),
    };
    const cwd = join(user.folder, "work");
    await Deno.mkdir(cwd);
    const { uid, gid } = await Deno.stat(user.folder);
    await Deno.chown(cwd, uid, gid);
    const run = async (args: readonly string[]) => {
      const [program, all] = skepCommand(args);
      const [first, ...rest] = [...user.before, program, ...all];
      return await runChild(first!, rest, { cwd, env });
    };
    const chat = (...args: string[]) => run(["chat", "--sandbox", "off", ...args]);
    const first = await chat("-p", "/help");
    assertEquals(first.code, 0, first.stderr);
    const folder = join(user.folder, "state", "sessions");
    const database = join(folder, "sessions.db");
    const before = await Deno.readFile(database);
    await Promise.all([Deno.chmod(database, 0o400), Deno.chmod(folder, 0o500)]);
    const list = await run(["sessions", "list", "--json"]);
    assertStringIncludes(
      list.stderr,
      `${database} may not be written to: what is in it is only read`,
    );
    const { id } = JSON.parse(list.stdout);
    for (const args of [["show", id], ["export", id]]) {
      const { code, stdout } = await run(["sessions", ...args]);
      assertEquals([code, stdout.includes("/help")], [0, true], args[0]);
    }
    const resumed = await chat("--continue", "-p", "/help");
    assertEquals(resumed.code, 0, resumed.stderr);
    assertStringIncludes(
      resumed.stderr,
      `What is said here from now on will not be kept: Cannot use the sessions in ${database}: ` +
        "it may not be written to. Give yourself the right to write it and its folder, " +
        "or set SKEP_STATE_DIR to another folder",
    );
    // What belongs to it stays where it may be written.
    const artifact = join(folder, "artifacts", id, "kept.txt");
    await Deno.mkdir(dirname(artifact), { recursive: true });
    await Deno.writeTextFile(artifact, "kept");
    for (const each of [dirname(dirname(artifact)), dirname(artifact), artifact]) {
      await Deno.chown(each, uid, gid);
    }
    await Deno.chmod(folder, 0o700);
    assertEquals((await chat("--resume", id, "-p", "/help")).code, 0);
    assertEquals(await Deno.readTextFile(artifact), "kept");
    const removed = await run(["sessions", "rm", id]);
    assertEquals([removed.code, removed.stdout], [2, ""]);
    assertStringIncludes(removed.stderr, "it may not be written to");
    const fresh = await chat("-p", "/help");
    assertEquals(fresh.code, 0);
    assertStringIncludes(fresh.stderr, "This session will not be kept:");
    assertEquals(await Deno.readFile(database), before);
    await Promise.all([Deno.chmod(folder, 0o700), Deno.chmod(database, 0o600)]);
  },
});

function isRecorded(database: string, text: string): boolean {
  try {
    return [database, `${database}-wal`].some((path) =>
      new TextDecoder("latin1").decode(Deno.readFileSync(path)).includes(text)
    );
  } catch {
    return false; // it is not there yet
  }
}
