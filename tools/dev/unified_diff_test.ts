import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { unifiedDiff } from "./unified_diff.ts";

const diff = (before: string, after: string, maxBytes = 10_000) =>
  unifiedDiff(before, after, "f", maxBytes);
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join("");

Deno.test("unifiedDiff() is empty for the same text", async () => {
  assertEquals(await diff("a\n", "a\n"), { text: "", added: 0, removed: 0, isCut: false });
});

Deno.test("unifiedDiff() shows three lines around a change, numbered in the whole text", async () => {
  const before = numbers(1, 1000);
  assertEquals(await diff(before, before.replace("\n500\n", "\nx\ny\n")), {
    text:
      "--- a/f\n+++ b/f\n@@ -497,7 +497,8 @@\n 497\n 498\n 499\n-500\n+x\n+y\n 501\n 502\n 503\n",
    added: 2,
    removed: 1,
    isCut: false,
  });
});

Deno.test("unifiedDiff() marks a last line without a newline", async () => {
  assertEquals(
    (await diff("a", "a\n")).text,
    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
  );
});

Deno.test("unifiedDiff() begins at line 0 where there is none", async () => {
  assertEquals((await diff("", "a\n")).text, "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
  assertEquals((await diff("a\n", "")).text, "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n");
});

Deno.test("unifiedDiff() names an absolute path as it is", async () => {
  const { text } = await unifiedDiff("a\n", "b\n", "/w/f", 1000);
  assertEquals(text.startsWith("--- /w/f\n+++ /w/f\n"), true);
});

Deno.test("unifiedDiff() leaves out whole hunks one byte past its bound, and counts them", async () => {
  const before = numbers(1, 40);
  const after = before.replace("2\n", "x\n").replace("\n20\n", "\ny\n").replace("\n38\n", "\nz\n");
  const whole = await diff(before, after);
  const bytes = whole.text.length;
  assertEquals((await diff(before, after, bytes)).isCut, false);
  const cut = await diff(before, after, bytes - 1);
  assertEquals([cut.isCut, cut.added, cut.removed], [true, 3, 3]);
  assertEquals(cut.text.endsWith("\n 23\n[… 1 more hunk left out]\n"), true);
});

Deno.test("unifiedDiff() gives up on what is too different to show", async () => {
  assertEquals(await diff(numbers(1, 5000), numbers(10_001, 15_000)), {
    text: "[too many changes to show]\n",
    added: 5000,
    removed: 5000,
    isCut: true,
  });
});

Deno.test("unifiedDiff() holds both texts: what it takes away and what it puts", async () => {
  const line = fc.constantFrom("a\n", "b\n", "c\n", "d\n");
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join(""));
  await fc.assert(fc.asyncProperty(text, text, async (before, after) => {
    const { text } = await diff(before, after);
    assertEquals(patched(before, text), after);
  }));
});

/** Applies a diff the simple way: line by line, by the numbers of its hunks. */
function patched(before: string, diff: string): string {
  const old = before.split(/(?<=\n)/);
  const out: string[] = [];
  let at = 0;
  for (const line of diff.split(/(?<=\n)/).slice(2)) {
    const [, start, count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (start !== undefined) {
      const from = count === "0" ? Number(start) : Number(start) - 1;
      out.push(...old.slice(at, from));
      at = from;
    } else if (line.startsWith("+")) out.push(line.slice(1));
    else {
      assertEquals(old[at], line.slice(1));
      if (line.startsWith(" ")) out.push(line.slice(1));
      at++;
    }
  }
  return [...out, ...old.slice(at)].join("");
}
