import { postCompactHook, stopHook } from "./hooks.ts";
import { readFile } from "./read_file.ts";
import { rg } from "./rg.ts";
import { shell } from "./shell.ts";
import { shellJob } from "./shell_job.ts";
import { strReplace } from "./str_replace.ts";
import { todo } from "./todo.ts";
import type { Tool } from "./tool.ts";
import { tree } from "./tree.ts";
import { viewImage } from "./view_image.ts";
import { writeFile } from "./write_file.ts";

/** What is known of what holds this process. */
export interface Proofs {
  /** A person said that commands may run with nothing but Deno's flags around them. */
  readonly isUnconfined: boolean;
  /** The operating system confines this process and all that it starts. */
  readonly isConfined: boolean;
}

const PLAIN: readonly Tool[] = [readFile, writeFile, strReplace, viewImage, todo];
/** What starts programs, or offers what the programs of the shell do. */
const CONFINED: readonly Tool[] = [shell, shellJob, rg, tree];

/** Every tool there is, hooks aside. */
export const ALL_TOOLS: readonly Tool[] = [...PLAIN, ...CONFINED];

/** For the host and not for the model. */
export const HOOKS: readonly Tool[] = [stopHook, postCompactHook];

/**
 * The tools to offer. A program that the shell starts has none of this process's bounds, so the shell
 * is there only when something else holds it, or a person waived that.
 *
 * @param without Names of tools that a setting turns off.
 */
export function listedTools(
  { isUnconfined, isConfined }: Proofs,
  without: readonly string[],
): readonly Tool[] {
  const all = isUnconfined || isConfined ? ALL_TOOLS : PLAIN;
  return all.filter(({ name }) => !without.includes(name));
}
