import { dirname } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { denoDir } from "../host/deno_binary.ts";
import type { LaunchContext } from "./context.ts";
import { protectedPaths } from "./never_granted.ts";
import { masksPaths, pathProblem } from "./path_rules.ts";

/**
 * Makes sure that servers can have a workspace, before the first of them starts: it is not the whole file
 * system, and what is never granted does not lie in it, or can be hidden by what confines servers here.
 *
 * @throws {SkepError} `USAGE`, which names `--cwd`.
 */
export async function checkWorkspace(context: LaunchContext): Promise<void> {
  const { host, workspace } = context;
  const path = await host.files.realPath(workspace).catch((cause) => {
    const message = `Cannot use the workspace "${workspace}": ${messageOf(cause)}`;
    throw new SkepError("USAGE", message, { argument: "--cwd" }, { cause });
  });
  const guarded = await protectedPaths(context, { denoDir: denoDir(host) });
  const confiner = context.sandbox === "off" ? { problem: "" } : await context.confiner();
  const backend = "backend" in confiner ? confiner.backend.name : undefined;
  const rules = { guarded, isMasking: masksPaths(backend), os: host.platform.os };
  const problem = pathProblem(path, "read", rules);
  if (problem === undefined || problem.isCut) return;
  const held = backend === "landlock" ? "Landlock alone" : "Deno's flags alone";
  const why = dirname(path) === path ? "" : `, and ${held} cannot leave it out`;
  const message =
    `Cannot use the workspace "${path}": ${problem.reason}${why}. Choose a smaller one with --cwd`;
  throw new SkepError("USAGE", message, { argument: "--cwd" });
}
