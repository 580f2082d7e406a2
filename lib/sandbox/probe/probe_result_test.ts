import { assertEquals } from "@std/assert";
import { isSurprise, parseProbeLine, type ProbeResult } from "./probe_result.ts";

const LINE = { probe: "read-key", expected: "denied", outcome: "allowed", detail: "it worked" };

Deno.test("parseProbeLine() reads attempts and the last line, and takes nothing else for one", () => {
  assertEquals(parseProbeLine(JSON.stringify({ ...LINE, more: 1 })), LINE as never);
  assertEquals(parseProbeLine('{"done":true}'), { done: true });
  for (
    const text of [
      "bash: no such file",
      "null",
      "[]",
      '{"done":1}',
      JSON.stringify({ ...LINE, outcome: "maybe" }),
      JSON.stringify({ ...LINE, detail: undefined }),
    ]
  ) assertEquals(parseProbeLine(text), undefined, text);
});

Deno.test("isSurprise() is what differs from what was expected; what was skipped tells nothing", () => {
  const result = (expected: string, outcome: string) =>
    isSurprise({ ...LINE, expected, outcome, from: "js", backend: "bwrap" } as ProbeResult);
  assertEquals([result("denied", "allowed"), result("allowed", "denied")], [true, true]);
  assertEquals([result("denied", "denied"), result("allowed", "allowed")], [false, false]);
  assertEquals([result("denied", "skipped"), result("allowed", "skipped")], [false, false]);
  assertEquals([result("open", "denied"), result("open", "allowed")], [false, false]);
});
