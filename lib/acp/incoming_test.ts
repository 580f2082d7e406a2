import { assertEquals } from "@std/assert";
import { type Incoming, readIncoming } from "./incoming.ts";

function read(text: string): Incoming {
  return readIncoming({ kind: "text", text }, 1024);
}

/** The id and code of an error that a line is answered with. */
function refused(text: string): [unknown, number] | string {
  const incoming = read(text);
  return incoming.kind === "invalid" ? [incoming.id, incoming.error.code] : incoming.kind;
}

Deno.test("readIncoming() tells requests, notifications and responses apart", () => {
  assertEquals(read('{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1},"extra":2}'), {
    kind: "request",
    message: { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } },
  });
  assertEquals(read('{"jsonrpc":"2.0","method":"a"}'), {
    kind: "notification",
    message: { jsonrpc: "2.0", method: "a" },
  });
  assertEquals(read('{"jsonrpc":"2.0","id":1,"result":null}'), {
    kind: "response",
    id: 1,
    answered: { result: null },
  });
  assertEquals(read('{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}'), {
    kind: "response",
    id: 1,
    answered: { error: { code: 5, message: "no" } },
  });
  assertEquals(read('{"jsonrpc":"2.0","id":1}').kind, "response");
});

Deno.test("readIncoming() takes an id of null for a request's", () => {
  assertEquals(read('{"jsonrpc":"2.0","id":null,"method":"a"}').kind, "request");
});

Deno.test("readIncoming() refuses what is no JSON with -32700", () => {
  assertEquals(refused("{"), [null, -32700]);
  assertEquals(refused("Loaded cached credentials."), [null, -32700]);
});

Deno.test("readIncoming() refuses what is no request with -32600 and its id", () => {
  assertEquals(refused("3"), [null, -32600]);
  assertEquals(refused("null"), [null, -32600]);
  assertEquals(refused('{"jsonrpc":"1.0","id":7,"method":"a"}'), [7, -32600]);
  assertEquals(refused('{"id":"x","method":"a"}'), ["x", -32600]);
  assertEquals(refused('{"jsonrpc":"2.0"}'), [null, -32600]);
  assertEquals(refused('{"jsonrpc":"2.0","id":7,"method":3}'), [7, -32600]);
  assertEquals(refused('{"jsonrpc":"2.0","id":{},"method":"a"}'), [null, -32600]);
});

Deno.test("readIncoming() refuses a batch", () => {
  assertEquals(read('[{"jsonrpc":"2.0","id":1,"method":"a"}]'), {
    kind: "invalid",
    id: null,
    error: { code: -32600, message: "Cannot read a batch: send one message a line" },
  });
});

Deno.test("readIncoming() never answers an error, even one without an id", () => {
  assertEquals(refused('{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}'), "response");
});

Deno.test("readIncoming() names the size of a line that is too long, and its limit", () => {
  const frame = { kind: "oversized", bytes: 1025, end: "" } as const;
  const error = { code: -32600, message: "Cannot read a line of 1025 bytes: the limit is 1024" };
  const read = (start: string) => readIncoming({ ...frame, start }, 1024);
  assertEquals(read("x"), { kind: "invalid", id: null, error });
  const request = '{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{';
  assertEquals(read(request), { kind: "invalid", id: 4, error });
});

Deno.test("readIncoming() refuses a line that is not UTF-8 with -32700", () => {
  assertEquals(readIncoming({ kind: "not_utf8", bytes: 3 }, 1024), {
    kind: "invalid",
    id: null,
    error: { code: -32700, message: "Cannot read a line of 3 bytes: it is not UTF-8 text" },
  });
});

Deno.test("readIncoming() survives JSON that is nested without end", () => {
  assertEquals(refused("[".repeat(200_000)), [null, -32700]);
});
