import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { checkSysName, checkVariableName, SYS_NAMES, unsafeReason } from "./entries.ts";

const AT = { server: "s", entry: "env" };

Deno.test("unsafeReason() refuses what a list in a flag would take apart", () => {
  assertEquals(unsafeReason("/ws,/etc"), "it holds a comma, which would make two entries of it");
  assertEquals(unsafeReason("a\nb"), "it holds a line break");
  assertEquals(unsafeReason("a\rb"), "it holds a line break");
  assertEquals(unsafeReason("a\0b"), "it holds a NUL");
  assertEquals(unsafeReason("-A"), "it starts with -, as an option does");
  assertEquals(unsafeReason(""), "it is empty");
  for (const text of ["a b", "ü", "$(id)", "a -A", "./-x", "x;y", "*"]) {
    assertEquals(unsafeReason(text), undefined);
  }
});

Deno.test("checkVariableName() takes names and no patterns", () => {
  for (const name of ["FOO", "_a1", "ProgramFiles(x86)"]) checkVariableName(name, AT);
  for (const name of ["AWS_*", "*", "A=B", "A B", "", "-A", "A,B", "A\0"]) {
    const error = assertThrows(() => checkVariableName(name, AT), SkepError);
    assertEquals(error.code, "GRANT_INVALID");
  }
});

Deno.test("checkSysName() knows what Deno knows, and suggests", () => {
  for (const name of SYS_NAMES) checkSysName(name, AT);
  assertThrows(() => checkSysName("hostnam", AT), SkepError, "did you mean hostname?");
});
