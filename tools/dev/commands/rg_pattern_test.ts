import { assertEquals, assertThrows } from "@std/assert";
import { PatternInvalid, readPattern } from "./rg_pattern.ts";

const OPTIONS = {
  isFixed: false,
  isCaseIgnored: false,
  isSmartCase: false,
  isWord: false,
  isLine: false,
};

function finds(pattern: string, text: string, options: Partial<typeof OPTIONS> = {}): boolean {
  return readPattern([pattern], { ...OPTIONS, ...options }).test(text);
}

function refusal(pattern: string): string {
  return assertThrows(() => readPattern([pattern], OPTIONS), PatternInvalid).message;
}

Deno.test("readPattern() reads words, digits and borders of any script", () => {
  assertEquals(finds("^\\w+$", "größe"), true);
  assertEquals(finds("\\bße\\b", "größe"), false);
  assertEquals(finds("\\bgröße\\b", "eine größe."), true);
  assertEquals(finds("^\\d$", "٣"), true);
  assertEquals(finds("^[\\w-]+$", "ä-b"), true);
});

Deno.test("readPattern() takes an escape of what needs none", () => {
  assertEquals(finds('\\-\\_\\"\\#\\/\\ ', 'x-_"#/ x'), true);
  assertEquals(finds("a\\x{62}\\x63", "abc"), true);
  assertEquals(finds("]}", "]}"), true);
});

Deno.test("readPattern() reads classes of POSIX, named groups and flags at the start", () => {
  assertEquals(finds("^[[:upper:][:digit:]_]+$", "AB_9"), true);
  assertEquals(finds("[]a]", "]"), true);
  assertEquals(finds("[^]a]", "]"), false);
  assertEquals(finds("(?P<x>a)", "a"), true);
  assertEquals(finds("(?i)needle", "NEEDLE"), true);
  assertEquals(finds("(?i:n)eedle", "Needle"), true);
  assertEquals(finds("(?i:n)eedle", "NEEDLE"), false);
});

Deno.test("readPattern() takes plain text for what it is", () => {
  assertEquals(finds("a.c(", "a.c(", { isFixed: true }), true);
  assertEquals(finds("a.c(", "abc(", { isFixed: true }), false);
  assertEquals(finds("$&|", "$&|", { isFixed: true }), true);
});

Deno.test("readPattern() ignores case as it is told", () => {
  assertEquals(finds("a", "A", { isCaseIgnored: true }), true);
  assertEquals(finds("a", "A", { isSmartCase: true }), true);
  assertEquals(finds("A", "a", { isSmartCase: true }), false);
  assertEquals(finds("\\Wa", " A", { isSmartCase: true }), true);
});

Deno.test("readPattern() finds whole words and whole lines", () => {
  assertEquals(finds("a|b", "b c", { isWord: true }), true);
  assertEquals(finds("a|b", "bc", { isWord: true }), false);
  assertEquals(finds("a|b", "x\nb\ny", { isLine: true }), true);
  assertEquals(finds("a|b", "xb", { isLine: true }), false);
});

Deno.test("readPattern() finds any of several", () => {
  const pattern = readPattern(["a+", "b"], OPTIONS);
  assertEquals("xaabx".match(pattern), ["aa", "b"]);
});

Deno.test("readPattern() refuses what it cannot read, and says why", () => {
  assertEquals(refusal("(a"), "regex parse error: (a: Unterminated group");
  assertEquals(refusal("a\\"), "it ends in a single backslash");
  assertEquals(refusal("[a"), "unclosed character class");
  assertEquals(refusal("\\q"), "unrecognized escape sequence \\q");
  assertEquals(refusal("a(?i)b"), "flags are only read at the start: (?i)");
  assertEquals(
    refusal("a(?=b)"),
    "look-around, including look-ahead and look-behind, is not supported",
  );
});
