import { assertEquals } from "@std/assert";
import { frames } from "./frames.ts";
import { oversizedRequest } from "./oversized_request.ts";

const LONG = `{"name":"a","arguments":{"id":7,"text":"${"x".repeat(5000)},\\"id\\":8}"}}`;

async function idIn(line: string, chunk = line.length + 1): Promise<unknown> {
  const bytes = new TextEncoder().encode(`${line}\n`);
  const parts = [];
  for (let at = 0; at < bytes.length; at += chunk) parts.push(bytes.subarray(at, at + chunk));
  const [frame] = await Array.fromAsync(frames(ReadableStream.from(parts), 2000));
  return frame?.kind === "oversized" ? oversizedRequest(frame) : frame;
}

Deno.test("oversizedRequest() finds the id of a request too long to read, at either end of its line", async () => {
  const first = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${LONG}}`;
  const last = `{"method":"tools/call","params":${LONG},"jsonrpc":"2.0","id":"a\\"b"}`;
  for (const chunk of [undefined, 1, 999]) {
    assertEquals([await idIn(first, chunk), await idIn(last, chunk)], [1, 'a"b']);
  }
  assertEquals(await idIn(`{ "id" : -2 , "params":${LONG}, "method" : "m" }\r`), -2);
});

Deno.test("oversizedRequest() finds no id in what is no request", async () => {
  for (
    const line of [
      `{"jsonrpc":"2.0","id":1,"result":${LONG}}`,
      `{"jsonrpc":"2.0","method":"m","params":${LONG}}`,
      `{"method":"m","params":${LONG.slice(0, -1)},"id":3}}`,
      `[{"jsonrpc":"2.0","id":1,"method":"m","params":${LONG}}]`,
      "x".repeat(5000),
    ]
  ) assertEquals(await idIn(line), undefined);
});
