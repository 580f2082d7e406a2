import { assertEquals } from "@std/assert";
import { readSettings } from "./settings.ts";

Deno.test("readSettings() reads the server's arguments", () => {
  const defaults = {
    isUnconfined: false,
    isSaidConfined: false,
    areHooksListed: false,
    isGitLooking: false,
    without: [],
    author: "skep agent <agent@skep.invalid>",
  };
  assertEquals(readSettings([], []), defaults);
  assertEquals(
    readSettings(
      [
        "--confined",
        "--hooks",
        "--git-looks",
        "--without=a,b",
        "--author=A B <a@b>",
        "--person=C <c@d>",
        "--named=/l",
      ],
      ["a", "b"],
    ),
    {
      ...defaults,
      isSaidConfined: true,
      areHooksListed: true,
      isGitLooking: true,
      without: ["a", "b"],
      author: "A B <a@b>",
      named: "/l",
      person: "C <c@d>",
    },
  );
});

Deno.test("readSettings() says what is wrong with an argument", () => {
  assertEquals(
    readSettings(["--without=shel"], ["shell"]),
    '--without: there is no tool "shel" (there are shell)',
  );
  for (const author of ["A", "A <>", "<a@b>", "A\n[core] <a@b>"]) {
    const text = readSettings([`--author=${author}`], []);
    assertEquals(text, `--author must be "NAME <ADDRESS>", not "${author}"`);
  }
});
