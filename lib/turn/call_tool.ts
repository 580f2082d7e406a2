import { isSkepError, messageOf } from "../errors.ts";
import { nearest } from "../suggest.ts";
import type { ToolCall, ToolDefinition } from "../model/message.ts";
import { NAMELESS } from "../model/reply.ts";
import type { CallResult, Progress } from "../mcp/registry.ts";
import { wantedArguments } from "../mcp/wanted_arguments.ts";
import { cancelledText } from "./answer_calls.ts";
import type { Review, TurnTools } from "./run.ts";

/** Waits for a place among the calls that run, and runs there. */
export type InPlace = (run: () => Promise<CallResult>) => Promise<CallResult>;

/** Is told how far a call is. */
export interface CallWatcher {
  onProgress?(progress: Progress): void;
  /** It ran, and its result is looked at: what counts when the turn ends meanwhile. Never rejects. */
  onRan?(result: CallResult): Promise<void>;
}

/**
 * Runs one call of the model's to its result, on every path: an unknown tool, arguments that are no
 * JSON object, a call that is not admitted, a cancel and a failure are all results that the model can
 * read and act on. Only a call that is admitted takes a place. A call that ran keeps its result, whatever
 * comes while it is looked at.
 */
export async function callTool(
  call: ToolCall,
  tools: TurnTools,
  signal: AbortSignal,
  inPlace: InPlace = (run) => run(),
  watcher: CallWatcher = {},
): Promise<CallResult> {
  const find = () => tools.tools().find(({ name }) => name === call.name);
  let tool = find();
  try {
    if (tool === undefined && await tools.wake?.(call.name, signal)) tool = find();
  } catch (error) {
    if (isSkepError(error, "CANCELLED")) return failure(cancelledText(undefined));
    return failure(`${call.name} failed: ${messageOf(error)}`);
  }
  if (tool === undefined) return failure(unknownTool(call.name, tools.tools(), tools));
  const input = parseInput(call.input);
  if (input === undefined) {
    const wanted = wantedArguments(tool.inputSchema);
    return failure(
      `The arguments of ${call.name} are not a JSON object. Call it again with one. You wrote: ${
        call.input.slice(0, 200).toWellFormed()
      }\nIt takes ${wanted}`,
    );
  }
  let told: string | undefined;
  try {
    const refusal = await tools.admit?.(call, input, signal);
    if (refusal !== undefined) return refusal;
    const result = await inPlace(() =>
      tools.call(call.name, input, signal, (progress) => {
        told = progress.message ?? told;
        watcher.onProgress?.(progress);
      })
    );
    const review = tools.review?.(call.name, input, result, signal);
    return review === undefined ? result : await outcome(review, watcher);
  } catch (error) {
    if (isSkepError(error, "CANCELLED")) return failure(cancelledText(told));
    return failure(`${call.name} failed: ${messageOf(error)}`);
  }
}

async function outcome(
  { unreviewed, reviewed }: Review,
  { onRan }: CallWatcher,
): Promise<CallResult> {
  const whole = reviewed.catch((error) => {
    if (isSkepError(error, "CANCELLED")) return unreviewed;
    throw error;
  });
  const [result] = await Promise.all([whole, onRan?.(unreviewed)]);
  return result;
}

function unknownTool(name: string, listed: readonly ToolDefinition[], tools: TurnTools): string {
  if (name === NAMELESS) return "This call named no tool. Call one by its name.";
  const why = tools.whyNot?.(name);
  if (why !== undefined) return `${name} cannot be called: ${why}`;
  const near = nearest(name, listed.map((tool) => tool.name));
  return `unknown tool: ${name}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** The arguments that a model wrote, when they are a JSON object; nothing at all counts as an empty one. */
export function parseInput(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return {};
    const isObject = typeof value === "object" && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

function failure(text: string): CallResult {
  return { isError: true, content: [{ type: "text", text }], isUndelivered: true };
}
