import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { HeadAndTail } from "./head_and_tail.ts";

const encoder = new TextEncoder();

function keep(maxBytes: number, ...chunks: string[]): string {
  const kept = new HeadAndTail(maxBytes);
  for (const chunk of chunks) kept.push(encoder.encode(chunk));
  return kept.text();
}

Deno.test("HeadAndTail keeps everything up to its bound", () => {
  assertEquals(keep(9), "");
  assertEquals(keep(9, "ab"), "ab");
  assertEquals(keep(9, "abc", "def", "ghi"), "abcdefghi");
});

Deno.test("HeadAndTail leaves out the middle one byte past its bound, and counts it", () => {
  assertEquals(keep(9, "abcdefghij"), "abc\n[… 1 bytes with 0 line ends left out …]\nefghij");
  assertEquals(keep(9, "a\nc\n\nfghijk"), "a\nc\n[… 2 bytes with 2 line ends left out …]\nfghijk");
});

Deno.test("HeadAndTail does not cut a character in half", () => {
  // Head: 3 of "aaü…", whose ü begins at byte 2. Tail: 6, beginning inside another ü.
  assertEquals(keep(9, "aaüxxxxüfghij"), "aa\n[… 8 bytes with 0 line ends left out …]\nfghij");
});

Deno.test("HeadAndTail joins a character that is split between chunks or at the seam", () => {
  const kept = new HeadAndTail(9);
  const bytes = encoder.encode("aaüb");
  kept.push(bytes.subarray(0, 3));
  kept.push(bytes.subarray(3));
  assertEquals(kept.text(), "aaüb");
});

Deno.test("HeadAndTail marks what is not UTF-8", () => {
  const kept = new HeadAndTail(9);
  kept.push(new Uint8Array([0x61, 0xff, 0x62]));
  assertEquals(kept.text(), "a\uFFFDb");
});

Deno.test("HeadAndTail gives the same text however the bytes were cut into chunks", () => {
  const chunks = fc.array(
    fc.string({ unit: fc.constantFrom("a", "\n", "ü", "😀"), maxLength: 30 }),
  );
  fc.assert(fc.property(chunks, fc.integer({ min: 6, max: 40 }), (parts, maxBytes) => {
    const whole = keep(maxBytes, parts.join(""));
    assertEquals(keep(maxBytes, ...parts), whole);
    const text = parts.join("");
    if (encoder.encode(text).length <= maxBytes) assertEquals(whole, text);
    else {
      const [head, tail] = whole.split(/\n\[… \d+ bytes with \d+ line ends left out …\]\n/);
      assertEquals([text.startsWith(head!), text.endsWith(tail!)], [true, true]);
    }
  }));
});
