import { resolve } from "@std/path";
import type { Limits } from "../../../lib/limits.ts";
import type { CommandWorld } from "./output.ts";
import { tree, treeDefaults, type TreeOptions } from "./tree.ts";

/** What the command `tree` was asked for, or why it cannot be done. */
type TreeRequest =
  | { readonly path: string; readonly options: Partial<TreeOptions> }
  | { readonly reason: string };

const HELP = `tree (skep): shows a folder as a tree, with the lines of each file

usage: tree [flags] [FOLDER]

  -d, -L, --depth N   open folders N levels deep
  -s, --size          show sizes too
  -a, --all           hidden files too
      --no-ignore     what .gitignore and .ignore leave out too
`;

/** The command `tree`. Exit codes: 0 shown, 2 something went wrong. */
export async function treeCommand(
  args: readonly string[],
  world: CommandWorld,
  limits: Limits,
): Promise<number> {
  const write = (target: "stdout" | "stderr", text: string) => {
    const bytes = new TextEncoder().encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += world[target].writeSync(bytes.subarray(at));
    } catch {
      // A reader such as head has seen enough.
    }
  };
  if (args.includes("--help") || args.includes("-h")) {
    write("stdout", HELP);
    return 0;
  }
  const request = readTreeArguments(args);
  if ("reason" in request) {
    write("stderr", `tree: ${request.reason}\n`);
    return 2;
  }
  try {
    const root = resolve(world.cwd(), request.path);
    const never = new AbortController().signal;
    const { text, notes } = await tree(
      root,
      { ...treeDefaults(limits), ...request.options },
      world,
      never,
    );
    write("stdout", text + notes.map((note) => `[${note}]\n`).join(""));
    return 0;
  } catch (error) {
    write("stderr", `tree: ${request.path}: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}

function readTreeArguments(args: readonly string[]): TreeRequest {
  const rest = [...args];
  const paths: string[] = [];
  let options: Partial<TreeOptions> = {};
  for (let word; (word = rest.shift()) !== undefined;) {
    const [, flag = word, attached] = /^(--depth|-[dL])=?(.+)$/s.exec(word) ?? [];
    if (word === "--") paths.push(...rest.splice(0));
    else if (flag === "--depth" || flag === "-d" || flag === "-L") {
      const value = attached ?? rest.shift() ?? "";
      if (!/^\d{1,4}$/.test(value)) return { reason: `${flag} needs a whole number` };
      options = { ...options, depth: Number(value) };
    } else if (word === "-s" || word === "--size") options = { ...options, hasSizes: true };
    else if (word === "-a" || word === "--all") options = { ...options, isHiddenTaken: true };
    else if (word === "--no-ignore") options = { ...options, isIgnoredTaken: true };
    else if (word.startsWith("-") && word !== "-") return { reason: `there is no flag ${word}` };
    else paths.push(word);
  }
  if (paths.length > 1) return { reason: "only one folder can be shown" };
  return { path: paths[0] ?? ".", options };
}
