import { dirname } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { denoDir } from "../host/deno_binary.ts";
import type { LaunchContext } from "./context.ts";
import { unsafeReason } from "./entries.ts";
import { protectedPaths } from "./never_granted.ts";
import { masksPaths, pathProblem } from "./path_rules.ts";

/**
 * Makes sure that servers can have a workspace, and the folders added to it, before the first of them starts:
 * it is not the whole file system, and what is never granted does not lie in it, or can be hidden by what
 * confines servers here. A workspace inside of what is never granted is cut from each grant, as any path is;
 * an added folder is refused.
 *
 * @throws {SkepError} `USAGE`, which names `--cwd`, or the added folder.
 */
export async function checkWorkspace(context: LaunchContext): Promise<void> {
  const { workspace, addedFolders = [] } = context;
  const own = await problemOf(workspace, context);
  if (own !== undefined && !own.isCut) {
    const message = `Cannot use the workspace "${own.path}": ${own.reason}` +
      (own.isMissing ? "" : ". Choose a smaller one with --cwd");
    throw new SkepError("USAGE", message, { argument: "--cwd" }, own);
  }
  for (const folder of addedFolders) {
    const reason = nameProblem(folder) ?? (await problemOf(folder, context))?.reason;
    if (reason === undefined) continue;
    const message = `Cannot use the additional folder "${folder}": ${reason}`;
    throw new SkepError("USAGE", message, { argument: "additionalDirectories" });
  }
}

interface FolderProblem {
  /** Canonical, where there is such a folder. */
  readonly path: string;
  readonly reason: string;
  readonly isCut: boolean;
  readonly isMissing?: true;
  readonly cause?: unknown;
}

async function problemOf(
  folder: string,
  context: LaunchContext,
): Promise<FolderProblem | undefined> {
  const { host } = context;
  let path: string;
  try {
    path = await host.files.realPath(folder);
  } catch (cause) {
    return { path: folder, reason: messageOf(cause), isCut: false, isMissing: true, cause };
  }
  const guarded = await protectedPaths(context, { denoDir: denoDir(host) });
  const confiner = context.sandbox === "off" ? { problem: "" } : await context.confiner();
  const backend = "backend" in confiner ? confiner.backend.name : undefined;
  const rules = { guarded, isMasking: masksPaths(backend), os: host.platform.os };
  const problem = pathProblem(path, "read", rules);
  if (problem === undefined) return undefined;
  const { reason, isCut } = problem;
  const held = backend === "landlock" ? "Landlock alone" : "Deno's flags alone";
  const why = isCut || dirname(path) === path ? "" : `, and ${held} cannot leave it out`;
  return { path, reason: reason + why, isCut };
}

/** Why a folder cannot be an entry of a grant, by its name. A workspace is none: it is named as `.`. */
function nameProblem(folder: string): string | undefined {
  if (folder.includes("*")) return "its name holds a *, as a pattern does";
  return folder.includes("${") ? "its name holds a ${, as a variable does" : unsafeReason(folder);
}
