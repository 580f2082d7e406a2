// SKEP_LOG_ACCESS=1 and `skep audit --session`: what servers of a session did, and what was refused to them.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { NAMESPACE_BACKENDS } from "./confined.ts";
import { fakeServer, fromRepo, serverFile, skep, tempFolder } from "./harness.ts";
import { folderWith } from "./packs.ts";

interface Line {
  readonly at: string;
  readonly server: string;
  readonly access: string;
  readonly value: string;
  readonly allowed: boolean;
  readonly source: string;
  readonly isCertain?: false;
  readonly unseen?: string;
  readonly cutOffAtBytes?: number;
}

/** Answers a prompt with the servers, and gives the session's id as it was told, and its log. */
async function logged(
  servers: Readonly<Record<string, unknown>>,
  prompt: string,
  cwd: string,
  more: Readonly<Record<string, string>> = {},
) {
  const state = await tempFolder();
  const place = await tempFolder();
  const env = { SKEP_STATE_DIR: state.path, SKEP_LOG_ACCESS: "1", ...more };
  const file = await serverFile(place.path, servers);
  const chat = await skep(
    ["chat", "--model", "offline", "--mcp", file, "--cwd", cwd, "-p", prompt],
    { env },
  );
  const [, id = ""] = /skep audit --session (\S+) shows it/.exec(chat.stderr) ?? [];
  assert(id !== "", chat.stderr);
  const audit = (...args: string[]) => skep(["audit", "--session", id, ...args], { env });
  const { code, stdout, stderr } = await audit("--json");
  assertEquals(code, 0, stderr);
  const lines = stdout.trimEnd().split("\n").map((line): Line => JSON.parse(line));
  const path = `${state.path}/sessions/accesses/${id}.jsonl`;
  const dispose = async () => {
    await place[Symbol.asyncDispose]();
    await state[Symbol.asyncDispose]();
  };
  return { id, chat, audit, lines, path, env, [Symbol.asyncDispose]: dispose };
}

const TOKEN = "t0ken-0123456789";

Deno.test({
  name:
    "a session's log calls no question for all variables a denial, since those that are granted answer it",
  ignore: Deno.build.os === "windows", // a FIFO carries what Deno records
  fn: async () => {
    await using work = await tempFolder();
    await using log = await logged({ fake: fakeServer() }, "/fake__env", work.path);
    const all = log.lines.filter(({ server, access }) => server === "fake" && access === "env")
      .filter(({ value }) => value === "*");
    assertEquals(all.map(({ allowed, source }) => [allowed, source]), [[true, "deno"]]);
    assertStringIncludes(
      (await log.audit()).stdout,
      "  allowed  fake  env, all that it is granted  (deno)\n",
    );
  },
});

Deno.test("a session's log had secrets of a server's command line in clear", async () => {
  await using work = await tempFolder();
  const args = ["--token", "hunter2hunter2", "https://u:pw123456@db.example/x"];
  await using log = await logged({ fake: fakeServer(args) }, "/fake__argv", work.path);
  const [ready] = log.lines.filter(({ server, access }) => server === "fake" && access === "ready");
  assertStringIncludes(ready?.value ?? "", "--token [secret] https://u:[secret]@db.example/x");
  const text = await Deno.readTextFile(log.path);
  assertEquals(["hunter2", "pw123456"].filter((secret) => text.includes(secret)), []);
});

Deno.test("a session's accesses and denials are logged, without secrets, and go with the session", async () => {
  await using work = await folderWith({ "a.txt": "this one" });
  await using other = await folderWith({ "b.txt": "not this one", [TOKEN]: "nor this" });
  const read = (path: string) => `/fake__read path="${path}"`;
  const prompt = [`${work.path}/a.txt`, `${other.path}/b.txt`, `${other.path}/${TOKEN}`]
    .map(read).join("\n");
  const fake = fakeServer([], { permissions: { read: ["${WORKSPACE}"] }, env: { TOKEN } });
  await using log = await logged({ fake }, prompt, work.path);
  const own = log.lines.filter(({ server }) => server === "fake");

  const [ready] = own;
  assertEquals([ready?.access, ready?.allowed, ready?.source], ["ready", true, "skep"]);
  assertStringIncludes(ready?.value ?? "", "--allow-read=.");
  assertStringIncludes(ready?.unseen ?? "", "all that programs do which it starts");
  const of = (value: string) =>
    own.filter((line) => line.value === value && line.access === "read")
      .map(({ allowed, source }) => [allowed, source]).sort(); // Deno's come through a pipe, whenever it is read
  const isRecorded = Deno.build.os !== "windows"; // a FIFO carries what Deno records
  assertEquals(of(`${work.path}/a.txt`), isRecorded ? [[true, "deno"]] : []);
  assertEquals(
    of(`${other.path}/b.txt`),
    [...(isRecorded ? [[false, "deno"]] : []), [false, "result"]],
  );
  assertEquals(of(`${other.path}/[secret TOKEN]`).at(-1), [false, "result"]);
  for (const { at } of own) assertEquals(new Date(at).toISOString(), at);

  const text = await Deno.readTextFile(log.path);
  assert(!text.includes(TOKEN));
  if (Deno.build.os !== "windows") {
    assertEquals((await Deno.stat(log.path)).mode! & 0o777, 0o600);
    assertEquals((await Deno.stat(log.path.replace(/\/[^/]*$/, ""))).mode! & 0o777, 0o700);
  }
  const words = await log.audit();
  assertEquals(words.code, 0);
  assertStringIncludes(words.stdout, `  denied   fake  read ${other.path}/b.txt  (result)\n`);
  assertStringIncludes(words.stdout, "  not recorded of fake: static imports");
  assertEquals((await log.audit("dev")).code, 1);
  assertEquals((await log.audit("--probe")).code, 1);

  assertEquals((await skep(["sessions", "rm", log.id], { env: log.env })).code, 0);
  const gone = await log.audit();
  assertEquals([gone.code, gone.stdout], [1, ""]);
  assertStringIncludes(gone.stderr, `No accesses of a session "${log.id}" were logged`);
  const traversal = await skep(["audit", "--session", "../sessions"], { env: log.env });
  assertEquals(traversal.code, 1);
});

Deno.test("a log is cut off at its bound, which its last line says", async () => {
  await using work = await folderWith({ "a.txt": "this one" });
  const fake = fakeServer([], { permissions: { read: ["${WORKSPACE}"] } });
  const prompt = Array(20).fill(`/fake__read path="/none"`).join("\n");
  const bound = { SKEP_MAX_ACCESS_LOG_BYTES: "2048" };
  await using log = await logged({ fake }, prompt, work.path, bound);
  assertEquals(log.lines.at(-1)?.cutOffAtBytes, 2048);
  assertEquals(log.lines.filter((line) => line.cutOffAtBytes !== undefined).length, 1);
  const { size } = await Deno.stat(log.path);
  assert(size <= 2048 + 100, `${size}`);
  const words = await log.audit();
  assertStringIncludes(words.stdout, "the log is full: nothing after 2048 bytes was recorded");
});

Deno.test({
  name:
    "of a native server the log has what is known, concluded denials too, and says that it is all",
  ignore: NAMESPACE_BACKENDS.length === 0,
  fn: async () => {
    await using work = await folderWith({ "a.txt": "this one" });
    const script = fromRepo("tests/fixtures/fake_mcp.ts");
    const native = {
      command: "bash",
      args: ["-c", `exec deno run -A --no-config --no-lock ${script}`],
      permissions: { read: ["${WORKSPACE}", script], run: ["bash", "deno"] },
    };
    const prompt =
      `/native__read path="${work.path}/a.txt"\n/native__fail text="EACCES: permission denied, open '/other/b.txt'"`;
    await using log = await logged({ native }, prompt, work.path);
    assertStringIncludes(log.chat.stdout, "this one");
    const own = log.lines.filter(({ server }) => server === "native")
      .map(({ access, allowed, source, isCertain, unseen }) => [
        access,
        allowed,
        source,
        isCertain ?? true,
        unseen ?? "",
      ]);
    assertEquals(own, [
      [
        "ready",
        true,
        "skep",
        true,
        "all that it touches, but for refusals that a result or its network proxy shows",
      ],
      ["read", false, "result", false, ""],
    ]);
  },
});
