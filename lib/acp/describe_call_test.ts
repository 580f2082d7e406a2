import { assertEquals } from "@std/assert";
import { describeCall } from "./describe_call.ts";

function kindOf(tool: string): string {
  return describeCall(tool, {}, 200).kind;
}

Deno.test("describeCall() guesses the kind from the first known word of the tool's name", () => {
  assertEquals(kindOf("dev__read_file"), "read");
  assertEquals(kindOf("fs__list_directory"), "read");
  assertEquals(kindOf("fs__readTextFile"), "read");
  assertEquals(kindOf("dev__write_file"), "edit");
  assertEquals(kindOf("dev__str_replace"), "edit");
  assertEquals(kindOf("fs__create_directory"), "edit");
  assertEquals(kindOf("fs__move_file"), "move");
  assertEquals(kindOf("fs__delete-file"), "delete");
  assertEquals(kindOf("fs__search_files"), "search");
  assertEquals(kindOf("dev__rg"), "search");
  assertEquals(kindOf("dev__shell"), "execute");
  assertEquals(kindOf("web__fetch"), "fetch");
  assertEquals(kindOf("dev__todo"), "think");
  assertEquals(kindOf("everything__echo"), "other");
  assertEquals(kindOf("load_skill"), "read");
});

Deno.test("describeCall() does not take the server's name for the tool's", () => {
  assertEquals(kindOf("search__ping"), "other");
});

Deno.test("describeCall() puts the argument that tells most in the title", () => {
  assertEquals(
    describeCall("dev__shell", { workdir: "/w", command: "npm test" }, 200).title,
    "dev__shell npm test",
  );
  assertEquals(describeCall("dev__read_file", { path: "a.ts" }, 200).title, "dev__read_file a.ts");
  assertEquals(describeCall("x__y", { path: 3 }, 200).title, "x__y");
  assertEquals(describeCall("x__y", undefined, 200).title, "x__y");
});

Deno.test("describeCall() writes out what would change how the title looks (T76)", () => {
  assertEquals(
    describeCall("dev__shell", { command: "rm -rf ~ \u202e#txt\nls" }, 200).title,
    "dev__shell rm -rf ~ \\u{202e}#txt\\u{a}ls",
  );
});

Deno.test("describeCall() keeps a title at its limit, and cuts one past it between characters", () => {
  assertEquals(describeCall("a__b", { path: "üü" }, 9).title, "a__b üü");
  assertEquals(describeCall("a__b", { path: "üüü" }, 10).title, "a__b ü…");
});
