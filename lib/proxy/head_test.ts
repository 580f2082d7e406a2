import { assertEquals } from "@std/assert";
import { endToEnd, headBytes, type ReadHead, readHead, withRest } from "./head.ts";
import { bytesOf, readAll, scripted } from "./test_connection.ts";

function read(limit: number, ...texts: string[]): Promise<ReadHead> {
  return readHead(scripted(...texts), limit);
}

async function problemOf(...texts: string[]): Promise<string | undefined> {
  const result = await read(1000, ...texts);
  return "problem" in result ? result.problem : undefined;
}

Deno.test("readHead() gives the line, the fields in order, and what follows", async () => {
  const expected: ReadHead = {
    head: {
      line: "GET http://a/ HTTP/1.1",
      fields: [{ name: "Host", value: "a" }, { name: "X-Y", value: "1 2" }, {
        name: "x-y",
        value: "",
      }],
    },
    rest: bytesOf("body"),
  };
  const text = "GET http://a/ HTTP/1.1\r\nHost: a\r\nX-Y:  1 2\t\r\nx-y:\r\n\r\nbody";
  assertEquals(await read(1000, text), expected);
  for (let at = 1; at < text.length - 4; at++) {
    const { rest, ...parts } = await read(1000, text.slice(0, at), text.slice(at)) as {
      rest: Uint8Array;
    };
    assertEquals([at, parts, rest], [at, { head: expected.head }, bytesOf("body")]);
  }
});

Deno.test("readHead() takes a head exactly at its limit, and none one byte past it", async () => {
  const head = "A\r\nb: c\r\n\r\n"; // 11 bytes
  assertEquals("head" in await read(11, head), true);
  assertEquals("head" in await read(11, ...head), true);
  assertEquals(await read(10, head), { problem: "too_large" });
  assertEquals(await read(10, ...head), { problem: "too_large" });
});

Deno.test("readHead() tells an end before the head's own", async () => {
  assertEquals(await problemOf(), "ended");
  assertEquals(await problemOf("GET / HTTP/1.1\r\nHost: a\r\n"), "ended");
  assertEquals(await problemOf("GET / HTTP/1.1\n\n"), "ended"); // lines end in CRLF
});

Deno.test("readHead() refuses what readers disagree about", async () => {
  const bad = [
    "A\r\nb : c\r\n\r\n",
    "A\r\n b: c\r\n\r\n",
    "A\r\nb: c\r\n d\r\n\r\n",
    "A\r\nb: c\nd: e\r\n\r\n",
    "A\r\nb: c\rd\r\n\r\n",
    "A\r\nb: c\0\r\n\r\n",
    "A\r\nnothing\r\n\r\n",
    "A\r\n: c\r\n\r\n",
    "A\tB\x01\r\n\r\n",
  ];
  for (const text of bad) assertEquals([text, await problemOf(text)], [text, "malformed"]);
});

Deno.test("headBytes() writes what readHead() read, every byte as it was", async () => {
  const text = "GET / HTTP/1.1\r\nA: \x80\xff\r\nB: c\r\n\r\n";
  const result = await read(1000, text);
  assertEquals("head" in result && headBytes(result.head), bytesOf(text));
});

Deno.test("endToEnd() drops what concerns one connection, by name and by Connection", () => {
  const fields = [
    "Host",
    "Proxy-Authorization",
    "proxy-connection",
    "X-Own",
    "Accept",
    "TE",
    "Upgrade",
  ]
    .map((name) => ({ name, value: "1" }));
  const connection = { name: "Connection", value: "close, x-OWN" };
  assertEquals(endToEnd([...fields, connection]).map(({ name }) => name), ["Host", "Accept"]);
});

Deno.test("withRest() gives the rest first, in pieces if need be", async () => {
  const connection = withRest(scripted("cd"), bytesOf("ab"));
  const buffer = new Uint8Array(1);
  assertEquals([await connection.read(buffer), buffer[0]], [1, 97]);
  assertEquals(await readAll(connection), "bcd");
});
