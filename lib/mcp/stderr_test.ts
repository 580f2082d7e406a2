import { assertEquals } from "@std/assert";
import { Stderr } from "./stderr.ts";

async function drained(
  maxBytes: number,
  ...chunks: string[]
): Promise<{ lines: string[]; tail: string }> {
  const lines: string[] = [];
  const stream = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  const stderr = new Stderr(stream, maxBytes, (line) => lines.push(line));
  await stderr.ended;
  return { lines, tail: stderr.tail };
}

Deno.test("Stderr gives each line, and keeps the end of all, an unfinished line too", async () => {
  assertEquals(await drained(100, "one\ntw", "o\nfatal: x"), {
    lines: ["one", "two"],
    tail: "one\ntwo\nfatal: x",
  });
});

Deno.test("Stderr keeps text exactly at its limit, and the last bytes of more", async () => {
  assertEquals((await drained(10, "0123456789")).tail, "0123456789");
  assertEquals((await drained(10, "abc", "0123456789")).tail, "0123456789");
  assertEquals((await drained(10, "x0123456", "789")).tail, "0123456789");
});

Deno.test("Stderr takes secrets out of the end before it is cut, so that no half of one stays (T91)", async () => {
  const redact = (text: string) => text.replaceAll("t0ken-123", "[T]");
  const tailOf = async (text: string) => {
    const stderr = new Stderr(new Blob([text]).stream(), 10, () => {}, redact);
    await stderr.ended;
    return stderr.tail;
  };
  assertEquals(await tailOf("t0ken-123 abcdef"), "[T] abcdef");
  assertEquals(await tailOf("t0ken-123\nt0ken-123 t0ken-123"), "[T] [T]");
  assertEquals(await tailOf("t0ken-123 0123456789"), " 0123456789".trim());
});

Deno.test("Stderr counts a line over its limit", async () => {
  assertEquals((await drained(10, `${"x".repeat(10)}\nok\n`)).lines, [
    "(a line of 11 bytes)",
    "ok",
  ]);
});

Deno.test("Stderr shows people no terminal sequences", async () => {
  assertEquals((await drained(100, "\u001b[31mred\u001b[0m\u0007\n")).tail, "red");
});

Deno.test("Stderr stops reading a stream that never ends", async () => {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) });
  const stderr = new Stderr(stream, 10, () => {});
  stderr.stop();
  await stderr.ended;
  assertEquals([isCancelled, stderr.tail], [true, ""]);
});
