import type { CallResult } from "../mcp/registry.ts";
import type { TurnTools } from "../turn/run.ts";

/** Decides about one call; a text is why it is not run. */
export type Admit = (
  ...call: Parameters<NonNullable<TurnTools["admit"]>>
) => Promise<string | undefined>;

/** Tools whose calls are run only when every check lets them, asked in order. */
export function withAdmission(tools: TurnTools, checks: readonly Admit[]): TurnTools {
  if (checks.length === 0) return tools;
  return {
    ...tools,
    admit: async (call, args, signal) => {
      for (const check of checks) {
        const reason = await check(call, args, signal);
        if (reason !== undefined) return notRun(reason);
      }
      return undefined;
    },
  };
}

function notRun(text: string): CallResult {
  return { isError: true, content: [{ type: "text", text }], isUndelivered: true };
}
