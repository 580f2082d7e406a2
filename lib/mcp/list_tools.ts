import type { Limits } from "../limits.ts";
import type { McpClient } from "./mcp_client.ts";
import { readToolList, type ToolList } from "./tool_list.ts";
import { TOOL_PAGE } from "./wire.ts";

const METHOD_NOT_FOUND = -32601;

/**
 * Asks a server for all pages of its tool list and reads them, at most `maxListedTools` entries, up to the
 * first page that is no list or has the cursor of one before it. A server that does not know the question
 * has no tools.
 *
 * @throws what the SDK throws: when the signal is aborted, when the server answers with an error.
 */
export async function listTools(
  client: McpClient,
  options: { signal: AbortSignal; timeout: number },
  limits: Limits,
): Promise<ToolList> {
  const limit = limits.maxListedTools;
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  const remarks: string[] = [];
  let fault: string | undefined;
  let cursor: string | undefined;
  do {
    const { tools, nextCursor } = await readPage(client, cursor, options);
    if (tools === undefined) {
      fault = "its tools/list is no list";
      break;
    }
    entries.push(...tools.slice(0, limit + 1 - entries.length));
    cursor = nextCursor;
    if (cursor === undefined) break;
    if (cursors.has(cursor)) {
      remarks.push("its tools/list gives the same cursor again: the rest of its list is not read");
      break;
    }
    cursors.add(cursor);
  } while (entries.length <= limit);
  if (entries.length > limit) {
    remarks.push(`it has more than ${limit} tools: the rest of its list is not read`);
  }
  const list = readToolList(entries.slice(0, limit), limits);
  return {
    ...list,
    remarks: [...list.remarks, ...remarks, ...(fault === undefined ? [] : [fault])],
    ...(fault !== undefined && { fault }),
  };
}

async function readPage(
  client: McpClient,
  cursor: string | undefined,
  options: { signal: AbortSignal; timeout: number },
): Promise<{ tools?: unknown[] | undefined; nextCursor?: string | undefined }> {
  const params = cursor === undefined ? {} : { cursor };
  try {
    return await client.request({ method: "tools/list", params }, TOOL_PAGE, options);
  } catch (error) {
    // Asked all the same when it declares no tools: some servers have them and do not say so.
    const isUnknown = error instanceof Error && "code" in error && error.code === METHOD_NOT_FOUND;
    if (isUnknown && client.server?.capabilities.tools === undefined) return { tools: [] };
    throw error;
  }
}
