import { assertEquals } from "@std/assert";
import type { CallResult } from "../mcp/registry.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { giveBackPlan } from "./give_back_plan.ts";

const never = new AbortController().signal;
const PLAN = { tool: "dev__todo", todos: [{ text: "look", status: "done" }] };

function spec(name: string, ...args: string[]): ServerSpec {
  return { name, command: "skep", args, env: {}, origin: { kind: "client", where: "here" } };
}

function registry(specs: ServerSpec[], result: Partial<CallResult> = {}) {
  const calls: unknown[] = [];
  return {
    calls,
    specs: () => specs,
    tools: () =>
      specs.map(({ name }) => ({ name: `${name}__todo`, description: "", inputSchema: {} })),
    call: (name: string, args: object) => {
      calls.push([name, args]);
      return Promise.resolve({ isError: false, content: [], ...result });
    },
  };
}

Deno.test("giveBackPlan() calls todo of the dev server with the list that it had", async () => {
  const dev = registry([spec("other", "x"), spec("dev", "mcp", "dev")]);
  assertEquals(await giveBackPlan(dev, PLAN, never), undefined);
  assertEquals(dev.calls, [["dev__todo", { todos: PLAN.todos }]]);
});

Deno.test("giveBackPlan() calls no server that is not ours, and none for an empty list", async () => {
  const other = registry([{ ...spec("dev"), command: "npx", args: ["-y", "dev"] }]);
  assertEquals(await giveBackPlan(other, PLAN, never), undefined);
  const dev = registry([spec("dev", "mcp", "dev")]);
  assertEquals(await giveBackPlan(dev, { ...PLAN, todos: [] }, never), undefined);
  assertEquals(await giveBackPlan(dev, { ...PLAN, tool: "gone__todo" }, never), undefined);
  assertEquals([other.calls, dev.calls], [[], []]);
});

Deno.test("giveBackPlan() says when the server does not take the list", async () => {
  const dev = registry([spec("dev", "mcp", "dev")], {
    isError: true,
    content: [{ type: "text", text: "Error: no item may be so long" }],
  });
  assertEquals(
    await giveBackPlan(dev, PLAN, never),
    "The todo list of this session could not be given back: Error: no item may be so long",
  );
});
