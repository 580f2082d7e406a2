// The part of @std/yaml that skep uses, over js-yaml, so that a checkout builds from npm alone.
// Moving to JSR replaces the line of import_map.json that points here.
import { CORE_SCHEMA, FAILSAFE_SCHEMA, loadAll, YAMLException } from "js-yaml";
import { LIMITS } from "./limits.ts";

/** The types that a text can have: those of JSON, or texts alone, as they were written. */
export interface ParseOptions {
  readonly schema: "core" | "failsafe";
}

/**
 * Reads one YAML document; an empty one is null.
 *
 * @throws {SyntaxError} for what is no YAML, with `at line L, column C` where there is a place; for more
 * than one document; for a document that its aliases make larger than `maxYamlNodes` values.
 */
export function parse(content: string, { schema }: ParseOptions): unknown {
  let documents: unknown[];
  try {
    documents = loadAll(content, { schema: schema === "core" ? CORE_SCHEMA : FAILSAFE_SCHEMA });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { reason, mark } = cause;
    const at = mark === undefined ? "" : ` at line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new SyntaxError(`${reason}${at}`, { cause });
  }
  if (documents.length > 1) throw new SyntaxError("more than one document, one was wanted");
  const [document = null] = documents;
  if (countNodes(document, LIMITS.maxYamlNodes.value) < 0) {
    throw new SyntaxError(`more than ${LIMITS.maxYamlNodes.value} values, its aliases counted`);
  }
  return document;
}

/** What is left of `most` after each value was counted, as often as it is reached; below 0 when it does not do. */
function countNodes(value: unknown, most: number): number {
  let left = most - 1;
  if (value === null || typeof value !== "object") return left;
  for (const each of Object.values(value)) {
    if (left < 0) break;
    left = countNodes(each, left);
  }
  return left;
}
