import { DEFAULT_LIMITS } from "../../lib/limits.ts";
import { startServer } from "./start_server.ts";

/**
 * Starts the dev server on stdio, or one of the commands that its shell finds on PATH: `rg`, `tree`. Those
 * may read what they load; the server itself loads from its own folder only what is imported statically,
 * which no grant is asked for.
 */
async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  switch (name) {
    case "rg": {
      const { rg } = await import("./commands/rg.ts");
      const hasInput = rest[0] === "--has-input";
      return await rg(hasInput ? rest.slice(1) : rest, Deno, DEFAULT_LIMITS, hasInput);
    }
    case "tree": {
      const { treeCommand } = await import("./commands/tree_command.ts");
      return await treeCommand(rest, Deno, DEFAULT_LIMITS);
    }
    default:
      return await startServer(args, Deno, import.meta.url);
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
