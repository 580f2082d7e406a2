import { isSkepError, SkepError } from "../../lib/errors.ts";
import { nearest } from "../../lib/suggest.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";

type Json = Readonly<Record<string, unknown>>;

/** Set in a result's `_meta` when its structured content says nothing beyond its text. */
const COMPLETE_TEXT_META = "skep/text-is-complete";

/** Set in a result's `_meta` to the file that has all of what its text leaves out. */
const WHOLE_META = "skep/whole";

/**
 * Calls a tool by name and gives the result of `tools/call`. A failure that a model can act on is a
 * result, since hosts show it errors of the protocol badly or not.
 *
 * @throws What is a defect of the tool.
 */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  args: unknown,
  context: Omit<ToolContext, "tool">,
  signal: AbortSignal,
): Promise<Json> {
  try {
    const tool = tools.find((candidate) => candidate.name === name) ?? noTool(tools, name);
    return resultOf(await tool.run(args ?? {}, { ...context, tool: name }, signal));
  } catch (error) {
    if (!(error instanceof SkepError)) throw error;
    const result = { content: [{ type: "text", text: error.message }], isError: true };
    if (!isSkepError(error, "ACCESS_DENIED")) return result;
    const { access, value, through } = error.details;
    const leads = through === undefined ? {} : { through };
    return { ...result, _meta: { "skep/denied": { access, value, ...leads } } };
  }
}

function resultOf({ text, images = [], isError = false, structured, whole }: ToolOutput): Json {
  const meta = {
    ...(structured === undefined ? {} : { [COMPLETE_TEXT_META]: true }),
    ...(whole === undefined ? {} : { [WHOLE_META]: whole }),
  };
  return {
    content: [
      { type: "text", text },
      ...images.map(({ data, mimeType }) => ({ type: "image", data, mimeType })),
    ],
    isError,
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

function noTool(tools: readonly Tool[], name: string): never {
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
  const message = `There is no tool "${name}"${hint} (there are ${names.join(", ")})`;
  throw new SkepError("TOOL_UNKNOWN", message, { tool: name });
}
