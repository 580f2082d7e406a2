// Servers that are reached by a url: the real bridge, as skep starts it, against real HTTP servers on loopback.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { companyCertificates, HAS_OPENSSL } from "./company_certificates.ts";
import { startFakes, textOf, until } from "./fake_servers.ts";
import { serverFile, skep, tempFolder } from "./harness.ts";
import { serveHttp, serveMcp } from "./http_servers.ts";

const LIMITS = { toolTimeoutS: 20, serverInitTimeoutS: 20 };

Deno.test("a server with a url is called under a grant of its one host, with headers that nobody sees", async () => {
  await using folder = await tempFolder();
  await using fixture = await serveMcp();
  const file = await serverFile(folder.path, {
    far: {
      url: `${fixture.origin}/mcp`,
      headers: { "X-Key": "Bearer ${THE_KEY}", "X_Plain": "$${THE_KEY}" },
      permissions: { secrets: { THE_KEY: "env:MY_KEY" } },
    },
  });
  const env = { MY_KEY: "s3cret-value-of-mine" };
  const called = await skep(["call", "far__headers", "--mcp", file], { env });
  assertEquals([called.code, called.stderr], [0, ""]);
  assertEquals(JSON.parse(called.stdout)["x-key"], "Bearer [secret THE_KEY]");
  const sent = new Set(
    fixture.seen.map(({ headers }) => `${headers["x-key"]}, ${headers["x_plain"]}`),
  );
  assertEquals([...sent], [`Bearer ${env.MY_KEY}, \${THE_KEY}`]);
  // The session is ended as it was begun.
  assertEquals([fixture.ended.length, fixture.sessions().length], [1, 0]);
  assertEquals(fixture.seen.at(-1)?.method, "DELETE");

  const audited = await skep(["audit", "far", "--json", "--mcp", file], { env });
  assertEquals(audited.stdout.includes(env.MY_KEY), false);
  const { remote, permissions, command } = JSON.parse(audited.stdout);
  const { host } = new URL(fixture.origin);
  assertEquals(remote, host);
  assertEquals(permissions.net.map(({ value }: { value: string }) => value), [host]);
  assertEquals([permissions.run, permissions.write.length], [[], 1]);
  assertEquals(command.filter((word: string) => word.startsWith("--allow-net")), [
    `--allow-net=${host}`,
  ]);
});

Deno.test({
  name:
    "a server behind a company's own certificates is reached where a variable names them, and not elsewhere",
  ignore: !HAS_OPENSSL,
  fn: async () => {
    await using company = await companyCertificates();
    await using folder = await tempFolder();
    await using fixture = await serveMcp(undefined, company.tls);
    const file = await serverFile(folder.path, { far: { url: `${fixture.origin}/mcp` } });
    const call = (env: Record<string, string>) =>
      skep(["call", "far__echo", '{"text":"hi"}', "--mcp", file], { env });
    const names = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "DENO_CERT"];
    const [without, ...trusting] = await Promise.all([
      call({}),
      ...names.map((name) => call({ [name]: company.ca })),
    ]);
    assertEquals(without!.code, 2);
    assertMatch(without!.stderr, /certificate/i);
    for (const [place, { code, stdout, stderr }] of trusting.entries()) {
      assertEquals([names[place], code, stdout, stderr], [names[place], 0, "hi\n", ""]);
    }
  },
});

Deno.test("the older transport is spoken where the entry says so, and where the newer one is not known", async () => {
  await using folder = await tempFolder();
  await using fixture = await serveMcp();
  const url = `${fixture.origin}/sse`;
  const file = await serverFile(folder.path, { told: { url, type: "sse" }, found: { url } });
  const text = '/told__echo text=a\n/found__echo text="b\u2028c"';
  const { code, stdout } = await skep(["chat", "-p", text, "--mcp", file]);
  assertEquals([code, stdout], [0, "a\nb\u2028c\n"]);
});

Deno.test("a session that the server does not know any more is begun anew, and no call is lost", async () => {
  await using fixture = await serveMcp();
  await using started = await startFakes([{ name: "far", url: `${fixture.origin}/mcp` }], LIMITS);
  assertEquals(textOf(await started.call("far__lose")), "lost");
  const both = [started.call("far__echo", { text: "a" }), started.call("far__echo", { text: "b" })];
  assertEquals((await Promise.all(both)).map(textOf), ["a", "b"]);
  assertEquals(fixture.sessions().length, 1);
});

Deno.test("a cancel reaches the server over HTTP, progress extends the time (T16), and a changed list is read (T30)", async () => {
  await using fixture = await serveMcp();
  const limits = { ...LIMITS, toolTimeoutS: 3 };
  await using started = await startFakes([{ name: "far", url: `${fixture.origin}/mcp` }], limits);
  assertEquals(textOf(await started.call("far__steps")), "done"); // 3.6 s
  await started.call("far__grow");
  const names = () => started.registry.tools().map(({ name }) => name);
  await until(() => names().includes("far__grown"));
  const cancel = new AbortController();
  const slow = started.call("far__slow", {}, cancel.signal).catch(({ code }) => code);
  await until(() => fixture.calls.includes("slow"));
  cancel.abort();
  assertEquals(await slow, "CANCELLED");
  await until(() => fixture.calls.includes("slow cancelled"));
  assertEquals(textOf(await started.call("far__echo", { text: "after" })), "after");
});

Deno.test("a server elsewhere is not reached through a redirect, and what is wrong is said with its host", async () => {
  await using folder = await tempFolder();
  await using elsewhere = await serveHttp((_, response) => response.writeHead(200).end("{}"));
  await using fixture = await serveHttp(({ url = "" }, response) => {
    if (url === "/moved") return response.writeHead(308, { location: "/mcp" }).end();
    if (url === "/away") {
      return response.writeHead(307, { location: `${elsewhere.origin}/mcp?q` }).end();
    }
    response.writeHead(503).end("back\n  soon");
  });
  const file = await serverFile(folder.path, {
    away: { url: `${fixture.origin}/away`, type: "http" },
    moved: { url: `${fixture.origin}/moved`, type: "http" },
    gone: { url: "http://127.0.0.1:1/mcp" },
  });
  const { stderr } = await skep(["tools", "--mcp", file]);
  const { host } = new URL(fixture.origin);
  const where = `to ${elsewhere.origin}/mcp`;
  assertStringIncludes(
    stderr,
    `Server "away" failed at initialize: ${host} redirects ${where}, which is not followed: if it moved there, change its url`,
  );
  assertStringIncludes(
    stderr,
    `Server "moved" failed at initialize: ${host} answered 503: back soon`,
  );
  assertMatch(stderr, /Server "gone" failed at initialize: 127\.0\.0\.1:1 cannot be reached: /);
  assertEquals(elsewhere.seen, []);
});

const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: { name: "x", version: "1" },
};
const TOOLS = { tools: ["big", "cut", "resumed", "html", "own"].map((name) => ({ name })) };
const result = (id: unknown, value: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, result: value });
const said = (text: string) => ({ content: [{ type: "text", text }] });

Deno.test("what breaks off, is too long or is no answer fails its call alone; a stream is taken up after its last event", async () => {
  let resumed: { id: unknown; last: unknown }[] = [];
  let pending: unknown;
  await using fixture = await serveHttp(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.method === "GET") {
      const last = request.headers["last-event-id"];
      if (last === undefined) return response.writeHead(405).end();
      resumed = [...resumed, { id: pending, last }];
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(`id: 8\ndata: ${result(pending, said("whole"))}\n\n`);
    }
    const { id, method, params } = JSON.parse(text || "{}");
    const json = (value: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(result(id, value));
    if (method === "initialize") return json(HELLO);
    if (method === "tools/list") return json(TOOLS);
    if (id === undefined) return response.writeHead(202).end();
    const stream = (data: string) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(data);
    };
    switch (params.name) {
      case "big":
        stream(`data: ${"x".repeat(5 * 1024 * 1024)}`);
        return;
      case "cut":
        response.writeHead(200, { "content-type": "text/event-stream" });
        return response.write(": nothing with an id\n\n", () => response.destroy());
      case "resumed":
        pending = id;
        stream("id: 7\nretry: 100\ndata:\n\n");
        return response.end();
      case "html":
        return response.writeHead(200, { "content-type": "text/html" }).end("<p>hello");
      default: {
        // A server that asks for what only the bridge may ask for.
        const ask = JSON.stringify({ jsonrpc: "2.0", id: "t", method: "skep/token", params: {} });
        stream(`data: ${ask}\n\ndata: ${result(id, said("fine"))}\n\n`);
        return response.end();
      }
    }
  });
  await using started = await startFakes([{ name: "far", url: `${fixture.origin}/mcp` }], LIMITS);
  const call = async (name: string) => textOf(await started.call(`far__${name}`));
  const rejected = 'Server "far" rejected the call: The server';
  assertEquals(await call("big"), `${rejected} sent an event of more than 4194304 characters`);
  assertEquals(await call("cut"), `${rejected} ended the stream before its answer`);
  assertEquals(await call("html"), `${rejected} answered with text/html, not with JSON`);
  assertEquals(await call("resumed"), "whole");
  assertEquals(resumed.map(({ last }) => last), ["7"]);
  assertEquals(await call("own"), "fine");
  assert(started.logs.some(({ text }) => text === "the server used a method that is not its own"));
});
