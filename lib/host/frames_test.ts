import { assertEquals } from "@std/assert";
import { type Frame, frames } from "./frames.ts";

const TEXT = (text: string): Frame => ({ kind: "text", text });

const OVERSIZED: Frame = { kind: "oversized", bytes: 5, start: "abcd", end: "abcd\n" };

function streamOf(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return ReadableStream.from(
    chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk),
  );
}

function read(limit: number, ...chunks: (string | Uint8Array)[]): Promise<Frame[]> {
  return Array.fromAsync(frames(streamOf(...chunks), limit));
}

Deno.test("frames() splits at newlines, wherever the chunks end", async () => {
  assertEquals(await read(100, "a", "b\nc", "d\n", "e\nf\n"), ["ab", "cd", "e", "f"].map(TEXT));
});

Deno.test("frames() takes a frame exactly at its limit", async () => {
  assertEquals(await read(4, "abc\n"), [TEXT("abc")]);
});

Deno.test("frames() reports a frame one byte past its limit, and goes on", async () => {
  assertEquals(await read(4, "abcd\nok\n"), [OVERSIZED, TEXT("ok")]);
  assertEquals(await read(4, "abc", "d", "\nok\n"), [OVERSIZED, TEXT("ok")]);
});

Deno.test("frames() grows its buffer for a long line in small chunks", async () => {
  const text = "x".repeat(20_000);
  const chunks = Array.from({ length: 200 }, () => "x".repeat(100));
  assertEquals(await read(20_001, ...chunks, "\n"), [TEXT(text)]);
});

Deno.test("frames() drops a carriage return before the newline, and blank lines", async () => {
  assertEquals(await read(100, "a\r\n\r\n  \n\nb\n"), [TEXT("a"), TEXT("b")]);
});

Deno.test("frames() keeps U+2028, U+2029 and a lone carriage return inside a line (T24)", async () => {
  assertEquals(await read(100, '{"a":"x\u2028y\u2029z\rw"}\n'), [
    TEXT('{"a":"x\u2028y\u2029z\rw"}'),
  ]);
});

Deno.test("frames() reports a line that is not UTF-8, and goes on", async () => {
  const bad = new Uint8Array([0x61, 0xff, 0x0a]);
  assertEquals(await read(100, bad, "ok\n"), [{ kind: "not_utf8", bytes: 3 }, TEXT("ok")]);
});

Deno.test("frames() joins a character that is split between chunks", async () => {
  const bytes = new TextEncoder().encode("ü\n");
  assertEquals(await read(100, bytes.slice(0, 1), bytes.slice(1)), [TEXT("ü")]);
});

Deno.test("frames() drops a last line that has no newline", async () => {
  assertEquals(await read(100, "a\nb"), [TEXT("a")]);
});
