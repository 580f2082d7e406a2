import type { ToolDefinition } from "./message.ts";
import { parametersOf } from "./offline_values.ts";

/** The answer to text that is no command. */
export const WELCOME =
  `I am skep's offline interpreter. No model provider is configured, and I am no AI.
I call tools: /TOOL key=value … or /TOOL {json}, one call a line.
/tools lists the tools, /help tells more.`;

/** The answer to `/help`. */
export const HELP = `${WELCOME}

/TOOL key=value …   the values are read as the tool's schema types them;
                    with spaces in "…", where \\" \\\\ \\n \\t and \\u0041 mean what they do in JSON
/TOOL {json}        the arguments as they are
Several lines are several calls. Each runs under the grant of its server, and I answer with what they
return, word for word.

For a real model set SKEP_MODEL to anthropic:MODEL, with the key in ANTHROPIC_API_KEY, or to
openai-compatible:MODEL, with OPENAI_COMPAT_BASE_URL and the key in OPENAI_COMPAT_API_KEY.`;

/** The answer to `/tools`: each tool as it is called, and the first line of what it says it does. */
export function describeTools(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "There are no tools.";
  return tools.map((tool) => {
    const words = parametersOf(tool).map(({ name, isRequired, type }) =>
      isRequired ? `${name}=${type}` : `[${name}=${type}]`
    );
    const summary = tool.description.trim().split("\n")[0];
    return [`/${tool.name}`, ...words].join(" ") + (summary ? `\n    ${summary}` : "");
  }).join("\n");
}
