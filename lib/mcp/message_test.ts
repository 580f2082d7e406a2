import { assertEquals } from "@std/assert";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/sdk/types.js";
import { parseMessage } from "./message.ts";

const INVALID = "The answer has neither a result nor an error that is an object";

Deno.test("parseMessage() takes requests, notifications, results and errors", () => {
  const messages = [
    { jsonrpc: "2.0", method: "roots/list", id: "a" },
    { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: [1] } },
    { jsonrpc: "2.0", id: 3, result: { content: [] } },
    { jsonrpc: "2.0", id: 0, error: { code: -32601, message: "no", data: { a: 1 } } },
  ];
  for (const message of messages) {
    assertEquals<unknown>(parseMessage(JSON.stringify(message)), message);
  }
});

Deno.test("parseMessage() refuses what is no message (T22)", () => {
  const lines = [
    "Starting...",
    "{",
    "[1]",
    "null",
    '"text"',
    '{"level":"info","msg":"ready"}',
    '{"jsonrpc":"1.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  ];
  for (const line of lines) assertEquals(parseMessage(line), undefined, line);
});

Deno.test("parseMessage() makes an answer of every one that names our request", () => {
  const answers: [string, unknown][] = [
    ['{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null,"extra":1}', { result: { a: 1 } }],
    ['{"jsonrpc":"2.0","id":1,"result":{"a":1,"_meta":null}}', { result: { a: 1 } }],
    ['{"jsonrpc":"2.0","id":1,"result":{"_meta":{"k":1,"progressToken":1.5}}}', {
      result: { _meta: { k: 1 } },
    }],
    ['{"jsonrpc":"2.0","id":"1","result":{}}', { result: {} }],
    ['{"jsonrpc":"2.0","id":1,"result":[]}', { error: { code: -32603, message: INVALID } }],
    ['{"jsonrpc":"2.0","id":1,"result":null}', { error: { code: -32603, message: INVALID } }],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}', { error: { code: -32603, message: INVALID } }],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"E"}}', {
      error: { code: -32603, message: "The server gave no reason" },
    }],
  ];
  for (const [line, answer] of answers) {
    const message = parseMessage(line);
    assertEquals<unknown>(
      message,
      { jsonrpc: "2.0", id: 1, ...answer as Record<string, unknown> },
      line,
    );
    assertEquals(isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message), true, line);
  }
});

Deno.test("parseMessage() lets no answer pass for another request's", () => {
  for (const id of ['""', '" "', '"0x1"', "1.5", "true", "{}"]) {
    assertEquals(parseMessage(`{"jsonrpc":"2.0","id":${id},"result":{}}`), undefined, id);
  }
});

Deno.test("parseMessage() keeps U+2028 (T24)", () => {
  const line = '{"jsonrpc":"2.0","id":1,"result":{"text":"a\u2028b"}}';
  assertEquals<unknown>(parseMessage(line), {
    jsonrpc: "2.0",
    id: 1,
    result: { text: "a\u2028b" },
  });
});
