import { parse } from "@std/yaml";
import { messageOf } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { Fields } from "./fields.ts";
import { parsePlainYaml } from "./plain_yaml.ts";
import type { Place, Problems } from "./problems.ts";
import { yamlPlace } from "./yaml_place.ts";

/** A Markdown file with YAML in front of it. */
export interface Frontmatter {
  readonly fields: Fields;
  /** All after the closing line, as it is, with `\n` line endings. */
  readonly body: string;
}

const OPENING = "---\n";
const START: Place = { line: 1, column: 1 };
/** What stands for a value that has a name. */
const ALIAS = /\*\w/;
const CLOSING = /\n---(?=\n|$)/g;

/**
 * Splits a file into its frontmatter, between two lines of `---`, and its body. A byte order mark
 * before it and CRLF line endings are taken.
 *
 * @param mend What to do with YAML that does not parse, before it is refused; undefined for no idea.
 * @returns undefined, and `problems` are told with the place where there is one: delimiters that are
 * missing, a part over its bound, YAML that does not parse, a key that is there twice.
 */
export function parseFrontmatter(
  source: string,
  file: string,
  limits: Pick<Limits, "maxConfigFileBytes" | "maxPersonaBodyBytes">,
  problems: Problems,
  mend: (yaml: string) => string | undefined = () => undefined,
): Frontmatter | undefined {
  const refuse = (reason: string, place?: Place) =>
    void problems.error(file, reason, place && { place });
  const parts = splitFrontmatter(source);
  if (typeof parts === "string") return refuse(parts, START);
  const { yaml, body } = parts;
  for (
    const [part, text, limit] of [
      ["frontmatter", yaml, limits.maxConfigFileBytes],
      ["body", body, limits.maxPersonaBodyBytes],
    ] as const
  ) {
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > limit) {
      return refuse(`its ${part} has ${bytes} bytes, the limit is ${limit}`, START);
    }
  }
  let values: readonly [typed: unknown, verbatim: unknown];
  try {
    values = readYaml(yaml);
  } catch (error) {
    const mended = readMended(yaml, mend);
    const [reason, place] = yamlProblem(error, yaml);
    if (mended === undefined) return refuse(reason, place);
    problems.warn(file, `${reason}; it is read as if the values were in quotes`, place);
    values = mended;
  }
  const fields = Fields.of(...values, {
    file,
    placeOf: (path) => {
      if (path === "") return START;
      const place = yamlPlace(yaml, path);
      // The frontmatter begins on the file's second line.
      return place && { ...place, line: place.line + 1 };
    },
    problems,
    unknownKeys: "error",
  });
  return fields && { fields, body };
}

/** The two parts of such a file, or what is wrong with its delimiters. */
export function splitFrontmatter(source: string): { yaml: string; body: string } | string {
  const text = source.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (!text.startsWith(OPENING)) return 'it must begin with a line of "---"';
  CLOSING.lastIndex = OPENING.length - 1;
  const closing = CLOSING.exec(text);
  if (closing === null) return 'the frontmatter is not closed by a line of "---"';
  const yaml = text.slice(OPENING.length, closing.index + 1);
  return { yaml, body: text.slice(CLOSING.lastIndex + 1) };
}

function readYaml(yaml: string): readonly [typed: unknown, verbatim: unknown] {
  const plain = parsePlainYaml(yaml);
  if (plain !== undefined) return [plain, plain];
  // The failsafe schema knows texts only: each scalar comes out as it was written.
  return [parse(yaml, { schema: "core" }), parse(yaml, { schema: "failsafe" })];
}

function readMended(yaml: string, mend: (yaml: string) => string | undefined) {
  const mended = mend(yaml);
  if (mended === undefined) return undefined;
  try {
    return readYaml(mended);
  } catch {
    return undefined; // then the first problem is the one to tell
  }
}

function yamlProblem(error: unknown, yaml: string): [reason: string, place: Place | undefined] {
  if (error instanceof RangeError) { // the parser ran out of its stack
    const before = yaml.slice(0, Math.max(yaml.search(ALIAS), 0)).split("\n");
    const place = { line: before.length + 1, column: (before.at(-1)?.length ?? 0) + 1 };
    return ["its YAML is wrong: a value holds itself, or too many are in one another", place];
  }
  const message = messageOf(error);
  const [reason = ""] = message.split(/ at line \d+| \(\d+:\d+\)|\n/);
  const at = /at line (\d+), column (\d+)/.exec(message);
  const place = at === null ? undefined : { line: Number(at[1]) + 1, column: Number(at[2]) };
  return [`its YAML is wrong: ${reason}`, place];
}
