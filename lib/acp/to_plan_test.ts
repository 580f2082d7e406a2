import { assertEquals } from "@std/assert";
import { toPlan } from "./to_plan.ts";

const asked = { tool: "dev__todo", input: {} };

function answered(todos: unknown) {
  return { isError: false, content: [], structured: { todos } };
}

Deno.test("toPlan() says the todo tool's list in ACP's words", () => {
  const todos = [
    { text: "read", status: "done" },
    { text: "write", status: "in_progress" },
    { text: "rest", status: "pending" },
  ];
  assertEquals(toPlan(answered(todos), asked), {
    sessionUpdate: "plan",
    entries: [
      { content: "read", priority: "medium", status: "completed" },
      { content: "write", priority: "medium", status: "in_progress" },
      { content: "rest", priority: "medium", status: "pending" },
    ],
  });
  assertEquals(toPlan(answered([]), asked), { sessionUpdate: "plan", entries: [] });
});

Deno.test("toPlan() takes no other tool, no error and no list that it does not know for a plan", () => {
  assertEquals(toPlan(answered([]), { tool: "dev__todos", input: {} }), undefined);
  assertEquals(toPlan(answered([]), undefined), undefined);
  assertEquals(toPlan({ ...answered([]), isError: true }, asked), undefined);
  assertEquals(toPlan(answered([{ text: "a", status: "maybe" }]), asked), undefined);
  assertEquals(toPlan(answered("a"), asked), undefined);
});

Deno.test("a session that was loaded again had no plan: of a call that is shown again the arguments tell it", () => {
  const input = { todos: [{ text: "read", status: "done" }] };
  assertEquals(toPlan({ isError: false, content: [] }, { tool: "dev__todo", input }), {
    sessionUpdate: "plan",
    entries: [{ content: "read", priority: "medium", status: "completed" }],
  });
});
