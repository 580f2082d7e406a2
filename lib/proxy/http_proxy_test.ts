import { assertEquals } from "@std/assert";
import type { Connection } from "../host/sockets.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Refused } from "./filter.ts";
import { openProxy, type ProxyOptions } from "./http_proxy.ts";
import { settle, TestClock } from "./test_clock.ts";
import { bytesOf, connectionPair, readAll, readUntil, TestListener } from "./test_connection.ts";

/** A proxy over connections in memory; `granted.example` is at 1.1.1.1, `inner.example` at 127.0.0.1. */
interface TestProxy extends AsyncDisposable {
  readonly clock: TestClock;
  readonly listener: TestListener;
  readonly refusals: Refused[];
  /** Connects, and sends the text. */
  ask(text: string): Promise<Connection>;
  /** The far end of the next connection that the proxy makes. */
  server(): Promise<Connection>;
}

async function testProxy(
  limits: Partial<ProxyOptions["limits"]> = {},
  world: Partial<ProxyOptions["world"]> = {},
): Promise<TestProxy> {
  const clock = new TestClock();
  const listener = new TestListener();
  const refusals: Refused[] = [];
  const servers: Connection[] = [];
  const names: Record<string, string[]> = {
    "granted.example": ["1.1.1.1"],
    "inner.example": ["127.0.0.1"],
  };
  const proxy = await openProxy({
    path: "/tmp/proxy.sock",
    allows: (host) => host.endsWith(".example"),
    explain: ({ host, port, address }) => `no ${host}:${port} ${address?.what ?? ""}`.trim(),
    onRefused: (refused) => refusals.push(refused),
    world: {
      listenUnix: () => Promise.resolve(listener),
      lookup: (name) =>
        name in names ? Promise.resolve(names[name]!) : Promise.reject(new Error("unknown")),
      connectTcp: () => {
        const [here, there] = connectionPair();
        servers.push(there);
        return Promise.resolve(here);
      },
      nowMs: clock.nowMs,
      sleep: clock.sleep,
      ...world,
    },
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  return {
    clock,
    listener,
    refusals,
    ask: async (text) => {
      const client = listener.connect();
      await client.write(bytesOf(text));
      return client;
    },
    server: async () => {
      while (servers.length === 0) await settle();
      return servers.shift()!;
    },
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await settle();
      assertEquals(clock.sleepers, 0);
    },
  };
}

const CONNECT = "CONNECT granted.example:443 HTTP/1.1\r\n\r\n";

/** The status and the text of an answer of the proxy's own. */
async function answerOf(client: Connection): Promise<[status: string, text: string]> {
  await client.closeWrite();
  const [head = "", body = ""] = (await readAll(client)).split("\r\n\r\n");
  return [head.split("\r\n")[0]!, body];
}

Deno.test("openProxy() tunnels to a granted host, both ways, to both ends", async () => {
  await using proxy = await testProxy();
  const client = await proxy.ask(`${CONNECT}`);
  const server = await proxy.server();
  assertEquals(
    await readUntil(client, "\r\n\r\n"),
    "HTTP/1.1 200 Connection established\r\n\r\n",
  );
  await client.write(bytesOf("ping"));
  await readUntil(server, "ping");
  await client.closeWrite();
  assertEquals(await readAll(server), "");
  await server.write(bytesOf("pong"));
  await server.closeWrite();
  assertEquals(await readAll(client), "pong");
});

Deno.test("openProxy() carries what a client sent along with its request", async () => {
  await using proxy = await testProxy();
  const client = await proxy.ask(`${CONNECT}early`);
  const [server] = await Promise.all([proxy.server(), readUntil(client, "\r\n\r\n")]);
  assertEquals(await readUntil(server, "early"), "early");
  client.close();
});

Deno.test("openProxy() passes a plain request on, for the host that it checked, once", async () => {
  await using proxy = await testProxy();
  const client = await proxy.ask(
    "POST http://granted.example/a HTTP/1.1\r\nHost: other.test\r\nContent-Length: 2\r\n\r\nhi",
  );
  const server = await proxy.server();
  assertEquals(
    await readUntil(server, "hi"),
    "POST /a HTTP/1.1\r\nHost: granted.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
  );
  const answering = server.write(bytesOf("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nyes"));
  assertEquals(
    await readUntil(client, "yes"),
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nyes",
  );
  await answering;
  await server.closeWrite();
  assertEquals(await readAll(client), "");
  client.close();
});

Deno.test("openProxy() refuses a host outside the grant with 403 and what would allow it", async () => {
  await using proxy = await testProxy();
  const client = await proxy.ask("CONNECT evil.test:443 HTTP/1.1\r\n\r\n");
  assertEquals(await answerOf(client), ["HTTP/1.1 403 Forbidden", "skep: no evil.test:443\n"]);
  const plain = await proxy.ask("GET http://evil.test/ HTTP/1.1\r\n\r\n");
  assertEquals(await answerOf(plain), ["HTTP/1.1 403 Forbidden", "skep: no evil.test:80\n"]);
  assertEquals(proxy.refusals, [{ host: "evil.test", port: 443 }, { host: "evil.test", port: 80 }]);
});

Deno.test("openProxy() refuses a granted name that leads to loopback", async () => {
  await using proxy = await testProxy();
  const client = await proxy.ask("CONNECT inner.example:80 HTTP/1.1\r\n\r\n");
  assertEquals(await answerOf(client), [
    "HTTP/1.1 403 Forbidden",
    "skep: no inner.example:80 loopback\n",
  ]);
  assertEquals(proxy.refusals, [{
    host: "inner.example",
    port: 80,
    address: { host: "127.0.0.1", what: "loopback" },
  }]);
});

Deno.test("openProxy() gives its answer to a client that still sends", async () => {
  await using proxy = await testProxy();
  const client = await proxy.ask("POST http://evil.test/ HTTP/1.1\r\n\r\n");
  const sending = client.write(bytesOf("x".repeat(100_000)));
  assertEquals((await readAll(client)).slice(0, 12), "HTTP/1.1 403");
  await sending;
  client.close();
});

Deno.test("openProxy() answers what it cannot take, and what it cannot reach", async () => {
  await using proxy = await testProxy({ proxyConnectMs: 100 });
  const cases: [string, string][] = [
    ["GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET http://a/ HTTP/1.1\r\n folded\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT granted.example HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT unknown.example:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 502 Bad Gateway"],
  ];
  for (const [text, status] of cases) {
    const client = await proxy.ask(text);
    assertEquals([text, (await answerOf(client))[0]], [text, status]);
  }
});

Deno.test("openProxy() answers 504 when nobody is reached in time", async () => {
  const lookup = () => new Promise<string[]>(() => {});
  await using proxy = await testProxy({ proxyConnectMs: 100 }, { lookup });
  const client = await proxy.ask(CONNECT);
  await settle();
  await proxy.clock.pass(100);
  assertEquals((await answerOf(client))[0], "HTTP/1.1 504 Gateway Timeout");
});

Deno.test("openProxy() takes a head exactly at its limit, and none one byte past it", async () => {
  await using proxy = await testProxy({ maxProxyHeadBytes: CONNECT.length });
  const client = await proxy.ask(CONNECT);
  await proxy.server();
  assertEquals((await readUntil(client, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 200");
  client.close();
  const longer = proxy.listener.connect();
  const sending = longer.write(bytesOf(CONNECT.replace("granted", "granted2")));
  assertEquals((await readUntil(longer, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 431");
  longer.close();
  await sending;
});

Deno.test("openProxy() waits for a head exactly as long as its limit", async () => {
  await using proxy = await testProxy({ proxyHeadMs: 100 });
  const client = await proxy.ask("CONNECT granted.");
  await settle();
  await proxy.clock.pass(99);
  await client.write(bytesOf("example:443 HTTP/1.1\r\n\r\n"));
  await proxy.server();
  assertEquals((await readUntil(client, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 200");
  client.close();

  const slow = await proxy.ask("CONNECT granted.");
  await settle();
  await proxy.clock.pass(100);
  assertEquals((await readUntil(slow, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 408");
  slow.close();
});

Deno.test("openProxy() serves as many connections as its limit, and answers 503 to one more", async () => {
  await using proxy = await testProxy({ maxProxyConnections: 2 });
  const clients: Connection[] = [];
  const servers: Connection[] = [];
  for (let index = 0; index < 2; index++) {
    const client = await proxy.ask(CONNECT);
    servers.push(await proxy.server());
    assertEquals((await readUntil(client, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 200");
    clients.push(client);
  }
  const third = proxy.listener.connect();
  assertEquals((await readUntil(third, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 503");
  third.close();
  for (const connection of [...clients, ...servers]) connection.close();
  await settle();
  const later = await proxy.ask(CONNECT);
  assertEquals((await readUntil(later, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 200");
  later.close();
});

Deno.test("openProxy() forgets a client that leaves early", async () => {
  await using proxy = await testProxy({ maxProxyConnections: 1 });
  for (const text of ["", "CONN", CONNECT]) {
    const client = await proxy.ask(text);
    await settle();
    client.close();
    if (text === CONNECT) (await proxy.server()).close();
    await settle();
  }
  const client = await proxy.ask(CONNECT);
  assertEquals((await readUntil(client, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 200");
  client.close();
});

Deno.test("openProxy() goes on when the system has no descriptor for a connection", async () => {
  let failures = 2;
  const listener = new TestListener();
  const accept = () =>
    failures-- > 0 ? Promise.reject(new Error("Too many open files")) : listener.accept();
  await using proxy = await testProxy({ proxyPauseMs: 10 }, {
    listenUnix: () => Promise.resolve({ accept, close: () => listener.close() }),
  });
  for (let pauses = 0; pauses < 2; pauses++) {
    await settle();
    await proxy.clock.pass(10);
  }
  const client = listener.connect();
  await client.write(bytesOf(CONNECT));
  assertEquals((await readUntil(client, "\r\n\r\n")).slice(0, 12), "HTTP/1.1 200");
  client.close();
});

Deno.test("close() ends every connection, whatever it waits for, and takes no more", async () => {
  const proxy = await testProxy();
  const clients = [await proxy.ask("CONN"), await proxy.ask(CONNECT)];
  const server = await proxy.server();
  await readUntil(clients[1]!, "\r\n\r\n");
  await proxy[Symbol.asyncDispose]();
  assertEquals(await Promise.all(clients.map(readAll)), ["", ""]);
  assertEquals(await readAll(server), "");
  assertEquals(proxy.listener.isClosed, true);
});
