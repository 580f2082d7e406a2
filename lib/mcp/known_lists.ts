import { fileURLToPath } from "node:url";
import { dirname, join, resolve } from "@std/path";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { VERSION } from "../version.ts";
import { isObject } from "./message.ts";
import type { ListedTool, ToolList } from "./tool_list.ts";

/** The tools that servers had when they were last started. */
export interface KnownLists {
  /** Those of a server that would be started in the same way; undefined when it never was. */
  recall(spec: ServerSpec, launch: Launch): Promise<ToolList | undefined>;
  /** Keeps a list for later. It may fail, which nobody needs to know: the server is started once more. */
  remember(spec: ServerSpec, launch: Launch, list: ToolList): Promise<void>;
}

type World = Pick<Files, "list" | "makeFolder" | "readText" | "remove" | "stat" | "writeText">;

/**
 * Lists in a folder of skep's state, a file each. Its name is a digest of all that decides what a
 * server lists: its command line with the version of its package, the sizes and times of the files in it, its
 * grant as flags, its variables, and skep's own version. The private folders in it, which are new for each
 * start, count as nothing.
 */
export class FileKnownLists implements KnownLists {
  readonly #folder: string;
  readonly #files: World;
  readonly #limits: Pick<Limits, "maxKnownLists" | "maxFrameBytes">;

  /** @param folder Absolute; made when the first list is kept. */
  constructor(
    folder: string,
    files: World,
    limits: Pick<Limits, "maxKnownLists" | "maxFrameBytes">,
  ) {
    this.#folder = folder;
    this.#files = files;
    this.#limits = limits;
  }

  async recall(spec: ServerSpec, launch: Launch): Promise<ToolList | undefined> {
    const path = await this.#pathOf(spec, launch);
    try {
      const text = await this.#files.readText(path, this.#limits.maxFrameBytes);
      return readList(JSON.parse(text));
    } catch {
      return undefined; // not there, or of no use: the server is started
    }
  }

  async remember(spec: ServerSpec, launch: Launch, list: ToolList): Promise<void> {
    const path = await this.#pathOf(spec, launch);
    try {
      await this.#files.makeFolder(this.#folder);
      const others = (await this.#files.list(this.#folder))
        .map((name) => join(this.#folder, name)).filter((other) => other !== path);
      for (const other of others.slice(this.#limits.maxKnownLists - 1)) {
        await this.#files.remove(other);
      }
      await this.#files.writeText(path, JSON.stringify(list));
    } catch {
      // A full disk, say, or a folder that may not be written.
    }
  }

  async #pathOf(spec: ServerSpec, { command, confined, grant }: Launch): Promise<string> {
    const { program, args } = confined?.inner ?? command;
    const own = dirname(grant.tmp);
    const words = [program, ...args.map((arg) => arg.replaceAll(own, ""))];
    const paths = words.flatMap((word) => pathsIn(word, command.cwd));
    const files = await Promise.all(paths.map((path) => this.#factsOf(path)));
    const { env, secrets } = spec;
    const text = JSON.stringify([VERSION, words, files, env, secrets ?? {}]);
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return join(this.#folder, `${new Uint8Array(hash).toHex()}.json`);
  }

  /** What changes when a file is written. */
  async #factsOf(path: string): Promise<unknown> {
    const facts = await this.#files.stat(path).catch(() => undefined);
    return facts?.isFile ? [facts.bytes, facts.writtenMs] : 0;
  }
}

/** The files that a word of a command line may name: as a path, as an address, or in an address as its `target`. */
function pathsIn(word: string, cwd: string): string[] {
  if (word.startsWith("-") || word.includes("\0")) return [];
  if (!word.startsWith("file:")) return [resolve(cwd, word)];
  const target = URL.parse(word)?.searchParams.get("target") ?? "";
  return [word, target].flatMap(pathOf);
}

function pathOf(address: string): string[] {
  const url = URL.parse(address);
  if (url?.protocol !== "file:") return [];
  try {
    return [fileURLToPath(url)]; // it leaves the query out
  } catch {
    return []; // no file has such an address
  }
}

/** A list as it was written; undefined when it is not whole. */
function readList(value: unknown): ToolList | undefined {
  if (!isObject(value)) return undefined;
  const { tools, hooks, remarks, instructions } = value;
  if (!areTools(tools) || !areTools(hooks) || !areTexts(remarks)) return undefined;
  const said = typeof instructions === "string" ? { instructions } : {};
  return { tools, hooks, remarks, ...said };
}

function areTools(value: unknown): value is ListedTool[] {
  return Array.isArray(value) &&
    value.every((tool) =>
      isObject(tool) && typeof tool.name === "string" && typeof tool.description === "string" &&
      isObject(tool.inputSchema) &&
      (tool.fullSchema === undefined || isObject(tool.fullSchema)) && areTexts(tool.notes)
    );
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
