import { basename, dirname, resolve } from "@std/path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../errors.ts";
import { cannotStart } from "./command.ts";
import type { LaunchContext } from "./context.ts";
import type { ProtectedPath } from "./never_granted.ts";
import { protection } from "./never_granted.ts";
import { isWithin } from "./paths.ts";
import type { ServerSpec } from "./spec.ts";
import { expandVariables } from "./variables.ts";

/**
 * The canonical path of a server's script. Variables are replaced in it; a relative one lies in the
 * pack that names it, else in the workspace.
 *
 * @throws {SkepError} `SERVER_SPAWN_FAILED` when there is no such file.
 */
export async function findScript(
  written: string,
  spec: Pick<ServerSpec, "name" | "command" | "origin">,
  { host, workspace, pack }: Pick<LaunchContext, "host" | "workspace" | "pack">,
): Promise<string> {
  const variables = { WORKSPACE: workspace, PACK: pack };
  const expanded = written.startsWith("file:")
    ? fileURLToPath(written)
    : expandVariables(written, variables, { server: spec.name, entry: "command" });
  const base = spec.origin.kind === "pack" && pack !== undefined ? pack : workspace;
  const path = resolve(base, expanded);
  const facts = await host.files.stat(path).catch((cause) => {
    throw cannotStart(spec, messageOf(cause), { cause });
  });
  if (facts?.isFile) return await host.files.realPath(path);
  throw cannotStart(spec, `there is no file ${path}`);
}

/**
 * What a person should know of a script: one that starts only as a main module does nothing here, as it is
 * imported, so that Deno holds what it imports to its grant.
 */
export async function scriptNotices(
  script: string,
  { name }: Pick<ServerSpec, "name">,
  { host, limits }: Pick<LaunchContext, "host" | "limits">,
): Promise<string[]> {
  const text = await host.files.readText(script, limits.maxConfigFileBytes).catch(() => "");
  if (!/\bimport\.meta\.main\b/.test(text)) return [];
  return [
    `Server "${name}" has import.meta.main in ${basename(script)}, which is false there: ` +
    "skep imports the script; have it start without asking that",
  ];
}

/**
 * What a script may read of its own: its folder; the file alone where that folder holds more than the
 * script's own things: the home folder, `/`, the temporary folder, or what holds the workspace.
 *
 * @throws {SkepError} `SERVER_SPAWN_FAILED` when the script itself lies where nothing is granted.
 */
export function scriptFiles(
  script: string,
  spec: Pick<ServerSpec, "name" | "command">,
  { host, workspace }: Pick<LaunchContext, "host" | "workspace">,
  guarded: readonly ProtectedPath[],
): string[] {
  const { os } = host.platform;
  const folder = dirname(script);
  const found = protection(folder, "read", guarded, os);
  if (found?.relation === "inside") {
    throw cannotStart(spec, `${found.by.path} is never granted: it holds ${found.by.holds}`);
  }
  const holdsMore = found !== undefined ||
    (folder !== workspace && isWithin(workspace, folder, os));
  return [holdsMore ? script : folder];
}
