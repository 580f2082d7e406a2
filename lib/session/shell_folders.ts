import { programName, shellCommands } from "../approval/shell_commands.ts";

const MOVES = ["cd", "pushd"];
/** Programs whose `-C` is a folder to work in. */
const TAKE_FOLDER = ["git", "make", "gmake", "ninja"];

/**
 * The folders that a line of shell moves its work to, as far as its text tells: by `cd`, `pushd`, `git -C`
 * and the like, each relative to where the one before it led. Empty for a line that cannot be read with
 * certainty. A convenience, as the commands of a line are.
 *
 * @example
 * ```ts
 * import { shellFolders } from "./shell_folders.ts";
 *
 * if (shellFolders("cd a && git -C b log").join() !== "a,a/b") throw new Error();
 * ```
 */
export function shellFolders(line: string): string[] {
  const folders: string[] = [];
  let base = "";
  for (const { words, isExact, isCertain } of shellCommands(line) ?? []) {
    if (!isExact || !isCertain) continue;
    const [program = "", ...args] = words;
    const isMove = MOVES.includes(program);
    const folder = isMove
      ? args.find((word) => !word.startsWith("-"))
      : TAKE_FOLDER.includes(programName(program))
      ? args[args.indexOf("-C") + 1 || args.length]
      : undefined;
    if (folder === undefined || folder === "" || folder.startsWith("~")) continue;
    const path = folder.startsWith("/") || base === "" ? folder : `${base}/${folder}`;
    folders.push(path);
    if (isMove) base = path;
  }
  return folders;
}
