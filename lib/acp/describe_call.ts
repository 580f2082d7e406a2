import type { ToolKind } from "@agentclientprotocol/sdk";
import { cutLine } from "./cut_line.ts";

/** What kind of tool a word in its name stands for. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ...words("read", "read get view cat open list ls tree show load stat"),
  ...words("edit", "write edit create update patch replace insert append save"),
  ...words("delete", "delete remove rm"),
  ...words("move", "move rename mv"),
  ...words("search", "search find grep rg glob query"),
  ...words("execute", "shell bash run exec execute command terminal eval"),
  ...words("fetch", "fetch download http browse navigate crawl"),
  ...words("think", "think thinking todo plan"),
]);

/** Arguments that tell best what a call is about, the best one first. */
const TELLING = [
  "command",
  "path",
  "file_path",
  "source",
  "url",
  "uri",
  "query",
  "pattern",
  "name",
];

/** How a client shows a call. */
export interface CallDescription {
  /** The tool, and the argument that tells most. */
  readonly title: string;
  readonly kind: ToolKind;
}

/**
 * Describes a call for people. The kind is a guess from the words of the tool's own name, the first
 * known word deciding; clients take an icon from it, nothing depends on it.
 *
 * @param tool The qualified name, `server__tool`.
 * @param maxBytes Where the title is cut.
 */
export function describeCall(
  tool: string,
  input: Readonly<Record<string, unknown>> | undefined,
  maxBytes: number,
): CallDescription {
  const argument = TELLING.map((name) => input?.[name]).find(isTelling);
  const title = argument === undefined ? tool : `${tool} ${argument}`;
  const known = wordsOf(tool).map((word) => KINDS.get(word)).find((found) => found !== undefined);
  return { title: cutLine(visible(title), maxBytes), kind: known ?? "other" };
}

function words(kind: ToolKind, text: string): [string, ToolKind][] {
  return text.split(" ").map((word) => [word, kind]);
}

function isTelling(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The words of a tool's name without its server's: `fs__readTextFile` has read, text and file. */
function wordsOf(tool: string): string[] {
  const own = tool.slice(tool.indexOf("__") + 1);
  return own.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** Writes out what changes how the rest of a line looks: line breaks, controls, invisible and turning characters. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
