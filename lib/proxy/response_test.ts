import { assertEquals } from "@std/assert";
import { lastResponse } from "./response.ts";
import { bytesOf, connectionPair, readAll, readUntil, scripted } from "./test_connection.ts";

function answer(...texts: string[]): Promise<string> {
  return readAll(lastResponse(scripted(...texts), 100));
}

Deno.test("lastResponse() tells the client that the connection ends, whatever the server says", async () => {
  assertEquals(
    await answer(
      "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\nA: b\r\n\r\nbo",
      "dy",
    ),
    "HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n\r\nbody",
  );
  assertEquals(await answer("HTTP/1.0 404\r\n\r\n"), "HTTP/1.0 404\r\nConnection: close\r\n\r\n");
});

Deno.test("lastResponse() gives an interim answer as soon as it has come", async () => {
  const [here, server] = connectionPair();
  const answering = lastResponse(here, 100);
  const first = readUntil(answering, "\r\n\r\n");
  await server.write(bytesOf("HTTP/1.1 100 Continue\r\n\r\n"));
  assertEquals(await first, "HTTP/1.1 100 Continue\r\n\r\n");
  const rest = readAll(answering);
  await server.write(bytesOf("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"));
  await server.closeWrite();
  assertEquals(
    await rest,
    "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx",
  );
});

Deno.test("lastResponse() answers for a server that speaks no HTTP/1.1", async () => {
  const bad = [
    "",
    "SSH-2.0-x\r\n\r\n",
    "HTTP/1.1 101 Switching\r\n\r\n",
    "HTTP/2 200\r\n\r\n",
    "HTTP/1.1 2000\r\n\r\n",
  ];
  for (const text of bad) {
    const [line] = (await answer(text)).split("\r\n");
    assertEquals([text, line], [text, "HTTP/1.1 502 Bad Gateway"]);
  }
});

Deno.test("lastResponse() takes a head exactly at its limit, and none one byte past it", async () => {
  const head = `HTTP/1.1 200 OK\r\nA: ${"x".repeat(76)}\r\n\r\n`; // 100 bytes
  assertEquals((await answer(head)).slice(0, 15), "HTTP/1.1 200 OK");
  assertEquals((await answer(head.replace("A:", "AB:"))).slice(0, 12), "HTTP/1.1 502");
});
