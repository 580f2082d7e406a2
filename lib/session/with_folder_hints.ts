import type { FolderHints } from "../prompt/folder_hints.ts";
import type { TurnTools } from "../turn/run.ts";
import { shellFolders } from "./shell_folders.ts";

/** Tools whose results bring the hints of a folder with them when a call first works there. */
export function withFolderHints(
  tools: TurnTools,
  hints: Pick<FolderHints, "after"> | undefined,
): TurnTools {
  if (hints === undefined) return tools;
  return {
    ...tools,
    call: async (name, args, ...more) => {
      const result = await tools.call(name, args, ...more);
      if (result.isError) return result;
      const { command } = args;
      const folders = typeof command === "string" ? shellFolders(command) : [];
      const text = await hints.after(args, folders);
      if (text === undefined) return result;
      return { ...result, content: [...result.content, { type: "text", text }] };
    },
  };
}
