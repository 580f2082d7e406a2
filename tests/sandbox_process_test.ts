// Real children from prepared launches, under Deno's flags alone: what they hold, and what they do not.
import { dirname, join } from "@std/path";
import { SkepError } from "../lib/errors.ts";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import type { ExitStatus } from "../lib/host/process.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import type { LaunchContext } from "../lib/sandbox/context.ts";
import { type Launch, prepareLaunch } from "../lib/sandbox/launch.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "./assert.ts";
import { fromRepo, tempFolder } from "./harness.ts";

/** A folder of its own with a workspace, a home, skep's folders, and files outside of the workspace. */
interface Place extends AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly context: LaunchContext;
  /** What `context.progress` was told. */
  readonly progress: string[];
  /** The temporary folders that were made. */
  readonly made: string[];
  write(path: string, text: string): Promise<string>;
  prepare(spec: Partial<ServerSpec>, more?: Partial<LaunchContext>): Promise<Launch>;
}

async function makePlace(name = "ws", env: Record<string, string> = {}): Promise<Place> {
  const folder = await tempFolder();
  const root = folder.path;
  const workspace = join(root, name);
  await Deno.mkdir(workspace, { recursive: true });
  await Deno.mkdir(join(root, "home"));
  const host = denoHost();
  const progress: string[] = [];
  const made: string[] = [];
  const variables: Record<string, string | undefined> = {
    HOME: join(root, "home"),
    DENO_DIR: denoDir(host), // nothing that the tests have is fetched again
    ...env,
  };
  const context: LaunchContext = {
    host: {
      ...host,
      env: (each) => each in variables ? variables[each] : host.env(each),
      files: {
        ...host.files,
        makeTempFolder: async (prefix) => {
          const path = await host.files.makeTempFolder(prefix);
          made.push(path);
          return path;
        },
      },
    },
    workspace,
    folders: {
      config: join(root, "config"),
      state: join(root, "state"),
      cache: join(root, "cache"),
    },
    programRoot: fromRepo("."),
    sandbox: "auto",
    confiner: () => Promise.resolve({ problem: "these tests hold Deno's flags alone" }),
    isOffline: false,
    limits: DEFAULT_LIMITS,
    progress: (line) => void progress.push(line),
  };
  return {
    root,
    workspace,
    context,
    progress,
    made,
    write: async (path, text) => {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
      return join(root, path);
    },
    prepare: (spec, more = {}) =>
      prepareLaunch({
        name: "probe",
        command: "",
        args: [],
        env: {},
        origin: { kind: "flag", where: "--mcp" },
        permissions: { sandbox: "prefer" },
        ...spec,
      }, { ...context, ...more }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Starts what was prepared, gives it `input`, waits for its end, and releases it. */
async function run(
  launch: Launch,
  input = "",
): Promise<{ status: ExitStatus; stdout: string; stderr: string }> {
  try {
    const child = denoHost().spawn(launch.command);
    const writer = child.stdin.getWriter();
    const written = writer.write(new TextEncoder().encode(input)).then(() => writer.close());
    const [status, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      written.catch(() => {}), // a child that reads nothing may be gone
    ]);
    return { status, stdout, stderr };
  } finally {
    await launch.release();
  }
}

/** A script that tries each of its arguments, `ACTION VALUE`, and prints what came of it as JSON. */
const PROBE = `
const results = {};
for (const word of Deno.args) {
  const [action, value] = [word.slice(0, word.indexOf(" ")), word.slice(word.indexOf(" ") + 1)];
  try {
    if (action === "read") results[word] = await Deno.readTextFile(value);
    if (action === "write") results[word] = await Deno.writeTextFile(value, "written") ?? "ok";
    if (action === "run") results[word] = (await new Deno.Command(value).output()).code;
    if (action === "connect") results[word] = await Deno.connect({ hostname: value, port: 9 });
    if (action === "env") results[word] = Deno.env.get(value) ?? "not set";
    if (action === "sys") results[word] = Deno[value]();
    if (action === "import") results[word] = await import(value);
  } catch (error) {
    results[word] = action === "import" ? error.message : error.name;
  }
}
console.log(JSON.stringify(results));
`;

async function probe(launch: Launch): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await run(launch);
  assertEquals(status.code, 0, stderr);
  return JSON.parse(stdout);
}

for (const name of ["x,/etc", "a -A", "b --allow-run", "a b", "ü", "$(id)", "-A"]) {
  Deno.test(`a server in a workspace named ${JSON.stringify(name)} has that folder and nothing more`, async () => {
    await using place = await makePlace(name);
    const { workspace } = place;
    const inside = await place.write(`${name}/in.txt`, "inside");
    const outside = await place.write("out.txt", "outside");
    const launch = await place.prepare({
      command: await place.write("server/probe.ts", PROBE),
      args: [
        "read in.txt",
        `read ${inside}`,
        `write ${join(workspace, "new.txt")}`,
        "write ./sub/new.txt",
        `read ${outside}`,
        `read ${join(workspace, "..", "out.txt")}`,
        `write ${outside}`,
        "read /etc/passwd",
        "run true",
        "connect 127.0.0.1",
        "env HOME",
        "env EDITOR",
        "sys hostname",
      ],
      permissions: { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"], sandbox: "prefer" },
    });
    await Deno.mkdir(join(workspace, "sub"));
    assertEquals(await probe(launch), {
      "read in.txt": "inside",
      [`read ${inside}`]: "inside",
      [`write ${join(workspace, "new.txt")}`]: "ok",
      "write ./sub/new.txt": "ok",
      [`read ${outside}`]: "NotCapable",
      [`read ${join(workspace, "..", "out.txt")}`]: "NotCapable",
      [`write ${outside}`]: "NotCapable",
      "read /etc/passwd": "NotCapable",
      "run true": "NotCapable",
      "connect 127.0.0.1": "NotCapable",
      "env HOME": join(dirname(launch.grant.tmp), "home"),
      "env EDITOR": "not set",
      "sys hostname": "NotCapable",
    });
  });
}

Deno.test("a server with empty lists has its private folder alone (T61)", async () => {
  await using place = await makePlace();
  const inside = await place.write("ws/in.txt", "inside");
  const launch = await place.prepare({
    command: await place.write("server/probe.ts", PROBE),
    args: ["connect 127.0.0.1", "run true", `read ${inside}`, `write ${inside}`],
    permissions: { read: [], write: [], net: [], run: [], env: [], sys: [], sandbox: "prefer" },
  });
  assertEquals(Object.values(await probe(launch)), Array(4).fill("NotCapable"));
});

Deno.test("a server may write its private folder, which goes with it", async () => {
  await using place = await makePlace();
  const command = await place.write(
    "server/tmp.ts",
    `const file = Deno.env.get("TMPDIR") + "/x";
    await Deno.writeTextFile(file, "kept");
    console.log(await Deno.readTextFile(file));`,
  );
  const launch = await place.prepare({ command });
  const { mode } = await Deno.stat(dirname(launch.grant.tmp));
  assertEquals((mode ?? 0) & 0o777, 0o700);
  assertEquals((await run(launch)).stdout, "kept\n");
  await assertRejects(() => Deno.stat(dirname(launch.grant.tmp)), Deno.errors.NotFound);
});

Deno.test("a server's environment is the table, and what its spec sets (T86, T88)", async () => {
  const key = "nsec1" + "q".repeat(58);
  await using place = await makePlace("ws", {
    TERM: "xterm",
    LANG: "C.UTF-8",
    TZ: "UTC",
    BUZZ_PRIVATE_KEY: key,
    NODE_OPTIONS: "--no-warnings",
    EDITOR: "vi",
    ...Object.fromEntries(
      ["LC_ALL", "LC_CTYPE", "LC_MESSAGES", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"]
        .concat(["http_proxy", "https_proxy", "all_proxy", "no_proxy"])
        .concat(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"])
        .map((name) => [name, ""]),
    ),
  });
  const env = { FOO: " a,b\n$HOME ü", EMPTY: "", LEAK: key, BUZZ_PRIVATE_KEY: "x" };
  const launch = await place.prepare({ command: "env", args: ["-0"], env });
  const { stdout } = await run(launch);
  const seen = Object.fromEntries(
    stdout.split("\0").filter((each) => each !== "")
      .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
  );
  assertEquals(Object.keys(seen).sort(), [
    ...["EMPTY", "FOO", "HOME", "LANG", "NO_COLOR", "PATH", "TERM", "TMPDIR", "TZ"],
  ]);
  assertEquals([seen.FOO, seen.EMPTY], [env.FOO, ""]);
  assertEquals(launch.grant.cut.map(({ value }) => value), ["LEAK", "BUZZ_PRIVATE_KEY"]);

  const script = `console.log(JSON.stringify(Deno.env.toObject()));`;
  const command = await place.write("server/env.ts", script);
  const inDeno = await run(await place.prepare({ command, env }));
  assertEquals(Object.keys(JSON.parse(inDeno.stdout)).sort(), Object.keys(seen).sort());
});

Deno.test("a server's arguments arrive exactly, in Deno and natively (T34)", async () => {
  await using place = await makePlace();
  const args = [
    "--x",
    "a b",
    "",
    "-A",
    "--",
    "$(id)",
    "ü\n",
    "--allow-read=/",
    "${WORKSPACE}",
    '"',
  ];
  const command = await place.write(
    "server/args.ts",
    "console.log(JSON.stringify([Deno.args, Deno.cwd()]));",
  );
  const script = await run(await place.prepare({ command, args }));
  assertEquals(JSON.parse(script.stdout), [args, place.workspace]);
  const native = await run(await place.prepare({ command: "printf", args: ["%s\\0", ...args] }));
  assertEquals(native.stdout, args.map((each) => `${each}\0`).join(""));
});

Deno.test("a script's static imports are held to its grant (T51)", async () => {
  await using place = await makePlace();
  const secret = await place.write("id.json", `{"key": "secret"}`);
  for (
    const [name, text] of [
      [
        "json.ts",
        `import s from ${JSON.stringify(secret)} with { type: "json" };\nconsole.log(s);`,
      ],
      [
        "text.ts",
        `import s from ${JSON.stringify(secret)} with { type: "text" };\nconsole.log(s);`,
      ],
      ["chain.ts", `import "./json.ts";`],
    ] as const
  ) {
    const command = await place.write(`server/${name}`, text);
    const { status, stdout, stderr } = await run(await place.prepare({ command }));
    assertEquals([status.code, stdout], [1, ""], name);
    assertStringIncludes(stderr, `Requires read access to "${secret}"`);
  }
});

Deno.test("a script may import what lies beside it, and nothing above", async () => {
  await using place = await makePlace();
  await place.write("server/lib/part.ts", `export const part = "beside";`);
  await place.write("above.ts", `export const above = "above";`);
  const beside = await place.write(
    "server/a.ts",
    `import { part } from "./lib/part.ts";\nconsole.log(part);`,
  );
  assertEquals((await run(await place.prepare({ command: beside }))).stdout, "beside\n");
  const above = await place.write("server/b.ts", `import "../above.ts";`);
  assertEquals((await run(await place.prepare({ command: above }))).status.code, 1);
});

Deno.test("no import leaves the machine, and none fetches (T52)", async () => {
  await using place = await makePlace();
  const asked: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      asked.push(request.url);
      return new Response("export {};", { headers: { "content-type": "text/javascript" } });
    },
  );
  const targets = [
    `http://127.0.0.1:${server.addr.port}/x?secret`,
    "https://raw.githubusercontent.com/x?secret", // from there Deno imports without being asked
    "jsr:@skep-test/none@1",
    "npm:skep-test-none@1",
  ];
  const launch = await place.prepare({
    command: await place.write("server/probe.ts", PROBE),
    args: targets.map((target) => `import ${target}`),
  });
  for (const [what, message] of Object.entries(await probe(launch))) {
    assertMatch(`${what}: ${message}`, /--(no-remote|cached-only) is specified/);
  }
  assertEquals(asked, []);
});

Deno.test("flags alone follow a link out of the workspace: what confinement is for (T53)", async () => {
  await using place = await makePlace();
  const outside = await place.write("out.txt", "outside");
  await Deno.symlink(outside, join(place.workspace, "link"));
  const launch = await place.prepare({
    command: await place.write("server/probe.ts", PROBE),
    args: ["read link"],
    permissions: { read: ["${WORKSPACE}"], sandbox: "prefer" },
  });
  assertStringIncludes(
    launch.notices.join("\n"),
    "links that lead out of a granted folder are followed",
  );
  assertEquals(await probe(launch), { "read link": "outside" });
});

Deno.test("the workspace's configuration is not the server's", async () => {
  await using place = await makePlace();
  await place.write(
    "ws/deno.json",
    `{"imports": {"mapped": "./mapped.ts"}, "lock": {"frozen": true}}`,
  );
  await place.write("ws/package.json", `{"type": "commonjs", "dependencies": {"nope": "99"}}`);
  await place.write("ws/mapped.ts", "export {};");
  const command = await place.write("ws/server/probe.ts", PROBE);
  const launch = await place.prepare({
    command,
    args: ["import mapped"],
    permissions: { read: ["${WORKSPACE}"], sandbox: "prefer" },
  });
  assertEquals(await probe(launch), { "import mapped": 'Import "mapped" not a dependency' });
});

Deno.test("a program that is not there is named, and nothing is left behind (T27)", async () => {
  await using place = await makePlace();
  for (const command of ["/no/such", "no-such-program", "./no-such.ts"]) {
    const error = await assertRejects(() => place.prepare({ command }), SkepError, command);
    assertEquals(error.code, "SERVER_SPAWN_FAILED");
  }
  await assertRejects(
    () => place.prepare({ command: "env", permissions: { read: ["/"] } }),
    SkepError,
  );
  assertEquals(place.made.length > 0, true);
  for (const folder of place.made) {
    await assertRejects(() => Deno.stat(folder), Deno.errors.NotFound);
  }
});

Deno.test("a bundled server starts from source, its imports looked up once", async () => {
  await using place = await makePlace();
  const spec = { command: "skep", args: ["mcp", "dev"] };
  const hello = (launch: Launch) =>
    run(
      launch,
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "t", version: "1" },
        },
      }) + "\n",
    );
  const first = await hello(await place.prepare(spec));
  assertMatch(first.stdout, /"id":1,.*"serverInfo"|"serverInfo".*"id":1/);
  const markers = async () => {
    const names = [];
    for await (const { name } of Deno.readDir(join(place.root, "cache", "warm"))) names.push(name);
    return names.length;
  };
  assertEquals(await markers(), 1);
  assertMatch((await hello(await place.prepare(spec, { isOffline: true }))).stdout, /serverInfo/);
});

Deno.test("a package of npm is fetched once, and then starts with no network", async () => {
  await using place = await makePlace();
  const cache = join(place.root, "deno");
  const online = { ...place.context.host };
  const host = (more: Record<string, string>) => ({
    ...online,
    env: (name: string) => ({ DENO_DIR: cache, ...more })[name] ?? online.env(name),
  });
  const spec = {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "."],
    permissions: { read: ["${WORKSPACE}"], sandbox: "prefer" },
  } as const;
  await (await place.prepare(spec, { host: host({}) })).release();
  assertStringIncludes(
    place.progress.join("\n"),
    "Fetching npm:@modelcontextprotocol/server-filesystem@2026.8.31",
  );

  await place.write("ws/a.txt", "from the workspace");
  await place.write("out.txt", "outside");
  const nowhere = "http://127.0.0.1:9";
  const launch = await place.prepare(spec, {
    host: host({ https_proxy: nowhere, HTTPS_PROXY: nowhere }),
    isOffline: true,
  });
  const { args } = launch.command;
  assertEquals(args.slice(0, 4), ["run", "--no-prompt", "--no-remote", "--cached-only"]);
  assertEquals(args.slice(-2), ["npm:@modelcontextprotocol/server-filesystem@2026.8.31", "."]);
  const call = (id: number, name: string, path: string) => ({
    id,
    method: "tools/call",
    params: { name, arguments: { path, content: "x" } },
  });
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    call(2, "read_text_file", join(place.workspace, "a.txt")),
    call(3, "read_text_file", join(place.root, "out.txt")),
    call(4, "write_file", join(place.workspace, "b.txt")),
  ];
  const input = messages.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each }) + "\n").join("");
  const { stdout, stderr } = await run(launch, input);
  const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const answer = (id: number) => JSON.stringify(answers.find((each) => each.id === id) ?? stderr);
  assertStringIncludes(answer(2), "from the workspace");
  assertStringIncludes(answer(3), '"isError":true');
  assertStringIncludes(answer(4), '"isError":true');
  await assertRejects(() => Deno.stat(join(place.workspace, "b.txt")), Deno.errors.NotFound);
});

Deno.test("a package that does not exist is one clear error", async () => {
  await using place = await makePlace();
  const spec = {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem@0.0.0-none"],
  };
  const error = await assertRejects(
    () => place.prepare(spec),
    SkepError,
    'server "probe": the npm registry has no @modelcontextprotocol/server-filesystem@0.0.0-none',
  );
  assertEquals(error.code, "PACKAGE_NOT_FOUND");
});
