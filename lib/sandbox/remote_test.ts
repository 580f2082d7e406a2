import { assertEquals, assertThrows } from "@std/assert";
import { askedBy } from "./asked.ts";
import { readCommand } from "./command.ts";
import { bridgeTo, fillMarks, hostAndPort, remoteOf, secretMark } from "./remote.ts";
import { testGrant, testSpec } from "./test_grant.ts";

const plain = (url: string) => ({ url, headers: {} });

Deno.test("bridgeTo() grants the one host and port of the address", () => {
  const net = (url: string) => bridgeTo(plain(url)).permissions?.net;
  assertEquals(net("https://Example.com/mcp"), ["example.com:443"]);
  assertEquals(net("http://127.0.0.1/mcp"), ["127.0.0.1:80"]);
  assertEquals(net("https://[::1]:8443/"), ["[::1]:8443"]);
  assertEquals(hostAndPort(new URL("https://a.example:444")), "a.example:444");
});

Deno.test("bridgeTo() tells the bridge its address where no other user reads it, as a secret when it may be one", () => {
  const env = (url: string) => bridgeTo(plain(url)).env;
  assertEquals(env("https://h/mcp#x"), { BRIDGE_URL: "https://h/mcp" });
  assertEquals(env("https://h/mcp?key=1"), { BRIDGE_SECRET_URL: "https://h/mcp?key=1" });
  const secret = "https://h/s/Zk3vQ81xYb7LmP0tRw5n/mcp";
  assertEquals(env(secret), { BRIDGE_SECRET_URL: secret });
});

Deno.test("bridgeTo() refuses an address that is none, and one that holds a secret", () => {
  for (const url of ["x", "ftp://h/", "file:///etc/passwd", "javascript:1"]) {
    assertThrows(() => bridgeTo(plain(url)), TypeError, "no address of https: or http:");
  }
  assertThrows(() => bridgeTo(plain("https://u:p@h/")), TypeError, "password");
  assertThrows(() => bridgeTo(plain("https://h/${KEY}")), TypeError, "a secret goes into a header");
});

Deno.test("bridgeTo() takes headers for what nobody reads on the way, and none that the transport sets", () => {
  const withHeader = (url: string, name: string, value: string) => () =>
    bridgeTo({ url, headers: { [name]: value } });
  assertEquals(withHeader("http://localhost:1/", "X-A_b", "v")().env, {
    BRIDGE_URL: "http://localhost:1/",
    BRIDGE_SECRET_HEADER_X_A__B: "v",
  });
  assertThrows(withHeader("http://example.com/", "A", "v"), TypeError, "http: would send");
  for (const name of ["Host", "Mcp-Session-Id", "accept", "a b", "", "a:b"]) {
    assertThrows(withHeader("https://h/", name, "v"), TypeError, "cannot set the header");
  }
  for (const value of ["a\r\nb: c", "a\0", secretMark("A"), "\u2028"]) {
    assertThrows(withHeader("https://h/", "A", value), TypeError, "what no header can hold");
  }
});

Deno.test("remoteOf() gives back what a spec was made from, and nothing for any other", () => {
  const remote = { url: "https://h/mcp?a=b", type: "sse", headers: { "x-a_b": "v" } } as const;
  assertEquals(remoteOf(testSpec(bridgeTo(remote))), remote);
  assertEquals(remoteOf(testSpec({ env: { BRIDGE_URL: "https://h" } })), undefined);
});

Deno.test("fillMarks() fills in secrets, whatever their value holds", () => {
  const text = `a ${secretMark("A")} \${A}${secretMark("B")}`;
  assertEquals(fillMarks(text, (name) => name === "A" ? "$&$1" : "b"), "a $&$1 ${A}b");
});

Deno.test("a bridge by hand gets the host of its address, and nothing without one", () => {
  const net = (env: Record<string, string>) => {
    const spec = testSpec({ command: "skep", args: ["mcp", "bridge"], env });
    return askedBy(spec, readCommand(spec), "linux").net.map(({ value }) => value);
  };
  assertEquals(net({ BRIDGE_URL: "https://h/" }), ["h:443"]);
  assertEquals(net({}), []);
});

Deno.test("a client's server with an address gets that host, and no other that it asks for", async () => {
  const origin = { kind: "client", where: "session/new" } as const;
  const bridge = { ...bridgeTo(plain("https://h.example/")), origin };
  const net = async (spec: Parameters<typeof testGrant>[0]) => {
    const { grant } = await testGrant(spec);
    return [grant.net.map(({ value }) => value), grant.cut.map(({ value }) => value)];
  };
  assertEquals(await net(bridge), [["h.example:443"], []]);
  const more = { net: ["h.example:443", "evil.example"] };
  assertEquals(await net({ ...bridge, permissions: more }), [["h.example:443"], ["evil.example"]]);
  const native = { command: "node", args: ["x"], env: bridge.env, permissions: more, origin };
  assertEquals(await net(native), [[], ["h.example:443", "evil.example"]]);
  const pack = { kind: "file", where: "/work/ws/mcp.json" } as const;
  assertEquals(await net({ ...bridge, origin: pack }), [[], ["h.example:443"]]);
});
