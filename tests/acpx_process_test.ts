// What a person sees who drives the agent by acpx, a client of ACP for the command line, from npm.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { childEnv, runChild, skepCommand, tempFolder } from "./harness.ts";

const ACPX = "acpx@0.19.1";

/** One person's acpx in one workspace. */
interface Acpx extends AsyncDisposable {
  readonly work: string;
  /** Runs it against `skep acp`, to its end. */
  run(...args: readonly string[]): Promise<{ code: number; said: string }>;
}

async function acpx(agentArgs: readonly string[] = []): Promise<Acpx> {
  const home = await tempFolder();
  const work = join(home.path, "work");
  await Deno.mkdir(work);
  const [program, args] = skepCommand(["acp", ...agentArgs]);
  const agent = [program, ...args].map((word) => JSON.stringify(word)).join(" ");
  const own = Deno.env.get("HOME") ?? home.path;
  const env = childEnv(home.path, {
    npm_config_cache: Deno.env.get("npm_config_cache") ?? join(own, ".npm"),
    npm_config_userconfig: join(own, ".npmrc"), // it may name the registry
    npm_config_loglevel: "error",
    ...caFile(),
  });
  return {
    work,
    run: async (...args) => {
      const all = ["-y", ACPX, "--ttl", "10", "--agent", agent, ...args];
      const { code, stdout, stderr } = await runChild("npx", all, { cwd: work, env });
      return { code, said: stdout + stderr };
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

function caFile(): Record<string, string> {
  const path = Deno.env.get("NODE_EXTRA_CA_CERTS");
  return path === undefined ? {} : { NODE_EXTRA_CA_CERTS: path };
}

/** Why there is no acpx here; undefined when there is. */
async function acpxProblem(): Promise<string | undefined> {
  try {
    await using client = await acpx();
    const { code, said } = await client.run("--version");
    return code === 0 ? undefined : said.trim().split("\n").at(-1);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "there is no npx";
    throw error;
  }
}

const problem = await acpxProblem();
const ignore = problem !== undefined;
const why = problem === undefined ? "" : ` (not run: ${problem})`;

Deno.test({
  name: `acpx prompts, sees a call, and asks its person about one that a rule asks about${why}`,
  ignore,
  fn: async () => {
    await using rules = await tempFolder();
    const policy = join(rules.path, "policy.yaml");
    await Deno.writeTextFile(policy, "approvals:\n  - ask: dev__write_file\n");
    await using client = await acpx(["--policy", policy]);
    await Deno.writeTextFile(join(client.work, "a.txt"), "one bee\n");
    const [read, denied, allowed] = await Promise.all([
      client.run("exec", "/dev__read_file path=a.txt"),
      client.run("--deny-all", "exec", "/dev__write_file path=denied.txt content=hi"),
      client.run("--approve-all", "exec", "/dev__write_file path=b.txt content=hi"),
    ]);
    assertEquals(read.code, 0, read.said);
    assertMatch(read.said, /\[tool\] dev__read_file a\.txt/);
    assertStringIncludes(read.said, "one bee");
    assertStringIncludes(read.said, "[done] end_turn");
    assertStringIncludes(denied.said, "denied by the person who was asked");
    assertStringIncludes(allowed.said, "[done] end_turn");
    const names = [...Deno.readDirSync(client.work)].map(({ name }) => name).sort();
    assertEquals(names, ["a.txt", "b.txt"]);
    assertEquals(await Deno.readTextFile(join(client.work, "b.txt")), "hi");
  },
});

Deno.test({
  name: `acpx keeps a session, cancels a call in it, and prompts again${why}`,
  ignore,
  fn: async () => {
    await using client = await acpx();
    const created = await client.run("sessions", "new");
    assertMatch(created.said, /ses_[0-9a-f]{16}/);
    const mark = join(client.work, "runs.txt");
    let isOver = false;
    const running = client.run("prompt", '/dev__shell command="touch runs.txt; sleep 7777"')
      .finally(() => isOver = true);
    while (!isOver && await Deno.stat(mark).catch(() => undefined) === undefined) {
      await new Promise((wake) => setTimeout(wake, 100));
    }
    let cancel = "";
    while (!isOver && !cancel.includes("cancel requested")) {
      cancel = (await client.run("cancel")).said;
    }
    assertStringIncludes((await running).said, "[done] cancelled");
    const again = await client.run("prompt", "/dev__read_file path=runs.txt");
    assertStringIncludes(again.said, "[done] end_turn");
  },
});

Deno.test({
  name: `acpx goes on with a session that was closed${why}`,
  ignore,
  fn: async () => {
    await using client = await acpx();
    await Deno.writeTextFile(join(client.work, "a.txt"), "one bee\n");
    await client.run("sessions", "new");
    const first = await client.run("prompt", "/dev__read_file path=a.txt");
    assertStringIncludes(first.said, "one bee");
    const shown = await client.run("sessions", "show");
    const id = /^sessionId: (ses_\w+)$/m.exec(shown.said)?.[1] ?? "";
    const closed = await client.run("sessions", "close");
    assertEquals(closed.code, 0, closed.said);
    const resumed = await client.run("sessions", "new", "--resume-session", id);
    assertEquals(resumed.code, 0, resumed.said);
    const again = await client.run("prompt", "/dev__read_file path=a.txt");
    assertStringIncludes(again.said, "[done] end_turn");
    const listed = await client.run("sessions", "list");
    assertMatch(listed.said, new RegExp(`${id}\\t.*"turns":2`), again.said);
  },
});
