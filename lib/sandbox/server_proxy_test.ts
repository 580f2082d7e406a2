import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { bytesOf, readAll, TestListener } from "../proxy/test_connection.ts";
import type { LaunchContext } from "./context.ts";
import { openServerProxy, type Refusal } from "./server_proxy.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

interface Opened {
  readonly forwarder: readonly string[];
  readonly files: readonly string[];
  readonly paths: readonly string[];
  readonly refusals: readonly Refusal[];
  /** The text of the proxy's own answer to a request. */
  ask(target: string): Promise<string>;
  close(): Promise<void>;
}

async function open(net: readonly string[], env: Record<string, string> = {}): Promise<Opened> {
  const listener = new TestListener();
  const paths: string[] = [];
  const refusals: Refusal[] = [];
  const context = testContext({ env });
  const host: LaunchContext["host"] = {
    ...context.host,
    listenUnix: (path) => {
      paths.push(path);
      return Promise.resolve(listener);
    },
    lookup: () => Promise.resolve(["10.0.0.1"]),
    sleep: (_ms, signal) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  };
  const { grant } = await testGrant({ permissions: { net } }, context);
  const onRefused = (refusal: Refusal) => void refusals.push(refusal);
  const proxy = await openServerProxy(grant, "/tmp/skep-1", "/opt/deno", {
    ...context,
    host,
    onRefused,
  });
  return {
    ...proxy,
    paths,
    refusals,
    ask: async (target) => {
      const client = listener.connect();
      await client.write(bytesOf(`CONNECT ${target} HTTP/1.1\r\n\r\n`));
      await client.closeWrite();
      return (await readAll(client)).split("\r\n\r\n")[1] ?? "";
    },
  };
}

Deno.test("openServerProxy() listens in the private folder, and says what starts inside", async () => {
  const proxy = await open(["a.org"]);
  assertEquals(proxy.paths, ["/tmp/skep-1/proxy"]);
  assertEquals(proxy.files, ["/opt/deno", "/skep/tools/forward/main.js", "/tmp/skep-1/proxy"]);
  assertEquals(proxy.forwarder, [
    "/opt/deno",
    "run",
    "--no-prompt",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--no-npm",
    "--allow-net=127.0.0.1:17765,[::1]:17765,unix:/tmp/skep-1/proxy",
    "--allow-read=/tmp/skep-1/proxy",
    "--allow-write=/tmp/skep-1/proxy",
    "/skep/tools/forward/main.js",
    "17765",
    "/tmp/skep-1/proxy",
  ]);
  await proxy.close();
});

Deno.test("openServerProxy() says which host or address it refused, and the line that allows it", async () => {
  const proxy = await open(["a.org", "*.b.org:443"]);
  const denied = (value: string) =>
    `Access denied: the grant of server "s" does not let it connect to "${value}". ` +
    `Its net list: "a.org", "*.b.org:443". To allow it, ` +
    `write net: ["${value}"] under permissions: of server "s" in --mcp.`;
  assertEquals(await proxy.ask("evil.org:443"), `skep: ${denied("evil.org:443")}\n`);
  assertEquals(await proxy.ask("b.org:80"), `skep: ${denied("b.org:80")}\n`);
  assertEquals(await proxy.ask("8.8.8.8:53"), `skep: ${denied("8.8.8.8:53")}\n`);
  assertEquals(
    await proxy.ask("x.b.org:443"),
    `skep: x.b.org:443 leads to 10.0.0.1, which is private. ${denied("10.0.0.1:443")}\n`,
  );
  await proxy.close();
});

Deno.test("openServerProxy() matches a wildcard's apex and what is below it, never a longer name (T63)", async () => {
  const proxy = await open(["*.example.com"]);
  const isNamed = async (host: string) => (await proxy.ask(`${host}:443`)).includes("leads to");
  assertEquals(await isNamed("example.com"), true);
  assertEquals(await isNamed("EXAMPLE.com."), true);
  assertEquals(await isNamed("a.b.example.com"), true);
  assertEquals(await isNamed("evilexample.com"), false);
  assertEquals(await isNamed("example.com.evil.org"), false);
  await proxy.close();
});

Deno.test("openServerProxy() reports a refusal once, however often a program tries", async () => {
  const proxy = await open(["a.org"]);
  for (const target of ["b.org:1", "b.org:1", "b.org:2", "b.org:1"]) await proxy.ask(target);
  assertEquals(proxy.refusals.map(({ server, host, port }) => [server, host, port]), [
    ["s", "b.org", 1],
    ["s", "b.org", 2],
  ]);
  await proxy.close();
});

Deno.test("openServerProxy() refuses a proxy of the person's that it cannot go through", async () => {
  const error = await assertRejects(
    () => open(["a.org"], { ALL_PROXY: "socks5://127.0.0.1:1080" }),
    SkepError,
    "ALL_PROXY",
  );
  assertEquals(error.code, "CONFIG_INVALID");
});

Deno.test("openServerProxy() says what to change when the socket's path is too long", async () => {
  const context = testContext();
  const { grant } = await testGrant({ permissions: { net: ["a.org"] } }, context);
  const listenUnix = () => Promise.reject(new TypeError("path must be shorter than SUN_LEN"));
  const host = { ...context.host, listenUnix };
  const error = await assertRejects(
    () => openServerProxy(grant, "/tmp/skep-1", "/opt/deno", { ...context, host }),
    SkepError,
    "/tmp/skep-1/proxy: path must be shorter than SUN_LEN; TMPDIR decides where it lies",
  );
  assertEquals(error.code, "CONFIG_INVALID");
});
