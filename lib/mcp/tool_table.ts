import type { Limits } from "../limits.ts";
import type { ToolDefinition } from "../model/message.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { byteLength } from "./elide.ts";
import type { ToolFacts } from "./registry.ts";
import type { ListedTool } from "./tool_list.ts";
import { ToolChoice } from "./tool_choice.ts";
import { ToolNames } from "./tool_names.ts";

/** A server as far as its tools go. */
export interface ToolSource {
  readonly name: string;
  readonly tools: readonly ListedTool[];
  readonly hooks: readonly ListedTool[];
}

/** One tool of a session, whether the model is shown it or not. */
export interface TableEntry<Source extends ToolSource> {
  readonly server: Source;
  readonly tool: ListedTool;
  readonly facts: ToolFacts;
}

type Bounds = Pick<Limits, "maxTools" | "maxToolNameBytes" | "maxToolsBytes">;

/** Of all bytes that tools may take, those that found ones may. */
const FOUND_SHARE = 0.25;

/**
 * Which tools of which servers a session has, under which names, and which of them fit: at most
 * `maxTools`, and of those as many as `maxToolsBytes` hold. When either is too few, each server keeps
 * its first ones, and whatever is looked for is shown beside them.
 */
export class ToolTable {
  readonly #limits: Bounds;
  readonly #names: ToolNames;
  #choice = new ToolChoice([]);
  /** The tools that were looked for, the last one last. */
  readonly #found = new Set<string>();
  readonly #sizes = new WeakMap<ListedTool, number>();

  constructor(limits: Bounds) {
    this.#limits = limits;
    this.#names = new ToolNames(limits.maxToolNameBytes);
  }

  /** Which of their tools the specs let be listed. */
  choose(specs: readonly ServerSpec[]): void {
    this.#choice = new ToolChoice(specs);
  }

  /** Names the tools that a server has now. Gives what of its spec names none of them. */
  take(server: string, tools: readonly ListedTool[]): readonly string[] {
    const names = tools.map(({ name }) => name);
    this.#names.assign(server, names);
    return this.#choice.misspelt(server, names, (tool) => this.#names.of(server, tool));
  }

  /** Shows tools from now on, by their names, whether they fit or not; the oldest make room for them. */
  show(names: readonly string[]): void {
    for (const name of names) {
      this.#found.delete(name);
      this.#found.add(name);
    }
  }

  /** Every tool of the servers, in their order. */
  entries<Source extends ToolSource>(servers: readonly Source[]): TableEntry<Source>[] {
    const all = servers.flatMap((server) => [
      ...server.tools.flatMap((tool) => this.#entry(server, tool)),
      ...server.hooks.map((tool) => entryOf(server, tool, "", "hook", 0)),
    ]);
    const isListed = ({ facts }: TableEntry<Source>) => facts.state === "listed";
    const listed = all.filter(isListed);
    const counted = new Set(inTurns(listed).slice(0, this.#limits.maxTools));
    const shown = this.#fitting(listed.filter((entry) => counted.has(entry)));
    return all.map((entry) => {
      if (!isListed(entry) || shown.has(entry)) return entry;
      const state = counted.has(entry) ? "hidden" : "left out";
      return { ...entry, facts: { ...entry.facts, state } };
    });
  }

  #entry<Source extends ToolSource>(server: Source, tool: ListedTool): TableEntry<Source>[] {
    const name = this.#names.of(server.name, tool.name);
    if (name === undefined) return []; // read, but not named yet
    const state = this.#choice.allows(server.name, tool.name, name) ? "listed" : "switched off";
    return [entryOf(server, tool, name, state, this.#bytesOf(name, tool))];
  }

  #fitting<Source extends ToolSource>(
    entries: readonly TableEntry<Source>[],
  ): ReadonlySet<TableEntry<Source>> {
    const limit = this.#limits.maxToolsBytes;
    const total = entries.reduce((sum, { facts }) => sum + facts.bytes, 0);
    if (total <= limit) return new Set(entries);
    const shown = new Set<TableEntry<Source>>();
    fill(shown, inTurns(entries), limit * (1 - FOUND_SHARE));
    const byName = new Map(entries.map((entry) => [entry.facts.name, entry]));
    const found = [...this.#found].reverse().flatMap((name) => byName.get(name) ?? []);
    fill(shown, found.filter((entry) => !shown.has(entry)), limit * FOUND_SHARE);
    return shown;
  }

  /** What a tool takes of each request: its definition as JSON. */
  #bytesOf(name: string, tool: ListedTool): number {
    let bytes = this.#sizes.get(tool);
    if (bytes === undefined) {
      const { description, inputSchema } = tool;
      bytes = byteLength(JSON.stringify({ name: "", description, inputSchema }));
      this.#sizes.set(tool, bytes);
    }
    return bytes + name.length;
  }
}

/** A tool as the model is shown it. */
export function definitionOf(
  { facts: { name }, tool }: TableEntry<ToolSource>,
): ToolDefinition {
  return { name, description: tool.description, inputSchema: tool.inputSchema };
}

function entryOf<Source extends ToolSource>(
  server: Source,
  tool: ListedTool,
  name: string,
  state: ToolFacts["state"],
  bytes: number,
): TableEntry<Source> {
  const { name: own, notes } = tool;
  return { server, tool, facts: { server: server.name, own, name, state, bytes, notes } };
}

/** The first of each server, then the second of each, and so on. */
function inTurns<Source extends ToolSource>(
  entries: readonly TableEntry<Source>[],
): TableEntry<Source>[] {
  const places = new Map<Source, number>();
  const turns = entries.map((entry) => {
    const place = places.get(entry.server) ?? 0;
    places.set(entry.server, place + 1);
    return { entry, place };
  });
  return turns.toSorted((a, b) => a.place - b.place).map(({ entry }) => entry);
}

/** Adds entries while they fit. One that does not leaves room for smaller ones behind it. */
function fill<Source extends ToolSource>(
  shown: Set<TableEntry<Source>>,
  entries: readonly TableEntry<Source>[],
  bytes: number,
): void {
  let left = bytes;
  for (const entry of entries) {
    if (entry.facts.bytes > left) continue;
    left -= entry.facts.bytes;
    shown.add(entry);
  }
}
