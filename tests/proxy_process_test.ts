// The network proxy over real sockets, and real programs behind it in a real confinement. Nothing
// leaves this machine: every host is a server of the test's own on loopback.
import { join } from "@std/path";
import { confinerFinder } from "../lib/cli/find_confiner.ts";
import { SkepError } from "../lib/errors.ts";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import { openProxy, type ProxyOptions } from "../lib/proxy/http_proxy.ts";
import { auditOf } from "../lib/sandbox/audit.ts";
import type { BackendName } from "../lib/sandbox/backend.ts";
import type { LaunchContext } from "../lib/sandbox/context.ts";
import { type Launch, prepareLaunch } from "../lib/sandbox/launch.ts";
import { renderAudit } from "../lib/sandbox/render_audit.ts";
import type { Refusal } from "../lib/sandbox/server_proxy.ts";
import type { Permissions, ServerSpec } from "../lib/sandbox/spec.ts";
import { assertEquals, assertRejects, assertStringIncludes } from "./assert.ts";
import { fromRepo, runChild, tempFolder } from "./harness.ts";

const HOST = denoHost();

// The proxy alone, over real sockets.

/** A proxy that lets `granted.test` at any port through, which leads to 127.0.0.1. */
async function testProxy(
  more: Partial<ProxyOptions> = {},
): Promise<
  { readonly path: string; connect(text?: string): Promise<Deno.Conn> } & AsyncDisposable
> {
  const folder = await tempFolder();
  const path = join(folder.path, "proxy");
  const proxy = await openProxy({
    path,
    allows: (host) => ["granted.test", "127.0.0.1"].includes(host),
    explain: ({ host, port }) => `no ${host}:${port}`,
    onRefused: () => {},
    world: { ...HOST, lookup: () => Promise.resolve(["127.0.0.1"]) },
    limits: DEFAULT_LIMITS,
    ...more,
  });
  return {
    path,
    connect: async (text = "") => {
      const conn = await Deno.connect({ transport: "unix", path });
      await conn.write(new TextEncoder().encode(text));
      return conn;
    },
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A listener on this machine's loopback, with its port. */
function listen(): Deno.TcpListener & { readonly port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return Object.assign(listener, { port: listener.addr.port });
}

async function readText(conn: Deno.Conn, until?: string): Promise<string> {
  const buffer = new Uint8Array(1000);
  let text = "";
  while (until === undefined || !text.includes(until)) {
    const count = await conn.read(buffer);
    if (count === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return text;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

Deno.test("the proxy tunnels over real sockets, and passes on the end of either side", async () => {
  await using proxy = await testProxy();
  using listener = listen();
  using client = await proxy.connect(`CONNECT granted.test:${listener.port} HTTP/1.1\r\n\r\n`);
  using server = await listener.accept();
  assertEquals(await readText(client, "\r\n\r\n"), "HTTP/1.1 200 Connection established\r\n\r\n");
  await client.write(bytesOf("question"));
  await client.closeWrite();
  assertEquals(await readText(server), "question");
  await server.write(bytesOf("answer"));
  await server.closeWrite();
  assertEquals(await readText(client), "answer");
});

Deno.test("the proxy passes a plain request on, one a connection", async () => {
  await using proxy = await testProxy();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      new Response(
        `${request.method} ${request.headers.get("host")} ${new URL(request.url).pathname}`,
      ),
  );
  const { port } = server.addr;
  const request = `GET http://GRANTED.test.:${port}/a HTTP/1.1\r\nHost: other.test\r\n\r\n`;
  using client = await proxy.connect(request + request);
  const text = await readText(client);
  assertStringIncludes(text, "HTTP/1.1 200 OK\r\n");
  assertStringIncludes(text.toLowerCase(), "connection: close\r\n");
  assertEquals(text.split("\r\n\r\n")[1], `GET granted.test:${port} /a`);
});

Deno.test("the proxy refuses a granted name that leads to loopback, and connects to nobody", async () => {
  await using proxy = await testProxy({ allows: (host) => host === "granted.test" });
  using listener = listen();
  for (const host of ["granted.test", "127.0.0.1", "0x7f.1", "2130706433", "[::ffff:7f00:1]"]) {
    using client = await proxy.connect(`CONNECT ${host}:${listener.port} HTTP/1.1\r\n\r\n`);
    await client.closeWrite();
    assertStringIncludes(await readText(client), "HTTP/1.1 403 Forbidden\r\n");
  }
  const accepted = listener.accept().then(() => true, () => false);
  listener.close();
  assertEquals(await accepted, false);
});

Deno.test("the proxy stops a server whose client does not read", async () => {
  await using proxy = await testProxy();
  using listener = listen();
  using client = await proxy.connect(`CONNECT granted.test:${listener.port} HTTP/1.1\r\n\r\n`);
  using server = await listener.accept();
  const chunk = new Uint8Array(64 * 1024);
  let written = 0;
  const writing = (async () => {
    while (written < 64 * 1024 * 1024) written += await server.write(chunk);
  })().catch(() => {});
  for (let before = -1; before !== written;) { // until nothing has moved for a while
    before = written;
    await HOST.sleep(300);
  }
  assertEquals(written < 32 * 1024 * 1024, true, `${written} bytes were taken`);
  client.close();
  await writing;
});

Deno.test("the proxy ends a tunnel whose client breaks off, and one that says nothing for long", async () => {
  await using proxy = await testProxy({ limits: { ...DEFAULT_LIMITS, proxyIdleMs: 1000 } });
  using listener = listen();
  for (const isClosed of [true, false]) {
    const client = await proxy.connect(`CONNECT granted.test:${listener.port} HTTP/1.1\r\n\r\n`);
    using server = await listener.accept();
    await readText(client, "\r\n\r\n");
    if (isClosed) client.close();
    assertEquals(await readText(server), "");
    if (!isClosed) client.close();
  }
});

Deno.test("the proxy answers a slow head and an endless one, and frees their places", async () => {
  const limits = {
    ...DEFAULT_LIMITS,
    maxProxyConnections: 1,
    proxyHeadMs: 2000,
    maxProxyHeadBytes: 1024,
  };
  await using proxy = await testProxy({ limits });
  for (
    const [text, status] of [
      ["CONNECT granted.test:1 HT", "408"],
      [`GET http://granted.test/ HTTP/1.1\r\nA: ${"x".repeat(5000)}`, "431"],
      ["CONNECT other.test:1 HTTP/1.1\r\n\r\n", "403"],
    ] as const
  ) {
    const client = await proxy.connect(text);
    assertStringIncludes(await readText(client, "\r\n\r\n"), `HTTP/1.1 ${status} `);
    client.close();
    (await proxy.connect("CONN")).close();
    await HOST.sleep(500); // both are gone then
  }
});

Deno.test("the proxy's socket is for this user alone, and goes when it closes", async () => {
  const proxy = await testProxy();
  assertEquals(Deno.statSync(proxy.path).mode! & 0o777, 0o600);
  using waiting = await proxy.connect("CONN");
  await proxy[Symbol.asyncDispose]();
  assertEquals(await readText(waiting).catch(() => ""), "");
  await assertRejects(() => proxy.connect());
});

Deno.test("connectTcp() reaches an IPv6 address, and gives up with its signal", async () => {
  const port = await listenOnIpv6();
  if (port === undefined) return; // this machine has no IPv6
  const signal = AbortSignal.timeout(5000);
  const connection = await HOST.connectTcp("::1", port, signal);
  connection.close();
  await assertRejects(() => HOST.connectTcp("127.0.0.1", port, AbortSignal.abort()));
});

/** A port of ::1 at which one connection is taken; undefined where there is no such address. */
function listenOnIpv6(): Promise<number | undefined> {
  try {
    const listener = Deno.listen({ hostname: "::1", port: 0 });
    listener.accept().then((conn) => {
      conn.close();
      listener.close();
    });
    return Promise.resolve(listener.addr.port);
  } catch {
    return Promise.resolve(undefined);
  }
}

// Programs in a confinement.

/** A place to prepare launches from, with a web server outside at `port` that answers `outside`. */
interface Place extends AsyncDisposable {
  readonly port: number;
  readonly workspace: string;
  readonly refusals: Refusal[];
  prepare(spec: Partial<ServerSpec>, more?: Partial<LaunchContext>): Promise<Launch>;
}

async function makePlace(backend: BackendName, env: Record<string, string> = {}): Promise<Place> {
  const folder = await tempFolder();
  const workspace = join(folder.path, "ws");
  await Deno.mkdir(workspace);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("outside"),
  );
  const finder = confinerFinder(backend, fromRepo("."), HOST);
  const refusals: Refusal[] = [];
  const variables: Record<string, string | undefined> = {
    HOME: folder.path,
    DENO_DIR: denoDir(HOST),
    ...Object.fromEntries(PROXY_NAMES.map((name) => [name, undefined])),
    ...env,
  };
  const context: LaunchContext = {
    host: {
      ...HOST,
      env: (name) => name in variables ? variables[name] : HOST.env(name),
      lookup: (name) =>
        name.endsWith(".test") || name === "localhost"
          ? Promise.resolve(["127.0.0.1"])
          : Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`)),
    },
    workspace,
    folders: {
      config: join(folder.path, "config"),
      state: join(folder.path, "state"),
      cache: join(folder.path, "cache"),
    },
    programRoot: fromRepo("."),
    sandbox: "auto",
    confiner: () => finder.find(),
    isOffline: false,
    limits: DEFAULT_LIMITS,
    progress: () => {},
    onRefused: (refusal) => refusals.push(refusal),
  };
  return {
    port: server.addr.port,
    workspace,
    refusals,
    prepare: (spec, more = {}) =>
      prepareLaunch({
        name: "probe",
        command: "bash",
        args: [],
        env: {},
        origin: { kind: "flag", where: "--mcp" },
        ...spec,
      }, { ...context, ...more }),
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      await finder[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const PROXY_NAMES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
];

/** Starts what was prepared, waits for its end, and releases it. */
async function run(launch: Launch): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const child = HOST.spawn(launch.command);
    const [{ code }, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.stdin.close().catch(() => {}), // it may be gone
    ]);
    child.signalGroup("SIGKILL"); // as the runtime does: the watch over its own life stays until then
    return { code, stdout, stderr };
  } finally {
    await launch.release();
  }
}

/** Runs a script in a confined `bash` and gives its lines. */
async function bash(
  place: Place,
  script: string,
  net: readonly string[],
  more: Permissions = {},
): Promise<string[]> {
  const permissions: Permissions = { net, sandbox: "require", ...more };
  const launch = await place.prepare({ args: ["-c", script], permissions });
  const { code, stdout, stderr } = await run(launch);
  assertEquals([code, stderr], [0, ""]);
  return stdout.trimEnd().split("\n");
}

/** A test of each backend that makes network namespaces, where it works and the program is there. */
function namespaceTest(
  name: string,
  program: string,
  test: (place: Place, backend: BackendName) => Promise<void>,
  env: Record<string, string> = {},
): void {
  for (const backend of ["bwrap", "unshare"] as const) {
    Deno.test(`${backend}: ${name}`, async (t) => {
      await using place = await makePlace(backend, env);
      const reason = await missing(backend, program);
      await t.step({
        name: reason ?? "runs",
        ignore: reason !== undefined,
        fn: () => test(place, backend),
      });
    });
  }
}

/** Why a test cannot run here; undefined when it can. */
async function missing(backend: BackendName, program: string): Promise<string | undefined> {
  await using finder = confinerFinder(backend, fromRepo("."), HOST);
  const found = await finder.find();
  if ("problem" in found) return found.problem;
  const isThere = await HOST.files.stat(`/usr/bin/${program}`) !== undefined;
  return isThere ? undefined : `there is no /usr/bin/${program}`;
}

const CURL = "curl -sS -m 10";

namespaceTest(
  "a native program reaches the hosts of its grant, and no others",
  "curl",
  async (place) => {
    const { port } = place;
    const lines = await bash(
      place,
      `${CURL} http://svc.test:${port}/; echo
     ${CURL} -p http://svc.test:${port}/; echo
     ${CURL} http://other.test:${port}/
     ${CURL} -p -o /dev/null -w '%{http_connect}\\n' http://other.test:${port}/ 2>/dev/null
     ${CURL} http://svc.test:${port + 1}/
     ${CURL} http://other.test:${port}/ >/dev/null`,
      [`svc.test:${port}`, `127.0.0.1:${port}`],
    );
    const refused = (asked: string) =>
      `skep: Access denied: the grant of server "probe" does not let it connect to "${asked}". ` +
      `Its net list: "svc.test:${port}", "127.0.0.1:${port}". To allow it, write ` +
      `net: ["${asked}"] under permissions: of server "probe" in --mcp.`;
    assertEquals(lines, [
      "outside",
      "outside",
      refused(`other.test:${port}`),
      "403",
      refused(`svc.test:${port + 1}`),
    ]);
    assertEquals(place.refusals.map(({ server, host, port }) => [server, host, port]), [
      ["probe", "other.test", port],
      ["probe", "svc.test", port + 1],
    ]);
  },
);

namespaceTest(
  "a granted name that leads to loopback is refused, with the line",
  "curl",
  async (place) => {
    const { port } = place;
    const [line = ""] = await bash(place, `${CURL} http://svc.test:${port}/`, [`svc.test:${port}`]);
    assertStringIncludes(line, `svc.test:${port} leads to 127.0.0.1, which is loopback. `);
    assertStringIncludes(line, `write net: ["127.0.0.1:${port}"] under permissions:`);
    const lines = await bash(place, `${CURL} http://svc.test:${port}/`, ["*.svc.test", "loopback"]);
    assertEquals(lines, ["outside"]);
  },
);

namespaceTest(
  "past the proxy there is nothing, not even this machine's loopback",
  "curl",
  async (place) => {
    const { port } = place;
    const lines = await bash(
      place,
      `${CURL} --noproxy '*' http://127.0.0.1:${port}/ 2>/dev/null; echo $?
     ${CURL} --noproxy '*' http://svc.test:${port}/ 2>/dev/null; echo $?
     (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; echo $?
     (exec 3<>/dev/udp/127.0.0.1/53) 2>/dev/null; echo $?`,
      [`svc.test:${port}`, "loopback"],
    );
    assertEquals(lines, ["7", "6", "1", "1"]);
  },
);

namespaceTest(
  "every spelling of the proxy's variables is ours, whatever the person's are",
  "curl",
  async (place) => {
    const { port } = place;
    const names = PROXY_NAMES.filter((name) => !/no_proxy/i.test(name));
    const lines = await bash(
      place,
      `for name in ${names.join(" ")}; do
       env -i PATH="$PATH" "$name=\${!name}" ${CURL} http://svc.test:${port}/ 2>/dev/null; echo " $name"
     done
     echo "$NO_PROXY $no_proxy"`,
      [`svc.test:${port}`, `127.0.0.1:${port}`],
    );
    // curl takes HTTP_PROXY for no plain request, since a web server could set it.
    const direct = lines.filter((line) => !line.startsWith("outside"));
    assertEquals(direct, [
      " HTTP_PROXY",
      " HTTPS_PROXY",
      " https_proxy",
      "localhost,127.0.0.1,::1 localhost,127.0.0.1,::1",
    ]);
  },
  { NO_PROXY: "svc.test" },
);

namespaceTest("Python's own client finds the proxy", "python3", async (place) => {
  const { port } = place;
  const url = `http://svc.test:${port}/`;
  const lines = await bash(
    place,
    `/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen("${url}").read().decode())'
     /usr/bin/python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}), 5)' 2>&1 | tail -n 1`,
    [`svc.test:${port}`, "loopback"],
  );
  assertEquals(lines, ["outside", "ConnectionRefusedError: [Errno 111] Connection refused"]);
});

for (const host of ["localhost", "127.0.0.1"]) {
  namespaceTest(
    `a granted service of this machine (${host}:PORT) is reached by programs that heed NO_PROXY, or know no proxy`,
    "curl",
    async (place) => {
      const { port } = place;
      const lines = await bash(
        place,
        `for each in localhost 127.0.0.1; do ${CURL} http://$each:${port}/; echo; done
         ${CURL} --noproxy '*' http://localhost:${port}/; echo
         exec 3<>/dev/tcp/127.0.0.1/${port}
         printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -n 1 <&3; echo
         (exec 3<>/dev/tcp/127.0.0.1/${port + 1}) 2>/dev/null; echo $?`,
        [`${host}:${port}`],
      );
      assertEquals(lines, ["outside", "outside", "outside", "outside", "1"]);
    },
  );
}

namespaceTest(
  "a service of this machine without a port is refused, with the form",
  "bash",
  async (place) => {
    const error = await assertRejects(() => bash(place, "true", ["localhost"]), SkepError);
    assertEquals(error.code, "GRANT_INVALID");
    assertStringIncludes(error.message, "such as localhost:8080");
  },
);

namespaceTest("a granted port that takes privileges is told of", "bash", async (place) => {
  const launch = await place.prepare({ permissions: { net: ["localhost:80"] } });
  await launch.release();
  assertStringIncludes(launch.notices.join("\n"), "reaches localhost:80 through HTTP_PROXY alone");
});

namespaceTest("either side may end its stream first", "python3", async (place) => {
  using listener = listen();
  const served = (async () => {
    using server = await listener.accept();
    await server.write(bytesOf(`answer to ${await readText(server)}`));
  })();
  const lines = await bash(
    place,
    `/usr/bin/python3 -c '
import socket
s = socket.create_connection(("127.0.0.1", 17765), 5)
s.sendall(b"CONNECT 127.0.0.1:${listener.port} HTTP/1.1\\r\\n\\r\\n")
s.recv(1000)
s.sendall(b"question")
s.shutdown(socket.SHUT_WR)
print(s.makefile("r").read())'`,
    [`127.0.0.1:${listener.port}`],
  );
  assertEquals(lines, ["answer to question"]);
  await served;
});

namespaceTest(
  "the forwarder outlives the signals of the server's group, and ends with the server",
  "curl",
  async (place) => {
    const { port } = place;
    const script =
      `trap '' TERM; kill -TERM 0; ${CURL} http://svc.test:${port}/; wait; ps -e -o args=`;
    const permissions: Permissions = { net: [`svc.test:${port}`, "loopback"] };
    const launch = await place.prepare({ args: ["-c", script], permissions });
    const socket = launch.confined?.confinement.forwarder?.at(-1) ?? "";
    const { stdout } = await run(launch);
    assertEquals(stdout.slice(0, 7), "outside");
    assertEquals(
      stdout.split("\n").filter((line) => line.includes(`main.js 17765 ${socket}`)).length,
      1,
    );
    const { stdout: left } = await runChild("/bin/ps", ["-e", "-o", "pid=,ppid=,stat=,args="], {});
    assertEquals(left.split("\n").filter((line) => line.includes(socket)), []);
    assertEquals(await HOST.files.stat(socket), undefined);
  },
);

/** skep's own files with another forwarder: a script that does `first`, then says that it is ready. */
async function otherForwarder(folder: string, first: string): Promise<string> {
  for (const name of ["launch", "forward"]) {
    await Deno.mkdir(join(folder, "tools", name), { recursive: true });
  }
  const launcher = "tools/launch/main.js";
  await Deno.copyFile(fromRepo(launcher), join(folder, launcher));
  const script =
    `${first}; console.log("ready"); await new Promise(() => setInterval(() => {}, 1000));`;
  await Deno.writeTextFile(join(folder, "tools/forward/main.js"), script);
  return folder;
}

namespaceTest(
  "a server whose forwarder does not start in time is not started",
  "bash",
  async (place) => {
    const start = async (first: string, proxyStartS: number) => {
      await using folder = await tempFolder();
      const permissions: Permissions = { net: ["svc.test"] };
      const launch = await place.prepare({ args: ["-c", "echo started"], permissions }, {
        programRoot: await otherForwarder(folder.path, first),
        limits: { ...DEFAULT_LIMITS, proxyStartS },
      });
      return await run(launch);
    };
    const sleep = (ms: number) => `await new Promise((resolve) => setTimeout(resolve, ${ms}))`;
    assertEquals(await start(sleep(500), 5), { code: 0, stdout: "started\n", stderr: "" });
    for (
      const [first, startS] of [[sleep(60_000), 1], ["Deno.exit(1)", 60], [
        'console.log("no")',
        60,
      ]] as const
    ) {
      const { code, stdout, stderr } = await start(first, startS);
      assertEquals([code, stdout], [111, ""]);
      assertEquals(stderr, "skep: the forwarder to the network proxy did not start\n");
    }
  },
);

namespaceTest("large bodies arrive whole, both ways, many at once", "curl", async (place) => {
  const bytes = new Uint8Array(4 * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 65536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65536));
  }
  const hashOf = async (data: BufferSource) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", data)).toHex();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) =>
      request.method === "GET"
        ? new Response(bytes)
        : new Response(`${await hashOf(await request.arrayBuffer())}\n`),
  );
  const { port } = server.addr;
  const url = `http://svc.test:${port}/`;
  const lines = await bash(
    place,
    `${CURL} ${url} >a; sha256sum <a | cut -c 1-64
     for i in 1 2 3 4; do ${CURL} -p --data-binary @a ${url} & done; wait`,
    [`svc.test:${port}`, `127.0.0.1:${port}`],
    { write: ["\${WORKSPACE}"] },
  );
  const hash = await hashOf(bytes);
  assertEquals(lines, [hash, hash, hash, hash, hash]);
});

namespaceTest(
  "a Deno server that runs programs goes through the proxy, and so do they",
  "curl",
  async (place) => {
    const { port } = place;
    const file = join(place.workspace, "server.ts");
    await Deno.writeTextFile(
      file,
      `
    const [url, other] = Deno.args;
    console.log(await (await fetch(url)).text());
    const { stdout } = await new Deno.Command("curl", { args: ["-sS", url] }).output();
    console.log(new TextDecoder().decode(stdout));
    console.log((await new Deno.Command("curl", { args: ["-sS", "--noproxy", "*", other] }).output()).code);
    console.log(await fetch(other).then((answer) => answer.text(), (error) => error.name));
  `,
    );
    const permissions: Permissions = {
      read: ["\${WORKSPACE}"],
      net: [`svc.test:${port}`, "loopback"],
      run: ["curl"],
    };
    const urls = [`http://svc.test:${port}/`, `http://127.0.0.1:${port}/`];
    const launch = await place.prepare({
      command: "deno",
      args: ["run", file, ...urls],
      permissions,
    });
    assertEquals(launch.confined?.confinement.network, "own");
    const { stdout, stderr } = await run(launch);
    assertEquals([stdout, stderr], ["outside\noutside\n7\nTypeError\n", ""]);
  },
);

namespaceTest(
  "a Deno server that runs nothing keeps the machine's network, and Deno's flags",
  "bash",
  async (place) => {
    const { port } = place;
    const file = join(place.workspace, "server.ts");
    await Deno.writeTextFile(
      file,
      `
    for (const url of Deno.args) {
      console.log(await fetch(url).then((answer) => answer.text(), (error) => error.name));
    }
  `,
    );
    const permissions: Permissions = { read: ["\${WORKSPACE}"], net: [`localhost:${port}`] };
    const urls = [`http://localhost:${port}/`, `http://127.0.0.1:${port + 1}/`];
    const launch = await place.prepare({
      command: "deno",
      args: ["run", file, ...urls],
      permissions,
    });
    const { network, forwarder } = launch.confined!.confinement;
    assertEquals([network, forwarder], ["shared", undefined]);
    assertEquals(
      auditOf(launch).network,
      `the machine's, held to localhost:${port} by Deno's flags`,
    );
    const { stdout } = await run(launch);
    assertEquals(stdout, "outside\nNotCapable\n");
  },
);

namespaceTest("the audit says what network a server has", "bash", async (place) => {
  const network = async (permissions: Permissions) => {
    const launch = await place.prepare({ permissions });
    try {
      const audit = auditOf(launch);
      const shown = renderAudit(audit).split("\n").map((line) => line.trim().split(/ {2,}/));
      const row = shown.find(([name]) => name === "network");
      assertEquals(row, ["network", audit.network]);
      // What bounds memory is the machine's.
      return [audit.network, ...audit.unconfined.filter((line) => !/^its memory of/.test(line))];
    } finally {
      await launch.release();
    }
  };
  assertEquals(await network({}), ["own loopback"]);
  assertEquals(await network({ net: ["loopback:80", "unix:/run/x.sock"] }), [
    "own loopback; a service of this machine is named 127.0.0.1:80",
  ]);
  assertEquals(await network({ net: ["loopback", "*.example.org:443"] }), [
    "own loopback and, through skep's proxy, loopback, *.example.org:443",
    "it may open unix sockets that lie in its granted folders, since a socket is its way to the proxy",
  ]);
});

namespaceTest(
  "the person's own proxy is the way out where there is one",
  "curl",
  async (_place, backend) => {
    using listener = listen();
    const asked = answerAsProxy(listener, "upstream");
    await using place = await makePlace(backend, {
      HTTPS_PROXY: `http://127.0.0.1:${listener.port}`,
    });
    const lines = await bash(
      place,
      `${CURL} -p http://api.example.org/; echo; ${CURL} http://api.example.com/`,
      ["*.example.org"],
    );
    assertEquals(lines[0], "upstream");
    assertStringIncludes(lines[1]!, 'does not let it connect to "api.example.com:80"');
    assertEquals(await asked, "CONNECT api.example.org:80 HTTP/1.1");
  },
);

/** Takes one connection as a proxy does, answers the request in its tunnel, and gives what was asked for. */
async function answerAsProxy(listener: Deno.Listener, body: string): Promise<string> {
  using client = await listener.accept();
  const head = await readText(client, "\r\n\r\n");
  await client.write(bytesOf("HTTP/1.1 200 OK\r\n\r\n"));
  await readText(client, "\r\n\r\n");
  await client.write(bytesOf(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
  await readText(client);
  return head.split("\r\n")[0]!;
}

Deno.test("a program cannot be held to hosts without a network namespace: it is refused, and says so", async () => {
  await using place = await makePlace("landlock");
  const alone: Partial<LaunchContext> = {
    host: { ...HOST, isRoot: () => false },
    confiner: () =>
      Promise.resolve({
        backend: { name: "landlock", program: "" },
        arch: "x86_64",
        lifeline: "/unused",
      }),
  };
  const none: Partial<LaunchContext> = {
    confiner: () => Promise.resolve({ problem: "none here" }),
  };
  const cases: [Partial<LaunchContext>, Permissions, string][] = [
    [alone, { net: ["a.test"] }, "Landlock alone makes none"],
    [alone, { net: ["loopback"] }, "Landlock alone makes none"],
    [none, { net: ["a.test"], sandbox: "prefer" }, "nothing here confines it"],
  ];
  for (const [more, permissions, why] of cases) {
    const error = await assertRejects(() => place.prepare({ permissions }, more), SkepError, why);
    assertEquals(error.code, "GRANT_REFUSED");
  }
});

Deno.test("with the sandbox off a program has the machine's network, and the audit says so", async () => {
  await using place = await makePlace("bwrap");
  const { port } = place;
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`;
  const permissions: Permissions = { net: ["a.test"] };
  const launch = await place.prepare({ args: ["-c", script], permissions }, { sandbox: "off" });
  assertEquals(auditOf(launch).network, "the machine's, with nothing that holds it");
  const { stdout } = await run(launch);
  assertEquals(stdout, "connected\n");
});
