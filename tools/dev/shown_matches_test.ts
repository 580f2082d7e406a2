import { assertEquals } from "@std/assert";
import { shownMatches } from "./shown_matches.ts";

Deno.test("shownMatches() puts the marks back that a NUL stood in for", () => {
  assertEquals(
    shownMatches("a\x001:x\na\x002-y\n--\nb-1\x0010:--\n", false),
    "a:1:x\na-2-y\n--\nb-1:10:--\n",
  );
  assertEquals(shownMatches("a\x003\nb\x001\n", false), "a:3\nb:1\n");
});

Deno.test("shownMatches() keeps a name with a line end on one line", () => {
  assertEquals(shownMatches("a\nb\x001:x\nc\x001:y\n", false), '"a\\nb":1:x\nc:1:y\n');
  assertEquals(shownMatches("a\nb\0c\0", true), '"a\\nb"\nc\n');
});

Deno.test("shownMatches() leaves what has no name, or was cut off, as it is", () => {
  assertEquals(shownMatches("binary file matches\n", false), "binary file matches\n");
  assertEquals(shownMatches("a\x001:x…\n", false), "a:1:x…\n");
  assertEquals(shownMatches("", false), "");
});
