import { assertEquals } from "@std/assert";
import type { Connection } from "../host/sockets.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { dial, type Dialled, type DialOptions } from "./dial.ts";
import { settle, TestClock } from "./test_clock.ts";
import { bytesOf, connectionPair, readUntil, scripted } from "./test_connection.ts";
import { readUpstream } from "./upstream.ts";

/** A network in memory: names with their addresses, and what answers. Notes what it was asked. */
class Network {
  readonly asked: string[] = [];
  readonly clock = new TestClock();

  constructor(
    readonly names: Readonly<Record<string, string[]>>,
    readonly answering: Readonly<Record<string, Connection>> = {},
    readonly silent: readonly string[] = [],
  ) {}

  dial(host: string, port: number, more: Partial<DialOptions> = {}): Promise<Dialled> {
    return dial(host, port, {
      allows: (each) => each.endsWith(".example"),
      world: { lookup: this.#lookup, connectTcp: this.#connect, sleep: this.clock.sleep },
      limits: { ...DEFAULT_LIMITS, proxyConnectMs: 100 },
      closing: new AbortController().signal,
      ...more,
    });
  }

  readonly #lookup = (name: string): Promise<string[]> => {
    this.asked.push(`lookup ${name}`);
    if (this.silent.includes(name)) return new Promise(() => {});
    const found = this.names[name];
    return found === undefined
      ? Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`))
      : Promise.resolve(found);
  };

  readonly #connect = (address: string, port: number, signal: AbortSignal): Promise<Connection> => {
    const place = `${address} ${port}`;
    this.asked.push(`connect ${place}`);
    if (this.silent.includes(place)) {
      const { promise, reject } = Promise.withResolvers<Connection>();
      signal.addEventListener("abort", () => reject(signal.reason));
      return promise;
    }
    const found = this.answering[place];
    return found === undefined
      ? Promise.reject(new Error("Connection refused"))
      : Promise.resolve(found);
  };
}

const ANSWER = scripted("hello");

Deno.test("dial() looks a granted name up once, and connects to the address that it checked", async () => {
  const network = new Network({ "a.example": ["93.184.216.34"] }, { "93.184.216.34 443": ANSWER });
  assertEquals(await network.dial("a.example", 443), { connection: ANSWER });
  assertEquals(network.asked, ["lookup a.example", "connect 93.184.216.34 443"]);
});

Deno.test("dial() asks nobody for a name that the grant does not have", async () => {
  const network = new Network({ "evil.test": ["93.184.216.34"] });
  assertEquals(await network.dial("evil.test", 443), {
    refused: { host: "evil.test", port: 443 },
  });
  assertEquals(network.asked, []);
});

Deno.test("dial() connects to no address of this machine that a granted name leads to", async () => {
  const network = new Network({ "a.example": ["127.0.0.1"] }, { "127.0.0.1 80": ANSWER });
  assertEquals(await network.dial("a.example", 80), {
    refused: { host: "a.example", port: 80, address: { host: "127.0.0.1", what: "loopback" } },
  });
  assertEquals(network.asked, ["lookup a.example"]);
});

Deno.test("dial() needs no lookup for an address, and refuses one that the grant does not name", async () => {
  const network = new Network({}, { "10.0.0.1 80": ANSWER, "::1 80": ANSWER });
  const allows = (host: string) => host === "10.0.0.1" || host === "[::1]";
  assertEquals(await network.dial("10.0.0.1", 80, { allows }), { connection: ANSWER });
  assertEquals(await network.dial("[::1]", 80, { allows }), { connection: ANSWER });
  assertEquals(await network.dial("8.8.8.8", 80, { allows }), {
    refused: { host: "8.8.8.8", port: 80 },
  });
  assertEquals(network.asked, ["connect 10.0.0.1 80", "connect ::1 80"]);
});

Deno.test("dial() tries the next address when nobody answers at one", async () => {
  const addresses = ["2606:4700::1", "1.1.1.1", "1.0.0.1"];
  const network = new Network(
    { "a.example": addresses },
    { "1.0.0.1 443": ANSWER },
    ["2606:4700::1 443"],
  );
  const dialling = network.dial("a.example", 443);
  await settle();
  await network.clock.pass(34); // a third of the time
  assertEquals(await dialling, { connection: ANSWER });
  assertEquals(network.asked.slice(1), [
    "connect 2606:4700::1 443",
    "connect 1.1.1.1 443",
    "connect 1.0.0.1 443",
  ]);
});

Deno.test("dial() says why nobody was reached", async () => {
  const network = new Network({ "a.example": ["1.1.1.1"], "none.example": [] });
  assertEquals(await network.dial("a.example", 443), {
    failure: "cannot connect to a.example:443: Connection refused",
    isLate: false,
  });
  assertEquals(await network.dial("b.example", 443), {
    failure: "cannot connect to b.example:443: getaddrinfo ENOTFOUND b.example",
    isLate: false,
  });
  assertEquals(await network.dial("none.example", 443), {
    failure: "cannot connect to none.example:443: the host has no address",
    isLate: false,
  });
});

Deno.test("dial() gives up at its limit, in the lookup and in the connection, and not before", async () => {
  const network = new Network({ "b.example": ["1.1.1.1"] }, {}, ["a.example", "1.1.1.1 443"]);
  for (const host of ["a.example", "b.example"]) {
    const dialling = network.dial(host, 443);
    let isOver = false;
    dialling.then(() => isOver = true);
    await settle();
    await network.clock.pass(99);
    assertEquals([host, isOver], [host, false]);
    await network.clock.pass(1);
    assertEquals(await dialling, {
      failure: `cannot connect to ${host}:443: nobody answered within 100 ms`,
      isLate: true,
    });
  }
});

Deno.test("dial() goes through the person's proxy, which looks the name up itself", async () => {
  const [here, proxy] = connectionPair();
  const network = new Network({ "proxy.corp": ["10.0.0.9"] }, { "10.0.0.9 3128": here });
  const upstream = readUpstream({
    env: (name) => name === "HTTPS_PROXY" ? "http://proxy.corp:3128" : undefined,
  })!;
  const dialling = network.dial("a.example", 443, { upstream });
  assertEquals(
    (await readUntil(proxy, "\r\n\r\n")).split("\r\n")[0],
    "CONNECT a.example:443 HTTP/1.1",
  );
  await proxy.write(bytesOf("HTTP/1.1 200 OK\r\n\r\n"));
  assertEquals("connection" in await dialling, true);
  assertEquals(network.asked, ["lookup proxy.corp", "connect 10.0.0.9 3128"]);
  assertEquals(await network.dial("evil.test", 443, { upstream }), {
    refused: { host: "evil.test", port: 443 },
  });
});

Deno.test("dial() passes the person's proxy by for an address of this machine, and checks it", async () => {
  const upstream = readUpstream({
    env: (name) => ({ HTTPS_PROXY: "http://10.0.0.9:1", NO_PROXY: "a.example" })[name],
  })!;
  const network = new Network({ "a.example": ["127.0.0.1"] }, { "127.0.0.1 80": ANSWER });
  const allows = (host: string) => host === "127.0.0.1";
  assertEquals(await network.dial("127.0.0.1", 80, { upstream, allows }), { connection: ANSWER });
  const refused = await network.dial("a.example", 80, { upstream });
  assertEquals("refused" in refused && refused.refused.address?.what, "loopback");
});

Deno.test("dial() closes the connection to the person's proxy that gives no tunnel in time", async () => {
  const [here, proxy] = connectionPair();
  const network = new Network({}, { "10.0.0.9 1": here });
  const upstream = readUpstream({
    env: (name) => name === "ALL_PROXY" ? "10.0.0.9:1" : undefined,
  })!;
  const dialling = network.dial("a.example", 443, { upstream });
  await readUntil(proxy, "\r\n\r\n");
  await network.clock.pass(100);
  assertEquals("failure" in await dialling && true, true);
  assertEquals(await proxy.read(new Uint8Array(1)), undefined);
});
