import type { Registry } from "../mcp/registry.ts";
import type { BuiltIn } from "./built_ins.ts";

/** What the model calls that tool. */
export const FIND_TOOL = "find_tool";

/** The tool by which the model finds tools that are not shown for want of room; listed while there are some. */
export function findToolTool(registry: Pick<Registry, "find" | "hasHidden">): BuiltIn {
  return {
    definition: {
      name: FIND_TOOL,
      description:
        "Not all tools are shown. Finds others by words of what they do, and shows them: " +
        "call them by their names from then on.",
      inputSchema: {
        type: "object",
        properties: { query: { type: "string", description: "Such as: create issue" } },
        required: ["query"],
      },
    },
    isListed: () => registry.hasHidden,
    run: ({ query }) => {
      if (typeof query !== "string" || query.trim() === "") {
        return Promise.resolve(said("query must be words of what the tool does", true));
      }
      const { tools, more, hidden } = registry.find(query);
      if (tools.length > 0) {
        const rest = more === 0
          ? []
          : [`[${more} more fit that query and are not shown: use other words for them]`];
        return Promise.resolve(said([...tools.map(inWords), ...rest].join("\n\n")));
      }
      const text = `None of the ${hidden} tools that are not shown has words of "${query}"`;
      return Promise.resolve(said(text));
    },
  };
}

function inWords(
  { name, description, inputSchema }: ReturnType<Registry["find"]>["tools"][number],
): string {
  return `${name}: ${description}\n${JSON.stringify(inputSchema)}`;
}

function said(text: string, isError = false) {
  return { isError, content: [{ type: "text" as const, text }] };
}
