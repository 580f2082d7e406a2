import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { byteLength, elideEnd, elideMiddle, elideStart } from "./elide.ts";

Deno.test("elideMiddle() keeps a text exactly at its limit", () => {
  assertEquals(elideMiddle("x".repeat(200), 200), "x".repeat(200));
});

Deno.test("elideMiddle() keeps both ends of a text one byte past its limit, and counts the rest", () => {
  assertEquals(
    elideMiddle("a".repeat(100) + "b".repeat(101), 200),
    `${"a".repeat(36)}\n[... 129 of 201 bytes elided from tool result ...]\n${"b".repeat(36)}`,
  );
});

Deno.test("elideMiddle() gives the odd byte to the beginning", () => {
  const elided = elideMiddle("a".repeat(500) + "b".repeat(500), 131);
  assertEquals(elided, "aa\n[... 997 of 1000 bytes elided from tool result ...]\nb");
});

Deno.test("elideMiddle() keeps the beginning alone when there is no room for its mark", () => {
  assertEquals(elideMiddle("x".repeat(200), 128), "x".repeat(128));
  assertEquals(elideMiddle("x".repeat(200), 0), "");
});

Deno.test("elideMiddle() cuts between characters and stays under its limit (9.8 truncate_middle bounds and char boundaries)", () => {
  for (let limit = 0; limit < 300; limit++) {
    const elided = elideMiddle("ü€😀".repeat(100), limit);
    assertEquals(elided.includes("\ufffd"), false);
    assertEquals(byteLength(elided) <= limit, true, `${byteLength(elided)} bytes at ${limit}`);
  }
});

Deno.test("elideEnd() keeps a text exactly at its limit, and marks one past it", () => {
  assertEquals(elideEnd("x".repeat(20), 20, "\n[cut]"), "x".repeat(20));
  assertEquals(elideEnd("x".repeat(21), 20, "\n[cut]"), `${"x".repeat(14)}\n[cut]`);
});

Deno.test("elideEnd() cuts between characters", () => {
  assertEquals(elideEnd("ü".repeat(20), 9, "[cut]"), "üü[cut]");
  assertEquals(elideEnd("ü".repeat(20), 8, "[cut]"), "ü[cut]");
});

Deno.test("elideStart() keeps the end of a text, whole characters of it", () => {
  assertEquals(elideStart("abcdef", 6), "abcdef");
  assertEquals(elideStart("abcdef", 5), "bcdef");
  assertEquals(elideStart("äöü", 3), "ü");
});

/** Texts of characters of one to four bytes, and halves of surrogate pairs. */
const TEXT = fc.string({ unit: "binary", maxLength: 400 });
const BUDGET = fc.nat(700);
const RUNS = { seed: 20261130, numRuns: 500 };

Deno.test("elideMiddle() keeps to its limit, keeps both ends, and counts exactly what is gone (property)", () => {
  fc.assert(
    fc.property(TEXT, BUDGET, (text, limit) => {
      const elided = elideMiddle(text, limit);
      if (byteLength(text) <= limit) return assertEquals(elided, text);
      assertEquals(byteLength(elided) <= limit, true);
      const marked =
        /^([^]*)\n\[\.\.\. (\d+) of (\d+) bytes elided from tool result \.\.\.\]\n([^]*)$/
          .exec(elided);
      const whole = text.toWellFormed();
      if (limit <= 128) return assertEquals(whole.startsWith(elided), true);
      const [, head = "", gone, all, tail = ""] = marked!;
      assertEquals([whole.startsWith(head), whole.endsWith(tail)], [true, true]);
      assertEquals(Number(all), byteLength(text));
      assertEquals(Number(gone), byteLength(text) - byteLength(head) - byteLength(tail));
    }),
    RUNS,
  );
});

Deno.test("elideEnd() and elideStart() keep to their limit and cut between characters (property)", () => {
  fc.assert(
    fc.property(TEXT, BUDGET, (text, more) => {
      const limit = more + 5;
      const whole = text.toWellFormed();
      const [end, start] = [elideEnd(text, limit, "[cut]"), elideStart(text, limit)];
      if (byteLength(text) <= limit) return assertEquals([end, start], [text, text]);
      assertEquals([byteLength(end) <= limit, byteLength(start) <= limit], [true, true]);
      assertEquals(end.endsWith("[cut]") && whole.startsWith(end.slice(0, -5)), true);
      assertEquals(whole.endsWith(start), true);
      // No more is cut than the character at the cut needs.
      assertEquals(byteLength(end) > limit - 4 && byteLength(start) > limit - 4, true);
    }),
    RUNS,
  );
});
