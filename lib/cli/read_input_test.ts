import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { readInput } from "./read_input.ts";

const NEVER = new AbortController().signal;
const LIMIT = LIMITS.maxPromptBytes.value;

Deno.test("readInput() joins all chunks, wherever a character is split", async () => {
  const bytes = new TextEncoder().encode("grün\n");
  const stream = ReadableStream.from([bytes.slice(0, 3), bytes.slice(3)]);
  assertEquals(await readInput(stream, NEVER), "grün\n");
});

Deno.test("readInput() takes a prompt exactly at its limit, and refuses one byte more", async () => {
  const text = await readInput(new Blob([new Uint8Array(LIMIT).fill(97)]).stream(), NEVER);
  assertEquals(text.length, LIMIT);
  const longer = new Blob([new Uint8Array(LIMIT + 1)]).stream();
  const error = await assertRejects(() => readInput(longer, NEVER), SkepError);
  assertEquals(error.code, "USAGE");
});

Deno.test("readInput() gives up when it is told to, though the stream goes on", async () => {
  const stop = new AbortController();
  const reading = readInput(new ReadableStream(), stop.signal);
  stop.abort();
  assertEquals((await assertRejects(() => reading, SkepError)).code, "CANCELLED");
  const late = readInput(new ReadableStream(), stop.signal);
  assertEquals((await assertRejects(() => late, SkepError)).code, "CANCELLED");
});
