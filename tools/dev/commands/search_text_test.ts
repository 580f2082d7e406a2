import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { readPattern } from "./rg_pattern.ts";
import { searchText } from "./search_text.ts";

const SEARCH = { isInverted: false, before: 0, after: 0, maxCount: Infinity };

function read(pattern: string): RegExp {
  const options = { isFixed: false, isCaseIgnored: false, isSmartCase: false };
  return readPattern([pattern], { ...options, isWord: false, isLine: false });
}

function found(text: string, pattern: string, more: Partial<typeof SEARCH> = {}): string[] {
  const search = { ...SEARCH, pattern: read(pattern), ...more };
  return [...searchText(text, search)].map(({ number, text, isMatch, isAfterGap }) =>
    `${isAfterGap ? "--" : ""}${number}${isMatch ? ":" : "-"}${text}`
  );
}

Deno.test("searchText() gives the lines that match, with their numbers", () => {
  assertEquals(found("a\nb\nab\n", "a"), ["1:a", "--3:ab"]);
  assertEquals(found("", "a"), []);
  assertEquals(found("\n\n", "^$"), ["1:", "2:"]);
});

Deno.test("searchText() gives the lines around, each once", () => {
  const text = "1\n2\nx\n4\nx\n6\n7\n8\n9\nx\n";
  assertEquals(found(text, "x", { before: 1, after: 1 }), [
    "2-2",
    "3:x",
    "4-4",
    "5:x",
    "6-6",
    "--9-9",
    "10:x",
  ]);
});

Deno.test("searchText() ends after as many matches as it may give", () => {
  assertEquals(found("x\nx\ny\nx\n", "x", { maxCount: 2, after: 1 }), ["1:x", "2:x", "3-y"]);
});

Deno.test("searchText() gives what a look at each line gives", () => {
  const line = fc.constantFrom("a", "ab", "", "b", "ba\r");
  fc.assert(fc.property(
    fc.array(line),
    fc.constantFrom("a", "^b", "b$", "^$", "a\\s"),
    fc.boolean(),
    (lines, pattern, isInverted) => {
      const text = lines.map((each) => `${each}\n`).join("");
      const expected = lines.flatMap((each, index) =>
        new RegExp(pattern).test(each) === isInverted ? [] : [index + 1]
      );
      const search = { ...SEARCH, pattern: read(pattern), isInverted };
      assertEquals([...searchText(text, search)].map(({ number }) => number), expected);
    },
  ));
});
