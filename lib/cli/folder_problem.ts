import { dirname } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Folders } from "./folders.ts";

/**
 * Why a folder of skep's can be none, as what follows its path in a sentence; undefined when it is there, or can
 * be made as far as one can see. Nothing is made.
 */
export async function folderProblem(
  path: string,
  { files }: Pick<Host, "files">,
): Promise<string | undefined> {
  try {
    const there = await nearest(path, files);
    if (there.isFolder) return undefined;
    return there.path === path
      ? "is not a folder"
      : `cannot be made: ${there.path} is not a folder`;
  } catch (error) {
    // Deno asks for more than a runtime should have where the system shows itself as files.
    const isSystems = error instanceof Error && error.name === "NotCapable";
    return isSystems
      ? "lies where the system keeps its own"
      : `cannot be looked at: ${messageOf(error)}`;
  }
}

/** The path itself, or the nearest one above it that is there. */
export async function nearest(
  path: string,
  files: Pick<Host["files"], "stat">,
): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  const facts = await files.stat(path);
  if (facts !== undefined) return { path, isFolder: facts.isDirectory };
  const parent = dirname(path);
  return parent === path ? { path, isFolder: true } : await nearest(parent, files);
}

/** @throws {SkepError} `CONFIG_INVALID` for a folder that can be none. */
export async function checkFolders(
  folders: Folders,
  host: Pick<Host, "files">,
): Promise<void> {
  for (const [name, path] of Object.entries(folders)) {
    const problem = await folderProblem(path, host);
    if (problem === undefined) continue;
    const variable = `SKEP_${name.toUpperCase()}_DIR`;
    const message =
      `Cannot keep the ${name} folder at ${path}: it ${problem}; ${variable} sets another place`;
    throw new SkepError("CONFIG_INVALID", message, { source: variable });
  }
}
