import type { Limits } from "../limits.ts";
import type { McpClient } from "./mcp_client.ts";
import { readToolList, type ToolList } from "./tool_list.ts";
import { TOOL_PAGE } from "./wire.ts";

const METHOD_NOT_FOUND = -32601;

/**
 * Asks a server for all pages of its tool list and reads them, at most `maxListedTools` entries. A
 * server that does not know the question has no tools.
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
  let cursor: string | undefined;
  do {
    const page = await readPage(client, cursor, options);
    entries.push(...page.tools.slice(0, limit + 1 - entries.length));
    cursor = page.nextCursor;
  } while (cursor !== undefined && entries.length <= limit);
  const list = readToolList(entries.slice(0, limit), limits);
  if (entries.length <= limit) return list;
  const remark = `it has more than ${limit} tools: the rest of its list is not read`;
  return { ...list, remarks: [...list.remarks, remark] };
}

async function readPage(
  client: McpClient,
  cursor: string | undefined,
  options: { signal: AbortSignal; timeout: number },
): Promise<{ tools: unknown[]; nextCursor?: string | undefined }> {
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
