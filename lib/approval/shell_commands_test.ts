import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { shellCommands } from "./shell_commands.ts";

function certain(line: string): string[] | undefined {
  return shellCommands(line)?.filter(({ isCertain }) => isCertain).map(({ words }) =>
    words.join(" ")
  );
}

Deno.test("shellCommands() lists what a line runs, inner commands first", () => {
  assertEquals(certain("a b | c 'd e' && f; g"), ["a b", "c d e", "f", "g"]);
  assertEquals(certain('echo "$(date -u)" `id`'), ["date -u", "id", "echo $(…) $(…)"]);
  assertEquals(certain("A=1 B=$(id) env C=2 make -j"), ["id", "env C=2 make -j", "make -j"]);
  assertEquals(certain("while read x; do rm $x; done < list > out"), ["> out", "read x", "rm $x"]);
  assertEquals(certain("sudo -u root sh -c 'a; b'"), [
    "sudo -u root sh -c a; b",
    "root sh -c a; b",
    "a",
    "b",
  ]);
});

Deno.test("shellCommands() finds nothing in nothing", () => {
  for (const line of ["", "  ", "# a comment", ";", "a=1", "for i in 1; do"]) {
    assertEquals(shellCommands(line), []);
  }
});

Deno.test("shellCommands() tells the variables that are set for a program, and for all that follows", () => {
  const sets = (line: string) => shellCommands(line)?.map(({ words, sets }) => [sets, words]);
  assertEquals(sets("a=1 B='x y' git log"), [[["a=1", "B=x y"], ["git", "log"]]]);
  assertEquals(sets("PATH=.; git log"), [[["PATH=."], []], [[], ["git", "log"]]]);
  assertEquals(sets("for PATH in .; do git log; done"), [[["PATH="], []], [[], ["git", "log"]]]);
  assertEquals(sets("a=1; http_proxy=x; B+=2"), [[["http_proxy=x"], []], [["B+=2"], []]]);
});

Deno.test("shellCommands() keeps a line that a continuation splits, and its quotes", () => {
  assertEquals(certain("cu\\\nrl x"), ["curl x"]);
  assertEquals(certain("echo 'a;b' \"c|d\" e\\;f"), ["echo a;b c|d e;f"]);
  assertEquals(certain("echo a#b"), ["echo a#b"]);
});

Deno.test("shellCommands() reads any line to an end, or says that it cannot", () => {
  const piece = fc.constantFrom(
    ..."ab $`'\"\\(){}<>|&;\n#=*?[]!~".split(""),
    "$(",
    "sh -c ",
    "env ",
    "eval ",
    "xargs ",
    "time -p ",
    "find . -exec ",
    "trap ",
    "\\\n",
    "<<",
    "2>&1",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")), (line) => {
      const commands = shellCommands(line);
      assertEquals(commands === undefined || Array.isArray(commands), true);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("shellCommands() takes no longer for a line that is made to take long", () => {
  const start = performance.now();
  for (
    const line of ["(".repeat(5000), "$(".repeat(5000), "env ".repeat(300) + "x", "'".repeat(9999)]
  ) {
    shellCommands(line);
  }
  assertEquals(performance.now() - start < 15_000, true);
});
