import { showExactly } from "../approval/show_exactly.ts";
import type { Elicitation, ElicitationAnswer, Elicitor } from "../mcp/elicitation.ts";
import type { AskingTerminal } from "./ask_in_terminal.ts";

/** One field of a form, as a server describes it. */
interface Field {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly default?: unknown;
}

/**
 * Asks a person in the terminal for a server, field by field. An empty line takes what the server suggests, or
 * leaves the field out; `/no` declines.
 */
export function terminalElicitor(terminal: AskingTerminal): Elicitor {
  return {
    modes: ["form", "url"],
    ask: async (question, signal) => {
      terminal.warn(`Server "${question.server}" asks: ${showExactly(question.message)}`);
      if (question.mode === "url") return await askForPage(question, terminal, signal);
      return await askForFields(question.schema, terminal, signal);
    },
  };
}

async function askForPage(
  { url }: Extract<Elicitation, { mode: "url" }>,
  { warn, ask }: AskingTerminal,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  warn(`  Go to ${showExactly(url)} and come back. Have you? y = yes · n = no`);
  const line = await ask(signal);
  if (line === undefined) return { action: "cancel" };
  return { action: /^y(es)?$/i.test(line.trim()) ? "accept" : "decline" };
}

async function askForFields(
  schema: Readonly<Record<string, unknown>>,
  { warn, ask }: AskingTerminal,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const content: Record<string, unknown> = {};
  warn("  /no declines. Give it no password and no key: it is the server that asks, not skep");
  for (const [name, field] of Object.entries(fieldsOf(schema))) {
    for (;;) {
      warn(`  ${describe(name, field, required.includes(name))}`);
      const line = await ask(signal);
      if (line === undefined) return { action: "cancel" };
      const text = line.trim();
      if (text === "/no") return { action: "decline" };
      if (text === "" && (field.default !== undefined || !required.includes(name))) break;
      const value = valueOf(text, field);
      if (value !== undefined) {
        content[name] = value;
        break;
      }
      warn(`  That is not ${showExactly(wanted(field))}`);
    }
  }
  return { action: "accept", content };
}

function fieldsOf({ properties }: Readonly<Record<string, unknown>>): Record<string, Field> {
  return typeof properties === "object" && properties !== null
    ? properties as Record<string, Field>
    : {};
}

function describe(name: string, field: Field, isRequired: boolean): string {
  const about = [field.title, field.description].filter((each) => typeof each === "string");
  const otherwise = field.default !== undefined
    ? `empty = ${JSON.stringify(field.default)}`
    : isRequired
    ? "needed"
    : "empty = left out";
  const words = about.length === 0 ? "" : ` ${about.join(": ")}`;
  return showExactly(`${name} (${wanted(field)}, ${otherwise})${words}`);
}

function wanted({ type, enum: values }: Field): string {
  if (Array.isArray(values)) return `one of ${values.join(", ")}`;
  switch (type) {
    case "boolean":
      return "yes or no";
    case "integer":
      return "a whole number";
    case "number":
      return "a number";
    case "array":
      return "values with commas between them";
    default:
      return "text";
  }
}

function valueOf(text: string, { type, enum: values }: Field): unknown {
  if (text === "") return undefined;
  if (Array.isArray(values)) return values.includes(text) ? text : undefined;
  switch (type) {
    case "boolean":
      return /^(y|yes|true)$/i.test(text) ? true : /^(n|no|false)$/i.test(text) ? false : undefined;
    case "integer":
      return Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "array":
      return text.split(",").map((each) => each.trim()).filter((each) => each !== "");
    default:
      return text;
  }
}
