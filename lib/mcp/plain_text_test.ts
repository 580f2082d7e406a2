import { assertEquals } from "@std/assert";
import { plainText } from "./plain_text.ts";

Deno.test("plainText() drops colours, titles and control characters", () => {
  assertEquals(plainText("a\u001b[31;1mred\u001b[0m\u0007b"), "aredb");
  assertEquals(plainText("\u009b2Ka\u001b[?25l"), "a");
  assertEquals(plainText("\u001b]0;title\u0007a\u001b]8;;x:y\u001b\\link"), "a\\link");
  assertEquals(plainText("\u0000\u007f\u0085\u001b"), "");
});

Deno.test("plainText() keeps tabs, newlines and brackets", () => {
  assertEquals(plainText("a\tb\r\n[1] ü\n]x\r[2]"), "a\tb\n[1] ü\n]x[2]");
});

Deno.test("plainText() makes half a surrogate pair readable", () => {
  assertEquals(plainText("a\ud800b"), "a\ufffdb");
});

Deno.test("a server's words turned the order of what a person reads", () => {
  assertEquals(plainText("exe\u202egnp.\u2066x\u2069"), "exegnp.x");
});
