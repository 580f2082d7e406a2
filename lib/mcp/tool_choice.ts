import type { ServerSpec } from "../sandbox/spec.ts";
import { nearest } from "../suggest.ts";
import { plainText } from "./plain_text.ts";

/** Which of a server's tools its spec lets be listed. One that is not cannot be called either (T114). */
export class ToolChoice {
  readonly #specs: ReadonlyMap<string, ServerSpec>;

  /** @param specs Under the names that the servers are known by. */
  constructor(specs: readonly ServerSpec[]) {
    this.#specs = new Map(specs.map((spec) => [spec.name, spec]));
  }

  /** True when the tool may be listed. Names are the server's own. */
  allows(server: string, tool: string): boolean {
    const { enabledTools, disabledTools = [] } = this.#specs.get(server) ?? {};
    return !disabledTools.includes(tool) && (enabledTools?.includes(tool) ?? true);
  }

  /** What the spec names and the server does not have: a switched-off tool that is misspelt stays on. */
  misspelt(server: string, tools: readonly string[]): readonly string[] {
    const { enabledTools = [], disabledTools = [] } = this.#specs.get(server) ?? {};
    return [...enabledTools, ...disabledTools].filter((name) => !tools.includes(name)).map(
      (name) => {
        const near = nearest(name, tools);
        const hint = near === undefined ? "" : `; did you mean "${plainText(near)}"?`;
        return `its entry names a tool "${plainText(name)}" that it does not have${hint}`;
      },
    );
  }
}
