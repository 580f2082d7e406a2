import type { LineWindow } from "./numbered_lines.ts";
import { attempt } from "./paths.ts";
import { shownName } from "./shown_name.ts";
import type { ToolContext } from "./tool.ts";

/**
 * A folder's entries as a text, sorted, a line each: `name/` for a folder, `name@` for a link. A name
 * with control characters is written as a JSON string.
 *
 * @throws {SkepError} `ACCESS_DENIED`, `TOOL_FAILED`.
 */
export async function listFolder(
  path: string,
  folder: string,
  { offset, limit }: LineWindow,
  context: ToolContext,
  signal: AbortSignal,
): Promise<string> {
  const { maxFolderEntries, maxReadTextBytes } = context.limits;
  const names: string[] = [];
  let hasMore = false;
  await attempt("read", path, folder, context, async () => {
    for await (const entry of context.world.readDir(folder)) {
      signal.throwIfAborted();
      hasMore = names.length === maxFolderEntries;
      if (hasMore) break;
      names.push(shownName(entry.name) + (entry.isDirectory ? "/" : entry.isSymlink ? "@" : ""));
    }
  });
  const given = fitting(names.sort().slice(offset - 1, offset - 1 + limit), maxReadTextBytes);
  const total = `${hasMore ? "more than " : ""}${names.length}`;
  const last = offset - 1 + given.length;
  const header = `${path} is a folder (${total} ${names.length === 1 ? "entry" : "entries"})`;
  const more = last < names.length && given.length > 0
    ? [`[entries ${offset}-${last} of ${total} shown; use offset=${last + 1} to go on]`]
    : [];
  return [header, ...given, ...more].join("\n");
}

function fitting(lines: readonly string[], maxBytes: number): readonly string[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += encoder.encode(line).length + 1) > maxBytes);
  return end === -1 ? lines : lines.slice(0, end);
}
