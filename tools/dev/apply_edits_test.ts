import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { applyEdits, type Edit, EditRefused } from "./apply_edits.ts";

const LIMIT = 100_000;

function replace(oldText: string, newText: string, isAll = false): Edit {
  return { kind: "replace", oldText, newText, isAll };
}

function insert(afterLine: number, newText: string): Edit {
  return { kind: "insert", afterLine, newText };
}

function apply(text: string, ...edits: Edit[]): string {
  return applyEdits(text, edits, LIMIT).text;
}

function refusal(text: string, ...edits: Edit[]): string {
  return assertThrows(() => applyEdits(text, edits, LIMIT), EditRefused).message;
}

Deno.test("applyEdits() replaces one occurrence and says where", () => {
  assertEquals(applyEdits("a\nb\nc\n", [replace("b", "x")], LIMIT), {
    text: "a\nx\nc\n",
    done: ["replaced 1 occurrence at line 2"],
    hasTurnedLineEnds: false,
  });
});

Deno.test("applyEdits() replaces every occurrence when asked to", () => {
  assertEquals(applyEdits("aXbXcX", [replace("X", "--", true)], LIMIT), {
    text: "a--b--c--",
    done: ["replaced 3 occurrences"],
    hasTurnedLineEnds: false,
  });
});

Deno.test("applyEdits() takes nothing in a replacement for a pattern", () => {
  assertEquals(apply("a.c abc", replace("a.c", "$&$1$$")), "$&$1$$ abc");
});

Deno.test("applyEdits() refuses an ambiguous text with the lines where it stands", () => {
  assertEquals(
    refusal("x\ny\nx\nx\n", replace("x", "z")),
    "old_str is found 3 times (lines 1, 3, 4): give more of the text around it, or replace_all",
  );
  assertEquals(
    refusal("x\n".repeat(11), replace("x", "z")).slice(0, 66),
    "old_str is found 11 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)",
  );
});

Deno.test("applyEdits() refuses an empty text, and one that is not there", () => {
  assertEquals(
    refusal("a", replace("", "x")),
    "old_str is empty: insert_line inserts, write_file replaces all",
  );
  for (const isAll of [false, true]) {
    assertEquals(
      refusal("a", replace("zebra", "x", isAll)),
      "old_str is not found, which must match exactly, and nothing there is like it",
    );
  }
});

Deno.test("applyEdits() shows the same text with other whitespace, with its lines", () => {
  assertEquals(
    refusal("if (a) {\n\tcall(b);\n}\n", replace("  call(b);\n}", "")),
    "old_str is not found, which must match exactly. The same but for whitespace is at lines 2-3:\n" +
      "2:\tcall(b);\n3:}\n" +
      "The first difference is in line 2:\n" +
      '  there:   "\\tcall(b);"\n  old_str: "  call(b);"',
  );
});

Deno.test("applyEdits() shows where only line ends differ, in a file that has both", () => {
  const start = "old_str is not found, which must match exactly. The same but for whitespace is at";
  assertEquals(
    refusal(
      "alpha one;\r\nbeta two;\ngamma three;\r\n",
      replace("alpha one;\nbeta two;\ngamma three;", ""),
    ),
    `${start} lines 1-3:\n1:alpha one;\n2:beta two;\n3:gamma three;\n` +
      "The first difference is in line 1:\n" +
      '  there:   "alpha one;\\r\\n"\n  old_str: "alpha one;\\n"',
  );
  assertEquals(
    refusal("a\nlast line", replace("last line\n", "")),
    `${start} line 2:\n2:last line\n` +
      'The first difference is in line 2:\n  there:   "last line"\n  old_str: "last line\\n"',
  );
  assertEquals(
    refusal("one\ntwo;\nthree\n", replace("\n\ntwo;\nthree", "")),
    `${start} lines 2-3:\n2:two;\n3:three\n` +
      'The first difference is in line 1:\n  there:   ""\n  old_str: "\\n"',
  );
});

Deno.test("applyEdits() shows the nearest text anywhere in a long file", () => {
  const filler = "nothing to see\n".repeat(5000);
  assertEquals(
    refusal(
      `${filler}const total = sum(values);\n${filler}`,
      replace("const total = sum(value);", ""),
    ),
    "old_str is not found, which must match exactly. The nearest text is at line 5001:\n" +
      "5001:const total = sum(values);\n" +
      "The first difference is in line 5001:\n" +
      '  there:   "const total = sum(values);"\n  old_str: "const total = sum(value);"',
  );
});

Deno.test("applyEdits() takes an edit that is written with LF in a file with CRLF", () => {
  const after = applyEdits("a\r\nb\r\nc\r\n", [replace("a\nb", "x\ny\nz")], LIMIT);
  assertEquals([after.text, after.hasTurnedLineEnds], ["x\r\ny\r\nz\r\nc\r\n", true]);
  const one = applyEdits("a\r\nb\r\n", [replace("a", "x\ny")], LIMIT);
  assertEquals([one.text, one.hasTurnedLineEnds], ["x\r\ny\r\nb\r\n", true]);
  assertEquals(apply("a\r\nb\n", replace("b", "x\ny")), "a\r\nx\ny\n");
  assertEquals(apply("a\r\nb\r\n", replace("a\r\nb", "x\r\ny")), "x\r\ny\r\n");
});

Deno.test("applyEdits() inserts after a line, and at the start and the end", () => {
  assertEquals(apply("a\nb\n", insert(0, "x\n")), "x\na\nb\n");
  assertEquals(apply("a\nb\n", insert(1, "x")), "a\nx\nb\n");
  assertEquals(apply("a\nb\n", insert(2, "x\n")), "a\nb\nx\n");
  assertEquals(apply("a\nb", insert(2, "x")), "a\nb\nx");
  assertEquals(apply("", insert(0, "x")), "x");
  assertEquals(apply("a\r\nb\r\n", insert(1, "x\ny")), "a\r\nx\r\ny\r\nb\r\n");
  assertEquals(
    refusal("a\nb\n", insert(3, "x")),
    "insert_line=3 is past its end: it has 2 lines",
  );
});

Deno.test("applyEdits() makes edits one after another, all or none", () => {
  assertEquals(apply("a b", replace("a", "b"), replace("b b", "c")), "c");
  assertEquals(
    refusal("a b", replace("a", "c"), replace("a", "d")).startsWith(
      "edits[1]: old_str is not found",
    ),
    true,
  );
});

Deno.test("applyEdits() takes a result exactly at its limit, and refuses one character more", () => {
  const edit = [replace("a", "bb", true)];
  assertEquals(applyEdits("aaa", edit, 6).text, "bbbbbb");
  const error = assertThrows(() => applyEdits("aaa", edit, 5), EditRefused);
  assertEquals(error.message, "the result would have 6 characters, the limit is 5");
});

const text = fc.array(fc.constantFrom("a", "b", "ab", "\n", "\t", "ü", "𝄞")).map((parts) =>
  parts.join("")
);

Deno.test("applyEdits() replaces all as splitting and joining does", () => {
  const nonEmpty = text.filter((each) => each !== "");
  fc.assert(fc.property(text, nonEmpty, text, (whole, oldText, newText) => {
    fc.pre(whole.includes(oldText));
    assertEquals(
      apply(whole, replace(oldText, newText, true)),
      whole.split(oldText).join(newText),
    );
  }));
});

Deno.test("applyEdits() touches nothing around a text that is there once", () => {
  fc.assert(fc.property(text, text, text, (before, newText, after) => {
    assertEquals(apply(`${before}<§>${after}`, replace("<§>", newText)), before + newText + after);
  }));
});
