import { assertEquals, assertRejects } from "@std/assert";
import { HostLink, Refused } from "./host_link.ts";

function linkOf(limit: number): { link: HostLink; lines: string[] } {
  const lines: string[] = [];
  const link = new HostLink((text) => Promise.resolve(void lines.push(text)), limit);
  return { link, lines };
}

Deno.test("HostLink sends an answer exactly at its limit, and an error in place of one past it", async () => {
  const answer = { id: 1, result: { text: "x".repeat(100) } };
  const length = JSON.stringify({ ...answer, jsonrpc: "2.0" }).length + 1;
  const { link, lines } = linkOf(length);
  assertEquals(link.send(answer), true);
  link.send({ id: 1, result: { text: "x".repeat(101) } });
  assertEquals(link.send({ method: "notifications/message", params: "x".repeat(200) }), false);
  await link.flushed;
  assertEquals(lines.map((line) => line.length), [length, lines[1]!.length]);
  assertEquals(
    JSON.parse(lines[1]!).error.message,
    `The server's answer takes ${length + 1} bytes: the limit is ${length}`,
  );
});

Deno.test("HostLink knows the answers to its own requests from all others", async () => {
  const { link, lines } = linkOf(1000);
  const asked = link.ask("skep/token", {});
  const refused = link.ask("skep/token", {});
  await link.flushed;
  const [id, other] = lines.map((line) => JSON.parse(line).id);
  assertEquals(link.settle({ id: "1", result: {} }), false);
  assertEquals(link.settle({ id, method: "ping" }), false);
  assertEquals(link.settle({ id, result: { token: "t" } }), true);
  assertEquals(link.settle({ id, result: {} }), false);
  link.settle({ id: other, error: { message: "no" } });
  assertEquals(await asked, { token: "t" });
  await assertRejects(() => refused, Refused, "no");
});
