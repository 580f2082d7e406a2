import { assertEquals } from "@std/assert";
import { CallIds } from "./call_ids.ts";

Deno.test("CallIds keeps an id that is new, and numbers one that comes again", () => {
  const ids = new CallIds();
  const asked = { tool: "t", input: {} };
  assertEquals([ids.begin("call_1", asked), ids.of("call_1")], ["call_1", "call_1"]);
  assertEquals([ids.begin("call_1", asked), ids.of("call_1")], ["call_1#2", "call_1#2"]);
  assertEquals(ids.begin("call_2", asked), "call_2");
});

Deno.test("CallIds gives the id of a call that never began as it is", () => {
  assertEquals(new CallIds().of("x"), "x");
});

Deno.test("CallIds gives what was asked for with a call once, at its end", () => {
  const ids = new CallIds();
  const asked = { tool: "t", input: { a: 1 } };
  ids.begin("c", asked);
  assertEquals([ids.end("c"), ids.end("c")], [asked, undefined]);
});
