import { assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import fc from "fast-check";
import { parsePlainYaml } from "./plain_yaml.ts";

Deno.test("parsePlainYaml() reads lines of names and texts", () => {
  assertEquals(
    parsePlainYaml("name: a\ndescription: What a does, [when] it's used: no\n"),
    undefined,
  );
  assertEquals(parsePlainYaml("name: a\n\ndescription:  What {a} does, it's 1#2 \nx-y: b:c\n"), {
    name: "a",
    description: "What {a} does, it's 1#2",
    "x-y": "b:c",
  });
});

Deno.test("parsePlainYaml() leaves to the real parser what is more than that", () => {
  const texts = [
    "",
    "a:",
    "a: 1",
    "a: true",
    "a: Null",
    "a: 'b'",
    "a: [b]",
    "a: b #c",
    "a: b: c",
    "a: b:",
  ];
  const more = [
    "a: b\n  c",
    "a: b\na: c",
    "- a",
    "a: |\n  b",
    "# a: b",
    "a:\tb",
    "a: b\tc",
    "a: b\u0085c",
  ];
  for (const yaml of [...texts, ...more]) {
    assertEquals([yaml, parsePlainYaml(yaml)], [yaml, undefined]);
  }
});

Deno.test("parsePlainYaml() gives what the real parser gives, or nothing", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "name",
      "a",
      "true",
      "null",
      "~",
      "1",
      ": ",
      ":",
      "\n",
      " ",
      "#",
      "'",
      "-",
      "\t",
      ".inf",
    ),
    fc.constantFrom(
      "yes",
      "No",
      "0x1",
      "[",
      "]",
      "{",
      "}",
      "&a",
      "*a",
      "!x",
      "|",
      ">",
      "%",
      "@",
      "`",
      "?",
    ),
    fc.string({ maxLength: 3, unit: "binary" }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const lines = fc.array(fc.tuple(text, text).map(([key, value]) => `${key}: ${value}`), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.oneof(text, lines.map((each) => each.join("\n"))), (yaml) => {
      const plain = parsePlainYaml(yaml);
      if (plain === undefined) return;
      assertEquals([yaml, plain], [yaml, parse(yaml, { schema: "core" })]);
      assertEquals(plain, parse(yaml, { schema: "failsafe" }));
    }),
    { numRuns: 3000 },
  );
});
