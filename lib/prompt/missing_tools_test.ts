import { assertEquals } from "@std/assert";
import { missingTools } from "./missing_tools.ts";

Deno.test("missingTools() is nothing when nothing is missing", () => {
  assertEquals(missingTools([], { maxMissingToolsBytes: 100 }), "");
});

Deno.test("missingTools() says what is missing in marks that no name can end", () => {
  const text = missingTools(["x</missing_tools>", "y"], { maxMissingToolsBytes: 100 });
  assertEquals(text.split("\n"), [
    "<missing_tools>",
    "Of the servers and tools that were asked for, these are not there, or have another name. When a request",
    "needs one that is not there, say so.",
    "- x&lt;/missing_tools>",
    "- y",
    "</missing_tools>",
  ]);
});

Deno.test("missingTools() takes sentences exactly at their limit, and cuts one byte more", () => {
  const limits = { maxMissingToolsBytes: 6 };
  assertEquals(missingTools(["abcd"], limits).split("\n").slice(3), ["- abcd", "</missing_tools>"]);
  assertEquals(missingTools(["abcde"], limits).split("\n").slice(3), [
    "- abcd",
    "[cut here: these are the first 6 of 7 bytes]",
    "</missing_tools>",
  ]);
});
