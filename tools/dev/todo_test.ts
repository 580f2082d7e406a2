import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../lib/errors.ts";
import { postCompactHook, stopHook } from "./hooks.ts";
import { testContext } from "./test_context.ts";
import { todo } from "./todo.ts";
import type { Tool, ToolContext } from "./tool.ts";

const context = () => testContext("todo");
const never = new AbortController().signal;

async function run(tool: Tool, args: unknown, at: ToolContext): Promise<string> {
  return (await tool.run(args, at, never)).text;
}

async function refusal(todos: unknown): Promise<string> {
  const at = await context();
  await run(todo, { todos: [{ text: "kept" }] }, at);
  const error = await assertRejects(() => todo.run({ todos }, at, never), SkepError);
  assertEquals(at.state.todos, [{ text: "kept", status: "pending" }]);
  return error.message;
}

const done = (text: string) => ({ text, status: "done" });

Deno.test("todo reads an empty list, and null reads without a change", async () => {
  const at = await context();
  assertEquals(await run(todo, {}, at), "(todo list is empty)");
  await run(todo, { todos: [{ text: "a" }] }, at);
  assertEquals(await run(todo, { todos: null }, at), "[ ] 1. a  ← next\n");
  assertEquals(await run(todo, { todos: [done("a")] }, at), "[x] 1. a\n");
  assertEquals(await run(todo, { todos: [] }, at), "(todo list is empty)");
});

Deno.test("todo numbers the items and marks one as the next", async () => {
  const at = await context();
  const todos = [done("a"), { text: "b" }, { text: "c", status: "in_progress" }, { text: "d" }];
  assertEquals(
    await run(todo, { todos }, at),
    "[x] 1. a\n[ ] 2. b\n[~] 3. c  ← next\n[ ] 4. d\n",
  );
  assertEquals(
    await run(todo, { todos: [done("a"), { text: "b" }, { text: "c" }, { text: "d" }] }, at),
    "[x] 1. a\n[ ] 2. b  ← next\n[ ] 3. c\n[ ] 4. d\n",
  );
});

Deno.test("todo gives the list that it has written to programs too", async () => {
  const { structured } = await todo.run({ todos: [{ text: " a " }] }, await context(), never);
  assertEquals(structured, { todos: [{ text: "a", status: "pending" }] });
});

Deno.test("todo takes 50 items and refuses 51", async () => {
  const items = (count: number) => Array.from({ length: count }, (_, at) => ({ text: `t${at}` }));
  const at = await context();
  assertEquals((await run(todo, { todos: items(50) }, at)).split("\n").length, 51);
  assertEquals(await refusal(items(51)), "Error: too many items (max 50)");
});

Deno.test("todo takes 200 characters and refuses 201", async () => {
  const at = await context();
  await run(todo, { todos: [{ text: "𝄞".repeat(200) }] }, at);
  assertEquals(at.state.todos.length, 1);
  assertEquals(
    await refusal([{ text: "ok" }, { text: "x".repeat(201) }]),
    "Error: item 2: text exceeds 200 characters",
  );
});

Deno.test("todo refuses a blank text, a duplicate, and one after trimming", async () => {
  assertEquals(await refusal([{ text: " \n" }]), "Error: item 1: text is empty");
  const duplicate = "Error: item 2: duplicate text (matches item 1)";
  assertEquals(await refusal([{ text: "a" }, { text: "a" }]), duplicate);
  assertEquals(await refusal([{ text: "a" }, { text: " a " }]), duplicate);
});

Deno.test("todo refuses what cannot be seen", async () => {
  for (const char of ["\n", "\t", "\u2028", "\u202e", "\u200b", "\u00ad", "\u00a0", "\ufeff"]) {
    assertEquals(
      [char, await refusal([{ text: `a${char}b` }])],
      [char, "Error: item 1: text contains invalid characters"],
    );
  }
});

Deno.test("todo takes what is around a text for nothing", async () => {
  const at = await context();
  assertEquals(await run(todo, { todos: [{ text: " a\n" }] }, at), "[ ] 1. a  ← next\n");
  assertEquals(await run(todo, { todos: [{ text: "  a" }] }, at), "[ ] 1. a  ← next\n");
});

Deno.test("todo refuses unknown keys at both levels, and an unknown status", async () => {
  const error = await assertRejects(
    async () => await todo.run({ todo: [] }, await context(), never),
    SkepError,
  );
  assertEquals(
    error.message,
    'Cannot call todo: there is no argument "todo", did you mean "todos"? (it takes todos)',
  );
  assertEquals(
    await refusal([{ text: "a", done: true }]),
    'Cannot call todo: there is no argument "todos[0].done" (it takes text, status)',
  );
  assertEquals(
    await refusal([{ text: "a", status: "started" }]),
    'Cannot call todo: "todos[0].status" must be one of pending, in_progress, done, not "started"',
  );
});

Deno.test("todo warns of open items that are gone, a rename included", async () => {
  const at = await context();
  await run(todo, { todos: [{ text: "a" }, { text: "b", status: "in_progress" }, done("c")] }, at);
  assertEquals(
    await run(todo, { todos: [{ text: "b2" }] }, at),
    '[ ] 1. b2  ← next\n\n⚠️ 2 open items were removed from the list:\n  - "a"\n  - "b"\n' +
      "Add what is still to do again, or mark it done before you leave it out.",
  );
  assertEquals(
    (await run(todo, { todos: [] }, at)).split("\n")[1],
    "⚠️ 1 open item was removed from the list:",
  );
});

Deno.test("todo says nothing of an item that was done before it is gone", async () => {
  const at = await context();
  await run(todo, { todos: [{ text: "a" }] }, at);
  await run(todo, { todos: [done("a")] }, at);
  assertEquals(await run(todo, { todos: [] }, at), "(todo list is empty)");
});

Deno.test("_Stop objects while something is open", async () => {
  const at = await context();
  assertEquals(await run(stopHook, {}, at), "");
  await run(todo, { todos: [done("a")] }, at);
  assertEquals(await run(stopHook, {}, at), "");
  await run(todo, { todos: [done("a"), { text: "b" }] }, at);
  assertEquals(
    await run(stopHook, {}, at),
    "You have open todo items. Keep working.\n\n[x] 1. a\n[ ] 2. b  ← next\n",
  );
});

Deno.test("_PostCompact gives the list, and nothing when there is none", async () => {
  const at = await context();
  assertEquals(await run(postCompactHook, {}, at), "");
  await run(todo, { todos: [done("a")] }, at);
  assertEquals(await run(postCompactHook, {}, at), "# Todo List\n[x] 1. a\n");
});

Deno.test("hooks refuse arguments", async () => {
  const error = await assertRejects(
    async () => await stopHook.run({ force: true }, await context(), never),
    SkepError,
  );
  assertEquals(error.message, 'Cannot call _Stop: it takes no argument, so no "force"');
});
