import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Fields } from "./fields.ts";
import { type Frontmatter, parseFrontmatter } from "./frontmatter.ts";
import { placeText, Problems } from "./problems.ts";

function parse(text: string, limits = DEFAULT_LIMITS): Frontmatter {
  const problems = new Problems();
  const parsed = parseFrontmatter(text, "/p/a.persona.md", limits, problems);
  problems.throwFirst();
  return parsed!;
}

/** What is told of a read, without the path. */
function told(fields: Fields, read: (fields: Fields) => unknown): string[] {
  const problems = new Problems();
  read(fields.toldTo(problems));
  return problems.all.map((problem) =>
    `${placeText(problem).replace("/p/a.persona.md", "")}: ${problem.reason}`
  );
}

/** The message of the refusal, without the path that all of them begin with. */
function refusal(text: string, limits = DEFAULT_LIMITS): string {
  const error = assertThrows(() => parse(text, limits), SkepError);
  assertEquals(error.code, "PERSONA_INVALID");
  return error.message.replace("Cannot use /p/a.persona.md", "");
}

Deno.test("parseFrontmatter() gives the fields and the body as it is", () => {
  const { fields, body } = parse("---\nname: a\n---\n\nHello\n---\nmore");
  assertEquals(fields.text("name"), "a");
  assertEquals(body, "\nHello\n---\nmore");
});

Deno.test("parseFrontmatter() takes an empty body, with and without a last newline", () => {
  assertEquals(parse("---\nname: a\n---\n").body, "");
  assertEquals(parse("---\nname: a\n---").body, "");
});

Deno.test("parseFrontmatter() takes CRLF and a byte order mark, and gives LF", () => {
  const { fields, body } = parse("\uFEFF---\r\nname: a\r\ntext: |\r\n  x\r\n  y\r\n---\r\nb\r\n");
  assertEquals(fields.text("name"), "a");
  assertEquals(fields.text("text"), "x\ny\n");
  assertEquals(body, "b\n");
});

Deno.test("parseFrontmatter() closes at a line of three dashes and nothing else", () => {
  const { fields, body } = parse("---\nname: a\n---junk: 1\n---\nb");
  assertEquals(fields.keys(), ["name", "---junk"]);
  assertEquals(body, "b");
});

Deno.test("parseFrontmatter() refuses a file without both delimiters", () => {
  const opening = ':1:1: it must begin with a line of "---"';
  const closing = ':1:1: the frontmatter is not closed by a line of "---"';
  assertEquals(refusal("name: a\n"), opening);
  assertEquals(refusal("\n---\nname: a\n---\n"), opening);
  assertEquals(refusal("--- \nname: a\n---\n"), opening);
  assertEquals(refusal(""), opening);
  assertEquals(refusal("---\nname: a\n"), closing);
  assertEquals(refusal("---\nname: a\n--- \n"), closing);
});

Deno.test("parseFrontmatter() names the line of broken YAML", () => {
  assertEquals(
    refusal("---\nname: a\ndescription: a: b\n---\n"),
    ":3:15: its YAML is wrong: bad indentation of a mapping entry",
  );
  assertEquals(
    refusal("---\nname: a\nname: b\n---\n"),
    ":3:1: its YAML is wrong: duplicated mapping key",
  );
});

Deno.test("parseFrontmatter() refuses YAML that is no mapping", () => {
  assertEquals(
    refusal("---\n- a\n---\n"),
    ':1:1: it must be a mapping of names to values, not ["a"]',
  );
  assertEquals(refusal("---\n---\n"), ":1:1: it must be a mapping of names to values, not null");
});

Deno.test("parseFrontmatter() takes parts exactly at their limits, and refuses one byte more", () => {
  const limits = { ...DEFAULT_LIMITS, maxConfigFileBytes: 8, maxPersonaBodyBytes: 4 };
  assertEquals(parse("---\nname: a\n---\n1234", limits).body, "1234");
  assertEquals(
    refusal("---\nname: ab\n---\n1234", limits),
    ":1:1: its frontmatter has 9 bytes, the limit is 8",
  );
  assertEquals(
    refusal("---\nname: a\n---\n12345", limits),
    ":1:1: its body has 5 bytes, the limit is 4",
  );
});

Deno.test("Fields reads any plain scalar as text, as it was written", () => {
  const { fields } = parse(
    '---\na: 1.0\nb: 123\nc: True\nd: 0x1F\ne: 2020-01-01\nf: "~"\ng: yes\nl: [42, 1.0, yes]\n---\n',
  );
  assertEquals(
    ["a", "b", "c", "d", "e", "f", "g"].map((key) => fields.text(key)),
    ["1.0", "123", "True", "0x1F", "2020-01-01", "~", "yes"],
  );
  assertEquals(fields.texts("l"), ["42", "1.0", "yes"]);
});

Deno.test("Fields reads null, an absent field and a blank text as nothing", () => {
  const { fields } = parse('---\na: null\nb: ~\nc:\nd: "  "\n---\n');
  assertEquals(["a", "b", "c", "d", "e"].map((key) => fields.text(key)), Array(5).fill(undefined));
  assertEquals([fields.number("a"), fields.flag("b")], [undefined, undefined]);
});

Deno.test("Fields reads numbers and booleans only when they are written as such", () => {
  const { fields } = parse(
    '---\nn: 0.5\nh: 0x10\nq: "0.5"\nt: True\nf: FALSE\ny: yes\ni: .inf\nm: -1\n---\n',
  );
  assertEquals([fields.number("n"), fields.count("h")], [0.5, 16]);
  assertEquals([fields.flag("t"), fields.flag("f")], [true, false]);
  assertEquals(
    told(fields, (each) => [each.number("q"), each.flag("y")]),
    [':4:1: "q" must be a number, not "0.5"', ':7:1: "y" must be true or false, not "yes"'],
  );
  assertEquals(told(fields, (each) => [each.number("i"), each.count("m"), each.count("n")]), [
    ':8:1: "i" must be a number, not null',
    ':9:1: "m" must be a whole number, at least 0, not -1',
    ':2:1: "n" must be a whole number, at least 0, not 0.5',
  ]);
});

Deno.test("Fields reads an empty list value as empty, and refuses an explicit null", () => {
  const { fields } = parse("---\na:\nb: []\nc: null\nd: x\ne: [a, null]\nf: [[a]]\n---\n");
  assertEquals([fields.texts("a"), fields.texts("b"), fields.texts("z")], [[], [], undefined]);
  const shown = { c: "null", d: '"x"', e: '["a",null]', f: '[["a"]]' };
  assertEquals(
    told(fields, (each) => Object.keys(shown).map((key) => each.texts(key))),
    Object.entries(shown).map(([key, value], index) =>
      `:${index + 4}:1: "${key}" must be a list of texts, not ${value}`
    ),
  );
});

Deno.test("Fields keeps hostile names apart from an object's own", () => {
  const { fields } = parse("---\n__proto__: x\nconstructor: y\n---\n");
  assertEquals(fields.keys(), ["__proto__", "constructor"]);
  assertEquals([fields.text("constructor"), fields.text("toString")], ["y", undefined]);
});

Deno.test("Fields tells of names that hold a bracket or a dot, and does not search for their place forever", () => {
  const { fields } = parse("---\nname: a\n'a[': b\n'.': c\n'x.y': d\n---\n");
  assertEquals(told(fields, (each) => each.checkKeys(["name"])), [
    ':1:1: there is no field "a["; there are name',
    ':1:1: there is no field "."; there are name',
    ':1:1: there is no field "x.y"; there are name',
  ]);
});

Deno.test("Fields names the nearest field for one it does not know", () => {
  const { fields } = parse("---\nname: a\ndisplay_nam: b\n---\n");
  assertEquals(told(fields, (each) => each.checkKeys(["name", "display_name"])), [
    ':3:1: there is no field "display_nam", did you mean "display_name"?',
  ]);
  assertEquals(told(fields, (each) => each.checkKeys(["zzz"])), [
    ':2:1: there is no field "name"; there are zzz',
    ':3:1: there is no field "display_nam"; there are zzz',
  ]);
});

Deno.test("YAML that holds itself was refused with the depth of a stack, and without a line", () => {
  const reason = "its YAML is wrong: a value holds itself, or too many are in one another";
  assertEquals(refusal("---\nname: a\nx: &a [*a]\n---\nb"), `:3:8: ${reason}`);
});
