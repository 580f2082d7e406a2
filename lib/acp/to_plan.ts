import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { CallResult } from "../mcp/registry.ts";
import type { AskedCall } from "./call_ids.ts";
import { isRecord } from "./is_record.ts";

const STATUSES: ReadonlyMap<unknown, PlanEntry["status"]> = new Map([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["done", "completed"],
]);

/**
 * The plan that a call of a `todo` tool left behind, as ACP shows one; undefined for any other call.
 * The tool says it as structured content, `{todos: [{text, status}]}`; of a call that is shown again only
 * the arguments are left, which are the same. It has no priorities.
 */
export function toPlan(
  { structured, isError }: CallResult,
  asked: AskedCall | undefined,
): SessionUpdate | undefined {
  const isTodo = asked !== undefined && /(^|__)todo$/.test(asked.tool);
  const todos = structured === undefined ? asked?.input?.todos : structured.todos;
  if (isError || !isTodo || !Array.isArray(todos)) return undefined;
  const entries = todos.map(toEntry);
  if (!entries.every((entry) => entry !== undefined)) return undefined;
  return { sessionUpdate: "plan", entries };
}

function toEntry(todo: unknown): PlanEntry | undefined {
  if (!isRecord(todo) || typeof todo.text !== "string") return undefined;
  const status = STATUSES.get(todo.status);
  return status === undefined ? undefined : { content: todo.text, priority: "medium", status };
}
