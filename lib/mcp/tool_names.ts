const OTHERS = /[^A-Za-z0-9_-]/g;

/**
 * The names that tools are called by: `server__tool`, of letters, digits, `_` and `-` only, which is
 * what providers take. A name that is not so already is mapped to one: other characters become `_`,
 * a name over the limit ends in a hash of the whole, and so does one that another tool has. A tool
 * keeps its name for as long as its server lists it, whatever else comes and goes.
 *
 * @example
 * ```ts
 * import { ToolNames } from "./tool_names.ts";
 *
 * const names = new ToolNames(64);
 * names.assign("files", ["fs.read"]);
 * if (names.of("files", "fs.read") !== "files__fs_read") throw new Error("not mapped");
 * ```
 */
export class ToolNames {
  readonly #maxBytes: number;
  readonly #servers = new Map<string, ReadonlyMap<string, string>>();
  readonly #taken = new Set<string>();

  /** @param maxBytes Most bytes of one name. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Names the tools that a server lists now, and frees the names of those that it no longer lists. */
  assign(server: string, tools: readonly string[]): void {
    const listed = new Set(tools);
    const before = this.#servers.get(server) ?? new Map<string, string>();
    const names = new Map([...before].filter(([tool]) => listed.has(tool)));
    for (const [tool, name] of before) if (!names.has(tool)) this.#taken.delete(name);
    const added = [...listed].filter((tool) => !names.has(tool));
    // Those whose name can stay as it is come first, so that no mapped name takes it from them.
    const asTheyAre = added.filter((tool) => this.#fits(`${server}__${tool}`));
    for (const tool of new Set([...asTheyAre, ...added])) names.set(tool, this.#take(server, tool));
    this.#servers.set(server, names);
  }

  /** The name of a tool that was assigned one. */
  of(server: string, tool: string): string | undefined {
    return this.#servers.get(server)?.get(tool);
  }

  #take(server: string, tool: string): string {
    const whole = `${server}__${tool}`;
    const valid = whole.replaceAll(OTHERS, "_");
    let name = this.#fits(valid) ? valid : this.#hashed(valid, whole);
    for (let salt = 1; this.#taken.has(name); salt++) {
      name = this.#hashed(valid, salt === 1 ? whole : `${whole} ${salt}`);
    }
    this.#taken.add(name);
    return name;
  }

  #fits(name: string): boolean {
    return name.length <= this.#maxBytes && name.search(OTHERS) === -1;
  }

  #hashed(valid: string, whole: string): string {
    const suffix = `_${hash(whole)}`;
    return valid.slice(0, this.#maxBytes - suffix.length) + suffix;
  }
}

/** FNV-1a of 32 bits over the text's UTF-16 units, as eight hex digits: short, and the same in every run. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
}
