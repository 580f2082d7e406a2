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

  /**
   * True when the tool may be listed. It is switched on by the server's own name for it alone, and off by any name
   * that it goes by.
   *
   * @param listed The name that the model would call it by.
   */
  allows(server: string, tool: string, listed = `${server}__${tool}`): boolean {
    const { enabledTools, disabledTools = [] } = this.#specs.get(server) ?? {};
    const names = this.#namesOf(server, tool, listed);
    return !disabledTools.some((name) => names.includes(name)) &&
      (enabledTools?.includes(tool) ?? true);
  }

  /**
   * What the spec names and the server does not have: a switched-off tool that is misspelt stays on.
   *
   * @param listedAs As in `allows()`, by the server's own name.
   */
  misspelt(
    server: string,
    tools: readonly string[],
    listedAs: (tool: string) => string | undefined = () => undefined,
  ): readonly string[] {
    const { enabledTools = [], disabledTools = [] } = this.#specs.get(server) ?? {};
    const names = new Set(tools.flatMap((tool) => this.#namesOf(server, tool, listedAs(tool))));
    const missing = [
      ...enabledTools.filter((name) => !tools.includes(name)),
      ...disabledTools.filter((name) => !names.has(name)),
    ];
    return missing.map((name) => {
      const near = nearest(name, tools);
      const hint = near === undefined ? "" : `; did you mean "${plainText(near)}"?`;
      return `its entry names a tool "${plainText(name)}" that it does not have${hint}`;
    });
  }

  /** The server's own one, and those that are listed or made of its configured name. */
  #namesOf(server: string, tool: string, listed = `${server}__${tool}`): readonly string[] {
    const { configuredName = server } = this.#specs.get(server) ?? {};
    const head = `${server}__`;
    const short = listed.startsWith(head) ? [listed.slice(head.length)] : [];
    return [tool, listed, ...short, `${server}__${tool}`, `${configuredName}__${tool}`];
  }
}
