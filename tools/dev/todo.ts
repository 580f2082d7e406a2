import { LIMITS } from "../../lib/limits.ts";
import { checkTodos, openTodos, renderTodos, type Todo, TODO_STATUSES } from "./todo_list.ts";
import { defineTool, failed, type Tool } from "./tool.ts";

/** Shows and replaces the plan of the session. */
export const todo: Tool = defineTool({
  name: "todo",
  description:
    "Keeps the plan of the work at hand. With `todos` it replaces the whole list, without " +
    "it shows the list. Keep one item in_progress, and mark an item done before it is left out.",
  schema: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        description: "The whole list, in order; [] empties it",
        maxItems: LIMITS.maxTodos.value,
        items: {
          type: "object",
          properties: {
            text: {
              type: "string",
              description: `One line, at most ${LIMITS.maxTodoCharacters.value} characters`,
            },
            status: { type: "string", description: "How far it is", enum: TODO_STATUSES },
          },
          required: ["text"],
          additionalProperties: false,
        },
      },
    },
    required: [],
    additionalProperties: false,
  },
  annotations: {
    title: "Keep a plan",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async ({ todos }, context) => {
    const { state, limits } = context;
    if (todos === undefined) return shown(state.todos, "");
    const checked = checkTodos(todos, limits.maxTodos, limits.maxTodoCharacters);
    if ("refusal" in checked) throw failed(context, `Error: ${checked.refusal}`);
    const warning = removalWarning(state.todos, checked.todos);
    await state.setTodos(checked.todos);
    return shown(checked.todos, warning);
  },
});

function shown(todos: readonly Todo[], warning: string) {
  return { text: renderTodos(todos) + warning, structured: { todos } };
}

/** A rename counts as a removal: nobody can tell. */
function removalWarning(before: readonly Todo[], after: readonly Todo[]): string {
  const kept = new Set(after.map(({ text }) => text));
  const removed = openTodos(before).filter(({ text }) => !kept.has(text));
  if (removed.length === 0) return "";
  const what = removed.length === 1 ? "1 open item was" : `${removed.length} open items were`;
  const names = removed.map(({ text }) => `  - ${JSON.stringify(text)}\n`).join("");
  return `\n⚠️ ${what} removed from the list:\n${names}` +
    "Add what is still to do again, or mark it done before you leave it out.";
}
