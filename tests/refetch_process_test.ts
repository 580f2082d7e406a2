// What happens when Deno's cache is emptied behind skep's back: the server is fetched and started once more.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import { startRegistry } from "../lib/mcp/start_registry.ts";
import { explainDenial, findDenial } from "../lib/sandbox/denial.ts";
import { prepareLaunch } from "../lib/sandbox/launch.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { launchOf, startFakes, stateOf, textOf } from "./fake_servers.ts";
import { grantPlace, NAMESPACES, workingBackends } from "./grant_place.ts";
import { npmProblem } from "./npm_problem.ts";

const SERVER = "@modelcontextprotocol/server-filesystem@2026.8.31";
const [backend] = await workingBackends(NAMESPACES);

Deno.test("a server that did not find what it imports is prepared once more, and only once", async () => {
  const asked: [name: string, isRefetching: boolean][] = [];
  const released: string[] = [];
  const miss = "error: npm package not found in cache: x, --cached-only is specified.";
  const broken = { name: "a", knobs: ["--exit-init=1", `--stderr=${miss}`] };
  const prepareWith = (second: { name: string; knobs?: string[] }) =>
  (
    spec: ServerSpec,
    isRefetching: boolean,
  ) => {
    asked.push([spec.name, isRefetching]);
    const launch = launchOf(spec, isRefetching ? second : broken, released);
    return Promise.resolve({ ...launch, notices: ["A notice"] });
  };
  {
    const options = { prepare: prepareWith({ name: "a" }) };
    await using session = await startFakes([{ name: "a" }], {}, options);
    assertEquals(textOf(await session.call("a__echo", { text: "hi" })), "hi");
    assertEquals(session.notices, ["A notice"]);
    assertEquals([asked, released], [[["a", false], ["a", true]], ["a"]]);
  }
  await using session = await startFakes([{ name: "a" }], {}, { prepare: prepareWith(broken) });
  assertEquals(session.notices.length, 2);
  assertStringIncludes(session.notices[1] ?? "", "--cached-only is specified");
  assertEquals(asked.length, 4);
});

Deno.test("an idle server whose first start does not find what it imports is fetched once more, and its call is answered", async () => {
  const asked: boolean[] = [];
  const released: string[] = [];
  const miss = "error: npm package not found in cache: x, --cached-only is specified.";
  const broken = { name: "a", knobs: ["--exit-init=1", `--stderr=${miss}`] };
  const tool = { name: "echo", description: "", inputSchema: { type: "object" }, notes: [] };
  const list = { tools: [tool], hooks: [], remarks: [] };
  const lists = { recall: () => Promise.resolve(list), remember: () => Promise.resolve() };
  const start = (second: { name: string; knobs?: string[] }) =>
    startFakes([{ name: "a" }], { eagerServers: 0 }, {
      lists,
      prepare: (spec, isRefetching) => {
        asked.push(isRefetching);
        return Promise.resolve(launchOf(spec, isRefetching ? second : broken, released));
      },
    });
  {
    await using session = await start({ name: "a" });
    assertEquals(stateOf(session, "a"), "idle");
    const both = [session.call("a__echo", { text: "1" }), session.call("a__echo", { text: "2" })];
    assertEquals((await Promise.all(both)).map(textOf), ["1", "2"]);
    assertEquals([asked, released, session.notices], [[false, true], ["a"], []]);
  }
  await using session = await start(broken);
  const { isError, isUndelivered } = await session.call("a__echo", { text: "1" });
  assertEquals([isError, isUndelivered, asked.length], [true, true, 4]);
  assertEquals([stateOf(session, "a"), session.notices.length], ["exhausted", 1]);
  assertStringIncludes(session.notices[0] ?? "", "--cached-only is specified");
});

Deno.test("a server that fails for another reason is not prepared again", async () => {
  let prepared = 0;
  const broken = { name: "a", knobs: ["--exit-init=3", "--stderr=no config"] };
  await using session = await startFakes([broken], {}, {
    prepare: (spec) => {
      prepared++;
      return Promise.resolve(launchOf(spec, broken, []));
    },
  });
  assertEquals([prepared, session.notices.length], [1, 1]);
});

const problem = await npmProblem();

Deno.test({
  name: "a package of npm whose cache was emptied in part is fetched again, the same tree",
  ignore: problem !== undefined || backend === undefined,
  fn: async () => {
    const confined = backend === undefined ? {} : { backend };
    await using place = await grantPlace({ ...confined, hasOwnCache: true });
    const said: string[] = [];
    const start = async () => {
      const origin = { kind: "flag", where: "test" } as const;
      const registry = await startRegistry({
        specs: [{ name: "files", command: "npx", args: ["-y", SERVER, "."], env: {}, origin }],
        prepare: (spec, isRefetching) =>
          prepareLaunch(spec, {
            ...place.context,
            isRefetching,
            progress: (line) => void said.push(line),
          }),
        findDenial,
        explainDenial,
        world: denoHost(),
        limits: DEFAULT_LIMITS,
        onNotice: (text) => void said.push(text),
        onLog: () => {},
        clientInfo: { name: "skep-test", version: "1" },
        roots: [place.workspace],
        signal: new AbortController().signal,
      });
      const state = registry.servers()[0]?.state;
      await registry.close();
      return state;
    };
    assertEquals(await start(), "healthy");
    const lock = await lockOf(place.root);
    assertEquals(await emptyPackage(join(place.root, "deno"), "zod"), 1);
    said.length = 0;
    assertEquals(await start(), "healthy");
    assertEquals(said.filter((line) => line.startsWith("Fetching ")).length, 1);
    assertEquals(await lockOf(place.root), lock);
  },
});

/** The text of the one lock file that skep keeps. */
async function lockOf(root: string): Promise<string> {
  const folder = join(root, "state", "npm");
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return await Deno.readTextFile(join(folder, names.find((name) => name.endsWith(".lock")) ?? ""));
}

/** Removes a package from a cache of Deno's; gives from how many registries. */
async function emptyPackage(cache: string, name: string): Promise<number> {
  let removed = 0;
  for await (const registry of Deno.readDir(join(cache, "npm"))) {
    const path = join(cache, "npm", registry.name, name);
    const isThere = await Deno.stat(path).then(() => true, () => false);
    if (!isThere) continue;
    await Deno.remove(path, { recursive: true });
    removed++;
  }
  return removed;
}
