/** How far a piece of work is. */
export const TODO_STATUSES = ["pending", "in_progress", "done"] as const;

/** One piece of work of a plan. */
export interface Todo {
  readonly text: string;
  readonly status: (typeof TODO_STATUSES)[number];
}

/** A plan as a model reads it: a line each, numbered, the next one marked. */
export function renderTodos(todos: readonly Todo[]): string {
  if (todos.length === 0) return "(todo list is empty)";
  const next = todos.findIndex(({ status }) => status === "in_progress");
  const marked = next === -1 ? todos.findIndex(({ status }) => status === "pending") : next;
  return todos.map(({ text, status }, index) =>
    `[${MARKS[status]}] ${index + 1}. ${text}${index === marked ? "  ← next" : ""}\n`
  ).join("");
}

/** The pieces of work that are not done. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status !== "done");
}

const MARKS = { pending: " ", in_progress: "~", done: "x" } as const;

/** What some texts of a plan are refused for, or the plan as it is kept. */
export type CheckedTodos =
  | { readonly todos: readonly Todo[] }
  | { readonly refusal: string };

/**
 * Checks a plan: each text short, on one line, visible as it is, and there once.
 *
 * @param maxCharacters Most characters of one text, spaces around not counted.
 */
export function checkTodos(
  given: readonly { readonly text: string; readonly status: Todo["status"] | undefined }[],
  maxItems: number,
  maxCharacters: number,
): CheckedTodos {
  if (given.length > maxItems) return { refusal: `too many items (max ${maxItems})` };
  const todos: Todo[] = [];
  const places = new Map<string, number>();
  for (const [index, { text, status = "pending" }] of given.entries()) {
    const trimmed = text.trim();
    const refusal = textRefusal(trimmed, maxCharacters);
    if (refusal !== undefined) return { refusal: `item ${index + 1}: ${refusal}` };
    const same = places.get(trimmed);
    if (same !== undefined) {
      return { refusal: `item ${index + 1}: duplicate text (matches item ${same})` };
    }
    places.set(trimmed, index + 1);
    todos.push({ text: trimmed, status });
  }
  return { todos };
}

/** Controls, what formats invisibly, and every space but the plain one: an item says what it shows. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}/u;

function textRefusal(text: string, maxCharacters: number): string | undefined {
  if (text === "") return "text is empty";
  if ([...text].length > maxCharacters) return `text exceeds ${maxCharacters} characters`;
  if (INVISIBLE.test(text)) return "text contains invalid characters";
  return undefined;
}
