import { messageOf } from "../errors.ts";
import { nearest } from "../suggest.ts";
import { isRecord } from "./is_record.ts";
import type { ToolCall, ToolDefinition } from "./message.ts";
import type { ModelRequest } from "./model.ts";
import { parametersOf, readValue, Refusal } from "./offline_values.ts";

/** What a message to the offline interpreter asks for. */
export type Commands =
  | { readonly kind: "calls"; readonly calls: readonly Pick<ToolCall, "name" | "input">[] }
  | { readonly kind: "help" }
  | { readonly kind: "tools" }
  /** Commands with faults, each with its reason. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  /** No commands at all. */
  | { readonly kind: "talk" };

/** What is known of tools that are not listed. */
export type Unlisted = {
  readonly [Fact in "whyNot" | "mayHave"]?: ModelRequest[Fact] | undefined;
};

/**
 * Reads a message whose first line begins with `/`: every line is then a command, `/TOOL key=value …`
 * or `/TOOL {json}`, or the one line is `/tools` or `/help`. One line with a fault refuses them all,
 * so that nothing is half done.
 *
 * @example
 * ```ts
 * import { parseCommands } from "./offline_commands.ts";
 *
 * if (parseCommands("hello", []).kind !== "talk") throw new Error("that is no command");
 * ```
 */
export function parseCommands(
  text: string,
  tools: readonly ToolDefinition[],
  unlisted: Unlisted = {},
): Commands {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const [first] = lines;
  if (!first?.startsWith("/")) return { kind: "talk" };
  if (lines.length === 1 && (first === "/help" || first === "/tools")) {
    return { kind: first === "/help" ? "help" : "tools" };
  }
  const calls: Pick<ToolCall, "name" | "input">[] = [];
  const reasons: string[] = [];
  for (const [index, line] of lines.entries()) {
    try {
      calls.push(parseCall(line, tools, unlisted));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reasons.push(lines.length === 1 ? error.message : `Line ${index + 1}: ${error.message}`);
    }
  }
  return reasons.length > 0 ? { kind: "refused", reasons } : { kind: "calls", calls };
}

function parseCall(
  line: string,
  tools: readonly ToolDefinition[],
  { whyNot, mayHave }: Unlisted,
): Pick<ToolCall, "name" | "input"> {
  if (!line.startsWith("/")) throw new Refusal(`"${line}" is no command: it must begin with /`);
  const name = line.slice(1).match(/^[^\s{]*/)?.[0] ?? "";
  const rest = line.slice(1 + name.length).trim();
  if (name === "help" || name === "tools") throw new Refusal(`/${name} stands alone`);
  // Of one that may be there no schema is known yet: its server is started, and checks what it is given.
  const tool = tools.find((tool) => tool.name === name) ??
    (mayHave?.(name) ? { name, description: "", inputSchema: {} } : undefined);
  if (tool === undefined) {
    const why = whyNot?.(name);
    if (why !== undefined) throw new Refusal(`${name} cannot be called: ${why}`);
    throw new Refusal(unknownTool(name, tools.map((tool) => tool.name)));
  }
  if (rest.startsWith("{")) return { name, input: checkedJson(rest) };
  return { name, input: JSON.stringify(parsePairs(rest, tool)) };
}

/** Says that there is no such tool, and which one may be meant: also by its name without its server. */
function unknownTool(name: string, names: readonly string[]): string {
  const bare = new Map(names.map((full) => [full.slice(full.indexOf("__") + 2), full]));
  const near = nearest(name, names) ?? bare.get(nearest(name, bare.keys()) ?? "");
  const hint = near === undefined ? "/tools lists them all" : `did you mean /${near}?`;
  return `There is no tool "${name}"; ${hint}`;
}

function checkedJson(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refusal(`The arguments are not JSON: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw new Refusal("The arguments must be one JSON object");
  return text;
}

const KEY = /([^\s="{]+)=/y;
const QUOTED = /"(?:[^"\\]|\\.)*"(?=\s|$)/y;
const BARE = /[^\s"]\S*|(?=\s|$)/y;

/** The arguments that `key=value …` stands for, each typed by the tool's schema. */
function parsePairs(text: string, tool: ToolDefinition): Record<string, unknown> {
  const parameters = parametersOf(tool);
  const pairs: [string, unknown][] = [];
  for (let at = 0; at < text.length; at += space(text, at)) {
    const rest = text.slice(at);
    const [pair, key] = matchAt(KEY, text, at) ?? [];
    if (pair === undefined || key === undefined) {
      const [only, ...others] = parameters.filter((parameter) => parameter.isRequired);
      const hint = only === undefined || others.length > 0 ? "" : `; did you mean ${only.name}=…?`;
      throw new Refusal(`"${rest.split(/\s/)[0]}" is not key=value${hint}`);
    }
    at += pair.length;
    const [quoted] = matchAt(QUOTED, text, at) ?? [];
    const value = quoted ?? matchAt(BARE, text, at)?.[0];
    if (value === undefined) {
      throw new Refusal(`The value of ${key} must end with the quote that it begins with`);
    }
    at += value.length;
    if (pairs.some(([name]) => name === key)) throw new Refusal(`${key} is given twice`);
    pairs.push([key, readValue(key, unquote(key, value), quoted !== undefined, tool)]);
  }
  return Object.fromEntries(pairs);
}

function unquote(key: string, value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Refusal(`The value of ${key} has an escape that JSON does not know: ${value}`);
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function space(text: string, at: number): number {
  return text.slice(at).length - text.slice(at).trimStart().length;
}
