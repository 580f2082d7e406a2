import { assertEquals } from "@std/assert";
import { type NumberedLines, numberedLines } from "./numbered_lines.ts";

const LIMITS = { maxReadTextBytes: 1000, maxReadLineCharacters: 10 };
const ALL = { offset: 1, limit: 100 };

function number(text: string, window = ALL, limits = LIMITS): NumberedLines {
  return numberedLines(text, window, limits);
}

Deno.test("numberedLines() numbers from 1; a last newline makes no further line", () => {
  const lines = { text: "1:a\n2:\n3:b\n", first: 1, last: 3, total: 3, crlf: 0 };
  assertEquals(number("a\n\nb\n"), { ...lines, lf: 3 });
  assertEquals(number("a\n\nb"), { ...lines, lf: 2 });
});

Deno.test("numberedLines() gives nothing for an empty text", () => {
  assertEquals(number(""), { text: "", first: 1, last: 0, total: 0, crlf: 0, lf: 0 });
});

Deno.test("numberedLines() gives the lines of its window, and counts all", () => {
  const text = "a\nb\nc\nd\n";
  assertEquals(number(text, { offset: 2, limit: 2 }), {
    text: "2:b\n3:c\n",
    first: 2,
    last: 3,
    total: 4,
    crlf: 0,
    lf: 4,
  });
  const { text: none, first, last } = number(text, { offset: 5, limit: 2 });
  assertEquals([none, first, last], ["", 5, 4]);
});

Deno.test("numberedLines() drops a carriage return before a newline and counts it", () => {
  const { text, crlf, lf } = number("a\r\nb\n\r\nc\rd\r");
  assertEquals([text, crlf, lf], ["1:a\n2:b\n3:\n4:c\rd\r\n", 2, 1]);
});

Deno.test("numberedLines() takes a line exactly at its limit, and cuts one past it", () => {
  assertEquals(number("1234567890").text, "1:1234567890\n");
  assertEquals(number("12345678901").text, "1:1234567890[… 1 more characters]\n");
});

Deno.test("numberedLines() does not cut a character in half", () => {
  assertEquals(number("123456789😀").text, "1:123456789[… 2 more characters]\n");
});

Deno.test("numberedLines() ends exactly at the bound of its text, counted in bytes", () => {
  const text = "ü\nü\nü\n"; // each line is "N:ü\n": five bytes
  const at = (maxReadTextBytes: number) => {
    const { last, total } = number(text, ALL, { ...LIMITS, maxReadTextBytes });
    return [last, total];
  };
  assertEquals([at(15), at(14), at(10), at(9)], [[3, 3], [2, 3], [2, 3], [1, 3]]);
});

Deno.test("numberedLines() gives one line even when that alone is over the bound", () => {
  const { text, last } = number("abc\nd\n", ALL, { ...LIMITS, maxReadTextBytes: 3 });
  assertEquals([text, last], ["1:abc\n", 1]);
});

Deno.test("numberedLines() skips no line after one that did not fit", () => {
  const limits = { ...LIMITS, maxReadTextBytes: 8 };
  assertEquals(number("aa\nbbbbbb\nc\n", ALL, limits).text, "1:aa\n");
});
