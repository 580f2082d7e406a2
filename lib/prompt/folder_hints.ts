import { dirname, isAbsolute, resolve, sep } from "@std/path";
import { foldersBetween, type HintFiles, type HintLimits, readHintFiles } from "./hints.ts";
import { folderHints } from "./hints_section.ts";

/** The names of arguments by which tools are told which folder to work in. */
const FOLDER_ARGUMENTS = ["workdir", "cwd", "directory"];
/** The same for a file or folder in it. */
const PATH_ARGUMENTS = ["path", "file_path", "filePath", "file"];

/**
 * The hints of folders below the workspace, given once, when the work first moves there: the prompt is not
 * changed for them, since a provider caches it.
 */
export class FolderHints {
  /** Folders whose hints the model has. */
  readonly #seen = new Set<string>();
  #left: number;

  /**
   * @param cwd The workspace, canonical: its own hints are in the prompt.
   * @param onNotice Is told of hints that are not whole, or left out.
   */
  constructor(
    private readonly cwd: string,
    private readonly files: HintFiles,
    private readonly limits: HintLimits,
    private readonly onNotice: (text: string) => void = () => {},
  ) {
    this.#left = limits.maxHintsBytes;
  }

  /** The model has none of them any more: what was given is given again when the work goes there. */
  forget(): void {
    this.#seen.clear();
    this.#left = this.limits.maxHintsBytes;
  }

  /**
   * What a call's result gets with it; undefined when it touched no new folder with hints.
   *
   * @param moved Further folders that the call worked in, such as those that a command moved to.
   */
  async after(
    args: Readonly<Record<string, unknown>>,
    moved: readonly string[] = [],
  ): Promise<string | undefined> {
    const folders = this.#touched(args, moved);
    if (folders.length === 0 || this.#left <= 0) return undefined;
    for (const folder of folders) this.#seen.add(folder);
    const places = folders.map((folder) => ({ folder, root: this.cwd }));
    const found = await readHintFiles(places, this.files, this.limits, this.#left);
    found.notices.forEach(this.onNotice);
    if (found.hints.length + found.notices.length === 0) return undefined;
    const text = folderHints(found.hints, found.notices);
    this.#left -= new TextEncoder().encode(text).length;
    return text;
  }

  /** The folders below the workspace that the arguments lead into, from the top, that are new. */
  #touched(
    args: Readonly<Record<string, unknown>>,
    moved: readonly string[],
  ): readonly string[] {
    const folders = new Set<string>();
    const texts = (names: readonly string[]) => names.map((name) => args[name]).filter(isPath);
    const places = texts(FOLDER_ARGUMENTS);
    const base = resolve(this.cwd, ...places.slice(0, 1));
    const inside = [...texts(PATH_ARGUMENTS), ...moved.filter(isPath)];
    const all = [...places, ...inside.map((path) => resolve(base, path))];
    for (const value of all) {
      const path = isAbsolute(value) ? value : resolve(this.cwd, value);
      if (!path.startsWith(this.cwd + sep)) continue;
      // Whether it is a file or a folder is not asked: a file has no AGENTS.md in it.
      for (const folder of foldersBetween(this.cwd, path)) folders.add(folder);
    }
    folders.delete(this.cwd);
    return [...folders].filter((folder) => !this.#seen.has(folder) && dirname(folder) !== folder);
  }
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}
