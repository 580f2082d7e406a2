import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { bytesOf, connectionPair, readUntil } from "./test_connection.ts";
import { readUpstream, tunnelThrough, type Upstream } from "./upstream.ts";

function upstream(variables: Record<string, string>): Upstream | undefined {
  return readUpstream({ env: (name) => variables[name] });
}

function placeOf(variables: Record<string, string>): [string, number, string?] | undefined {
  const found = upstream(variables);
  if (found === undefined) return undefined;
  const { host, port, authorization } = found;
  return authorization === undefined ? [host, port] : [host, port, authorization];
}

Deno.test("readUpstream() reads the person's proxy, in the forms that people write", () => {
  assertEquals(placeOf({}), undefined);
  assertEquals(placeOf({ HTTPS_PROXY: "" }), undefined);
  assertEquals(placeOf({ HTTPS_PROXY: "http://Proxy.corp:3128/" }), ["proxy.corp", 3128]);
  assertEquals(placeOf({ https_proxy: "proxy.corp:3128" }), ["proxy.corp", 3128]);
  assertEquals(placeOf({ ALL_PROXY: "http://10.0.0.1" }), ["10.0.0.1", 80]);
  assertEquals(placeOf({ http_proxy: "http://[::1]:8080" }), ["[::1]", 8080]);
  assertEquals(placeOf({ HTTP_PROXY: "http://a:1", HTTPS_PROXY: "http://b:2" }), ["b", 2]);
  assertEquals(placeOf({ HTTPS_PROXY: "http://us%40er:p%3Ass@a:1" }), [
    "a",
    1,
    "Basic dXNAZXI6cDpzcw==",
  ]);
});

Deno.test("readUpstream() refuses a proxy that it cannot speak to, and does not tell its password", () => {
  for (
    const text of [
      "socks5://u:hunter2@a:1",
      "https://u:hunter2@a:1",
      "http://u:hunter2@*:1",
      "http://",
      "http://%zz@a:1",
    ]
  ) {
    const error = assertThrows(() => upstream({ ALL_PROXY: text }), SkepError, "ALL_PROXY");
    assertEquals([error.code, error.message.includes("hunter2")], ["CONFIG_INVALID", false]);
  }
});

Deno.test("isBypassed() follows NO_PROXY, and never asks the proxy for this machine's own addresses", () => {
  const NO_PROXY = "example.com, .Corp *.lan,[2606:4700::1]:443 9.9.9.9,a.org:8443";
  const found = upstream({ HTTPS_PROXY: "http://p:1", NO_PROXY });
  const cases: [host: string, port: number, isBypassed: boolean][] = [
    ["example.com", 443, true],
    ["a.example.com", 443, true],
    ["evilexample.com", 443, false],
    ["db.corp", 5432, true],
    ["corp", 443, true],
    ["x.lan", 80, true],
    ["[2606:4700::1]", 443, true],
    ["[2606:4700::1]", 444, false],
    ["9.9.9.9", 1, true],
    ["a.org", 8443, true],
    ["a.org", 443, false],
    ["8.8.8.8", 443, false],
    ["127.0.0.1", 443, true],
    ["[::1]", 443, true],
    ["10.0.0.1", 443, true],
    ["localhost", 443, true],
    ["a.localhost", 443, true],
  ];
  for (const [host, port, isBypassed] of cases) {
    assertEquals([host, port, found?.isBypassed(host, port)], [host, port, isBypassed]);
  }
  const all = upstream({ https_proxy: "http://p:1", no_proxy: "*" });
  assertEquals(all?.isBypassed("example.com", 443), true);
});

Deno.test("tunnelThrough() asks for a tunnel, and gives what comes after the answer", async () => {
  const [here, proxy] = connectionPair();
  const tunnel = tunnelThrough(here, "example.com", 443, { authorization: "Basic x" }, 100);
  assertEquals(
    await readUntil(proxy, "\r\n\r\n"),
    "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nProxy-Authorization: Basic x\r\n\r\n",
  );
  const answering = proxy.write(bytesOf("HTTP/1.0 200 OK\r\nVia: p\r\n\r\nhello"));
  assertEquals(await readUntil(await tunnel, "hello"), "hello");
  await answering;
});

Deno.test("tunnelThrough() says what the proxy answered instead", async () => {
  const [here, proxy] = connectionPair();
  const tunnel = tunnelThrough(here, "example.com", 443, {}, 100);
  await readUntil(proxy, "\r\n\r\n");
  const refused = assertRejects(() => tunnel, Error, "407 Proxy Authentication Required");
  await proxy.write(bytesOf("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
  await refused;
});
