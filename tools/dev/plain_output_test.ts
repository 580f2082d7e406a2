import { assertEquals } from "@std/assert";
import { plainOutput } from "./plain_output.ts";

Deno.test("plainOutput() drops what steers a terminal, and nothing else", () => {
  const cases: [string, string][] = [
    ["\x1b[1;31mred\x1b[0m", "red"],
    ["\x1b[2K\x1b[1Gline", "line"],
    ["\x1b]0;title\x07x\x1b]8;;file:///a\x1b\\link", "xlink"],
    ["\x1b(B\x1b=a\x1b7b", "ab"],
    ["a\x9b31mb", "ab"],
    ["[31m tab\t cr\r\n ü", "[31m tab\t cr\r\n ü"],
    ["50%\r100%\n", "50%\r100%\n"],
  ];
  for (const [given, plain] of cases) assertEquals(plainOutput(given), plain);
});
