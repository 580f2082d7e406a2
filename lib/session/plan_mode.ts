import type { Registry } from "../mcp/registry.ts";
import type { Admit } from "./admission.ts";

/** The check of a session that only looks: built-ins run, and tools that can change nothing by their grant. */
export function planMode(
  isOn: () => boolean,
  builtIns: readonly string[],
  registry: Pick<Registry, "looksOnly">,
): Admit {
  return ({ name }) => {
    const mayRun = !isOn() || builtIns.includes(name) || registry.looksOnly(name);
    return Promise.resolve(
      mayRun
        ? undefined
        : `${name} was not run: the session is in plan mode, and this tool can change ` +
          "something, by its grant or by its own word. Say what you would do instead; the person ends plan mode.",
    );
  };
}
