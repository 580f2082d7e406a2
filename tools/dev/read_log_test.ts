import { assertEquals } from "@std/assert";
import { ReadLog } from "./read_log.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("ReadLog tells a file that has changed from one that was never seen", async () => {
  const log = new ReadLog(10);
  assertEquals(await log.isStale("a", bytes("x")), false);
  await log.note("a", bytes("x"));
  assertEquals(await log.isStale("a", bytes("x")), false);
  assertEquals(await log.isStale("a", bytes("y")), true);
});

Deno.test("ReadLog remembers as many files as its limit, and forgets the oldest past it", async () => {
  const log = new ReadLog(2);
  for (const path of ["a", "b"]) await log.note(path, bytes("x"));
  assertEquals(await log.isStale("a", bytes("y")), true);
  await log.note("a", bytes("x"));
  await log.note("c", bytes("x"));
  assertEquals(await log.isStale("b", bytes("y")), false);
  assertEquals(await log.isStale("a", bytes("y")), true);
});
