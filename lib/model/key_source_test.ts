import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { FileFacts, Files } from "../host/files.ts";
import type { Process, SpawnCommand } from "../host/process.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { STAND_IN_KEY, withCredentials } from "./credentials.ts";
import type { EndpointVariables } from "./endpoint.ts";
import { type KeyWorld, openEndpoint } from "./key_source.ts";

const ACME: EndpointVariables = {
  provider: "acme",
  key: "ACME_KEY",
  baseUrl: "ACME_URL",
  defaultBaseUrl: "https://api.acme.test",
  isKeyFreeOnLoopback: false,
};

type World = {
  env?: Record<string, string>;
  files?: Record<string, { text?: string; mode?: number; isSymlink?: boolean }>;
  /** What the command prints, run by run. */
  prints?: string[];
  code?: number;
};

function worldOf({ env = {}, files = {}, prints = [], code = 0 }: World) {
  const commands: SpawnCommand[] = [];
  const facts = (path: string) => {
    const file = files[path];
    if (file === undefined) return Promise.resolve(undefined);
    const { mode = 0o600, isSymlink = false } = file;
    const found: FileFacts = { isFile: !isSymlink, isDirectory: false, isSymlink, bytes: 1, mode };
    return Promise.resolve(found);
  };
  const world: KeyWorld = {
    env: (name) => env[name],
    cwd: () => "/home/me",
    limits: DEFAULT_LIMITS,
    sleep: (_ms, signal) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    files: {
      stat: facts,
      lstat: facts,
      readText: (path: string) => Promise.resolve(files[path]?.text ?? ""),
    } as unknown as Files,
    spawn: (command) => {
      commands.push(command);
      const stream = (text: string) => new Blob([text]).stream();
      const child: Process = {
        pid: 1,
        stdin: new WritableStream(),
        stdout: stream(prints.shift() ?? ""),
        stderr: stream("it is locked"),
        exited: Promise.resolve({ code, signal: undefined }),
        signalGroup: () => true,
        endStarted: () => Promise.resolve(0),
      };
      return child;
    },
  };
  return { world, commands };
}

Deno.test("openEndpoint() takes the variable before the file, and the file before the command", async () => {
  const files = { "/k": { text: "from-file\n" } };
  const operator = { keyFile: "/k", keyCommand: ["/bin/pass"] };
  const key = async (env: Record<string, string>) =>
    (await openEndpoint(ACME, operator, worldOf({ env, files }).world)).key;
  assertEquals(await key({ ACME_KEY: "from-variable" }), "from-variable");
  assertEquals(await key({}), "from-file");
  const other = { ...files, "/other": { text: "other" } };
  const { world } = worldOf({ env: { ACME_KEY_FILE: "/other" }, files: other });
  assertEquals((await openEndpoint(ACME, operator, world)).key, "other");
});

Deno.test("openEndpoint() without any source names the variable", async () => {
  const error = await assertRejects(() => openEndpoint(ACME, {}, worldOf({}).world), SkepError);
  assertEquals([error.code, error.message], [
    "MODEL_KEY_MISSING",
    "Cannot use the provider acme: ACME_KEY is not set",
  ]);
});

Deno.test("openEndpoint() refuses a key file that is open to others, a link, empty, or not there", async () => {
  const faults: [string, World["files"], string][] = [
    ["/k", { "/k": { text: "s3cret", mode: 0o640 } }, "it is open to others (640): chmod 600 it"],
    ["/k", { "/k": { text: "s3cret", mode: 0o604 } }, "it is open to others (604)"],
    [
      "/k",
      { "/k": { text: "s3cret", isSymlink: true } },
      "it must be a file, not a link or folder",
    ],
    ["/k", { "/k": { text: " \n" } }, "it is empty"],
    ["/k", {}, "there is none"],
    ["k", { k: { text: "s3cret" } }, "its path must be absolute"],
  ];
  for (const [keyFile, files = {}, why] of faults) {
    const { world } = worldOf({ files });
    const error = await assertRejects(() => openEndpoint(ACME, { keyFile }, world), SkepError, why);
    assertEquals([error.code, error.message.includes("s3cret")], ["CONFIG_INVALID", false]);
  }
});

Deno.test("openEndpoint() takes a key that a program prints up to its limit, and no longer one", async () => {
  const keyOf = async (length: number) => {
    const { world } = worldOf({ files: { "/bin/pass": {} }, prints: ["k".repeat(length)] });
    const limits = { ...DEFAULT_LIMITS, maxKeyBytes: 64 };
    const operator = { keyCommand: ["/bin/pass"] };
    const endpoint = await openEndpoint(ACME, operator, { ...world, limits });
    return await endpoint.credentials!.current();
  };
  assertEquals((await keyOf(64)).length, 64);
  await assertRejects(() => keyOf(65), SkepError, "it printed more than 64 bytes");
});

Deno.test("openEndpoint() runs a command once for requests that start together, and not before", async () => {
  const env = { PATH: "/usr/bin", HOME: "/home/me", ACME_TOKEN: "x", ANTHROPIC_API_KEY: "y" };
  const files = { "/usr/bin/pass": {} };
  const { world, commands } = worldOf({ env, files, prints: ["key-1\nmore\n"] });
  const endpoint = await openEndpoint(ACME, { keyCommand: ["pass", "show", "acme"] }, world);
  assertEquals([endpoint.key, commands.length], [STAND_IN_KEY, 0]);
  const keys = await Promise.all([
    endpoint.credentials!.current(),
    endpoint.credentials!.current(),
  ]);
  assertEquals([keys, endpoint.credentials!.known()], [["key-1", "key-1"], ["key-1"]]);
  assertEquals(commands, [{
    program: "/usr/bin/pass",
    args: ["show", "acme"],
    cwd: "/home/me",
    env: { PATH: "/usr/bin", HOME: "/home/me" },
  }]);
});

Deno.test("openEndpoint() says why a command gave no key, and tries it again the next time", async () => {
  const files = { "/bin/pass": {} };
  const run = async (more: World, program = "/bin/pass") => {
    const { world } = worldOf({ files, ...more });
    const endpoint = await openEndpoint(ACME, { keyCommand: [program] }, world);
    return await assertRejects(() => endpoint.credentials!.current(), SkepError);
  };
  assertEquals(
    (await run({ code: 2 })).message,
    "Cannot get the key of acme from /bin/pass: it ended with 2: it is locked",
  );
  assertEquals(
    (await run({ prints: ["two words"] })).message.endsWith("its first line is no key"),
    true,
  );
  assertEquals((await run({}, "gone")).message.endsWith("there is no such program on PATH"), true);
  const { world, commands } = worldOf({ files, prints: ["", "key-2"] });
  const { credentials } = await openEndpoint(ACME, { keyCommand: ["/bin/pass"] }, world);
  await assertRejects(() => credentials!.current(), SkepError);
  assertEquals([await credentials!.current(), commands.length], ["key-2", 2]);
});

Deno.test("openEndpoint() runs a command once for all that open the provider, and ends it with the program", async () => {
  const files = { "/bin/pass": {} };
  const { world, commands } = worldOf({ files, prints: ["key-1", "key-2"] });
  const shared: KeyWorld = { ...world, keyCommands: new Map() };
  const open = () => openEndpoint(ACME, { keyCommand: ["/bin/pass"] }, shared);
  const keys = [await open(), await open()].map(({ credentials }) => credentials!.current());
  assertEquals([await Promise.all(keys), commands.length], [["key-1", "key-1"], 1]);
  const killed: string[] = [];
  const stop = new AbortController();
  const exited = Promise.withResolvers<{ code: number; signal: undefined }>();
  const spawn: KeyWorld["spawn"] = (command) => ({
    ...world.spawn!(command),
    exited: exited.promise,
    endStarted: () => Promise.resolve(0),
    signalGroup: (signal) => {
      killed.push(signal);
      exited.resolve({ code: 137, signal: undefined });
      return true;
    },
  });
  const ending = { ...world, spawn, signal: stop.signal };
  const { credentials } = await openEndpoint(ACME, { keyCommand: ["/bin/pass"] }, ending);
  const pending = assertRejects(() => credentials!.current(), SkepError, "it ended with 137");
  while (commands.length < 2) await Promise.resolve();
  stop.abort();
  await pending;
  assertEquals(killed, ["SIGKILL"]);
});

Deno.test("withCredentials() does not wait for a login once it was aborted", async () => {
  const never = () => new Promise<string>(() => {});
  const send = () => Promise.reject(new Error("nothing may be sent"));
  const fetchIt = withCredentials(send, { current: never, renew: never, known: () => [] }, "k");
  const abort = new AbortController();
  const pending = fetchIt("http://a.test", { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assertRejects(() => pending, Error, "enough");
  await assertRejects(() => fetchIt("http://a.test", { signal: abort.signal }), Error, "enough");
});

Deno.test("withCredentials() sends the current key, and once another after a refusal", async () => {
  const sent: (string | null)[] = [];
  const refused = new SkepError("PROVIDER_AUTH_FAILED", "no", { provider: "acme", status: 401 });
  const send = (_url: string | URL | Request, init?: RequestInit) => {
    const key = new Headers(init?.headers).get("x-api-key");
    sent.push(key);
    return key === "good" ? Promise.resolve(new Response("ok")) : Promise.reject(refused);
  };
  const fetchWith = (keys: string[]) =>
    withCredentials(send, {
      current: () => Promise.resolve(keys[0]!),
      renew: () => Promise.resolve(keys[1]!),
      known: () => keys,
    }, STAND_IN_KEY);
  const init = { headers: { "x-api-key": STAND_IN_KEY } };
  assertEquals(await (await fetchWith(["old", "good"])("http://a.test", init)).text(), "ok");
  await assertRejects(() => fetchWith(["old", "old"])("http://a.test", init), SkepError);
  await assertRejects(() => fetchWith(["old", "bad"])("http://a.test", init), SkepError);
  assertEquals(sent, ["old", "good", "old", "old", "bad"]);
});
