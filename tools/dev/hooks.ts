import { openTodos, renderTodos } from "./todo_list.ts";
import { defineTool, type Tool, type ToolContext } from "./tool.ts";

/** Asked by the host when the model would stop: work that is still open is a reason not to. */
export const stopHook: Tool = hook(
  "_Stop",
  "For the host: why the work should go on; empty when nothing is open.",
  ({ state: { todos } }) =>
    openTodos(todos).length === 0
      ? ""
      : `You have open todo items. Keep working.\n\n${renderTodos(todos)}`,
);

/** Asked by the host when it has shortened the history: what must not be forgotten. */
export const postCompactHook: Tool = hook(
  "_PostCompact",
  "For the host: what a shortened history must still hold.",
  ({ state: { todos } }) => todos.length === 0 ? "" : `# Todo List\n${renderTodos(todos)}`,
);

function hook(name: string, description: string, text: (context: ToolContext) => string): Tool {
  return defineTool({
    name,
    description,
    schema: { type: "object", properties: {}, required: [], additionalProperties: false },
    annotations: {
      title: name,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: (_args, context) => Promise.resolve({ text: text(context) }),
  });
}
