import { assertEquals } from "@std/assert";
import { readRequest } from "./request.ts";

function read(line: string, fields: Record<string, string> = {}): ReturnType<typeof readRequest> {
  const list = Object.entries(fields).map(([name, value]) => ({ name, value }));
  return readRequest({ line, fields: list });
}

/** Where a request goes, as `host port`; nothing when it is refused. */
function place(line: string): string | undefined {
  const request = read(line);
  return typeof request === "string" ? undefined : `${request.host} ${request.port}`;
}

Deno.test("readRequest() reads CONNECT with a host and a port", () => {
  assertEquals(read("CONNECT Example.com.:443 HTTP/1.1"), {
    kind: "tunnel",
    host: "example.com",
    port: 443,
  });
  assertEquals(place("CONNECT [::1]:80 HTTP/1.0"), "[::1] 80");
  assertEquals(place("CONNECT 0x7f.1:65535 HTTP/1.1"), "127.0.0.1 65535");
});

Deno.test("readRequest() refuses a CONNECT that says anything else", () => {
  for (
    const target of [
      "example.com",
      "example.com:",
      "example.com:0",
      "example.com:65536",
      "example.com:080808",
      "example.com:http",
      ":443",
      "granted.example:443@evil.example:443",
      "granted.example@evil.example:443",
      "https://example.com:443",
      "example.com:443/",
      "::1:443",
      "[::1]443",
      "*:443",
    ]
  ) {
    assertEquals([target, place(`CONNECT ${target} HTTP/1.1`)], [target, undefined]);
  }
});

Deno.test("readRequest() reads a plain request, and tells the server the host that was checked", () => {
  const fields = { host: "evil.example", Accept: "*/*", "Proxy-Connection": "keep-alive" };
  assertEquals(read("POST http://Granted.example/a?b HTTP/1.1", fields), {
    kind: "plain",
    host: "granted.example",
    port: 80,
    head: {
      line: "POST /a?b HTTP/1.1",
      fields: [
        { name: "Host", value: "granted.example" },
        { name: "Accept", value: "*/*" },
        { name: "Connection", value: "close" },
      ],
    },
  });
});

Deno.test("readRequest() takes every form of a plain target", () => {
  const lineOf = (target: string) => {
    const request = read(`GET ${target} HTTP/1.0`);
    return typeof request !== "string" && request.kind === "plain"
      ? [request.host, request.port, request.head.line, request.head.fields[0]?.value]
      : undefined;
  };
  assertEquals(lineOf("http://a"), ["a", 80, "GET / HTTP/1.0", "a"]);
  assertEquals(lineOf("HTTP://A:8080?q"), ["a", 8080, "GET /?q HTTP/1.0", "a:8080"]);
  assertEquals(lineOf("http://[::1]:80//x"), ["[::1]", 80, "GET //x HTTP/1.0", "[::1]"]);
  assertEquals(lineOf("http://2130706433/"), ["127.0.0.1", 80, "GET / HTTP/1.0", "127.0.0.1"]);
});

Deno.test("readRequest() refuses a plain target in which another reader would see another host", () => {
  for (
    const target of [
      "/",
      "*",
      "https://granted.example/",
      "ftp://granted.example/",
      "http:/granted.example/",
      "http:///granted.example/",
      "http://granted.example@evil.example/",
      "http://granted.example:80@evil.example/",
      "http://granted.example\\@evil.example/",
      "http://evil.example#@granted.example/",
      "http://evil.example%2f@granted.example/",
      "http://granted.example:99999/",
      "http://granted.example/#x",
      "http://",
      "//granted.example/",
    ]
  ) {
    assertEquals([target, place(`GET ${target} HTTP/1.1`)], [target, undefined]);
  }
});

Deno.test("readRequest() refuses a line that is no request of HTTP/1", () => {
  for (
    const line of [
      "",
      "GET http://a/",
      "GET  http://a/ HTTP/1.1",
      "GET http://a/ HTTP/1.1 ",
      "GET http://a/ HTTP/2.0",
      "GET http://ä/ HTTP/1.1",
      "G(T http://a/ HTTP/1.1",
      "PRI * HTTP/2.0",
    ]
  ) {
    assertEquals([line, read(line)], [line, "it is no request of HTTP/1.1"]);
  }
});
