import { dirname, normalize } from "@std/path";
import { messageOf } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import { type Ceiling, ceilingOf } from "./ceiling.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import type { EntryPlace } from "./entries.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { neverGranted, type ProtectedPath, protectedPaths, protection } from "./never_granted.ts";
import { runPlaces } from "./run_places.ts";
import { canonicalPath, isAbsolutePath, isWithin, type Os, relativeTo } from "./paths.ts";
import type { ServerSpec } from "./spec.ts";
import { expandVariables, type Variables } from "./variables.ts";

/** What decides whether a server gets a path. */
export interface PathRules {
  readonly os: Os;
  readonly files: LaunchContext["host"]["files"];
  readonly variables: Variables & { readonly TMP: string; readonly HOME: string };
  readonly ceiling: Ceiling;
  /** Folders that the session works in besides, canonical. */
  readonly addedFolders?: readonly string[];
  /** What a server gets under the lowest ceiling too. */
  readonly ownFolders: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly guarded: readonly ProtectedPath[];
  /** True when what is never granted is hidden where it lies below something granted. */
  readonly isMasking: boolean;
  /** What holds the grant; absent where Deno's flags are all there is. */
  readonly backend?: BackendName;
}

/** A path that is granted, canonical, or the reason why it is not. */
export type PathVerdict = { readonly path: string } | { readonly reason: string };

/** The rules for one server. `context.workspace` is canonical. */
export async function pathRules(
  spec: Pick<ServerSpec, "origin" | "command" | "args" | "env">,
  context: Pick<
    LaunchContext,
    | "host"
    | "workspace"
    | "addedFolders"
    | "pack"
    | "programRoot"
    | "bundles"
    | "policy"
    | "folders"
    | "isAccepted"
  >,
  places: Pick<ServerPlaces, "tmp" | "home" | "denoDir">,
  temporary: string,
  backend?: BackendName,
): Promise<PathRules> {
  const { host, workspace, addedFolders, pack } = context;
  const own = [workspace, ...addedFolders ?? [], places.tmp, places.home];
  const ownPack = spec.origin.kind === "pack" && pack !== undefined ? [pack] : [];
  return {
    os: host.platform.os,
    files: host.files,
    variables: {
      WORKSPACE: workspace,
      TMP: places.tmp,
      HOME: places.home,
      ...(pack === undefined ? {} : { PACK: pack }),
    },
    ceiling: await ceilingOf(spec, context),
    ...(addedFolders && { addedFolders }),
    ownFolders: { read: [...own, ...ownPack], write: own },
    guarded: [
      ...await protectedPaths(context, { denoDir: places.denoDir, temporary }),
      ...await runPlaces(context),
    ],
    ...(backend === undefined ? {} : { backend }),
    isMasking: masksPaths(backend),
  };
}

/** True for a backend that can hide a part of a folder. Flags and Landlock only list what is allowed. */
export function masksPaths(backend: BackendName | undefined): boolean {
  return backend !== undefined && backend !== "landlock";
}

/**
 * Decides on one path that a server asks for: variables replaced, links resolved, then held against
 * the ceiling and against what is never granted.
 *
 * @throws {SkepError} `GRANT_INVALID` for a path that is not absolute, cannot be resolved, is the whole file
 * system, or holds what is never granted where nothing here can leave out a part of a folder.
 */
export async function judgePath(
  text: string,
  access: "read" | "write",
  rules: PathRules,
  at: EntryPlace,
): Promise<PathVerdict> {
  const { os, variables, ceiling, addedFolders = [] } = rules;
  if (/[\n\r\0]/.test(text)) throw grantInvalid(at, text, "it holds a line break or a NUL");
  if (text.includes("*")) {
    throw grantInvalid(at, text, "a path is no pattern: a folder means all below it");
  }
  const expanded = expandVariables(text, variables, at);
  if (!isAbsolutePath(expanded, os)) {
    throw grantInvalid(
      at,
      text,
      "a path is absolute, or starts with a variable such as ${WORKSPACE}",
    );
  }
  const written = normalize(expanded);
  const path = await canonicalPath(written, rules).catch((cause) => {
    throw grantInvalid(at, text, `its links cannot be resolved: ${messageOf(cause)}`);
  });
  const isOwn = rules.ownFolders[access].some((folder) => isWithin(path, folder, os));
  if (ceiling.reach === "workspace" && !isOwn) return { reason: ceiling.reason };
  for (const spelling of new Set([path, written])) {
    const problem = pathProblem(spelling, access, rules);
    if (problem === undefined) continue;
    if (problem.isCut) return { reason: problem.reason };
    const isWorkspace = [variables.WORKSPACE, ...addedFolders]
      .some((folder) => relativeTo(path, folder, os) === "");
    const hint = isWorkspace ? ". Choose a smaller workspace with --cwd" : "";
    if (isWorkspace && problem.isRunFrom) {
      // It can be looked at. Under flags alone what is written there is one of the leaks that are told.
      if (rules.backend === undefined) continue;
      return { reason: problem.reason + hint };
    }
    throw grantInvalid(at, text, problem.reason + hint);
  }
  return { path };
}

/**
 * What is in the way of granting a path: something around it that is never granted (then it is cut), or
 * something below it that cannot be left out. `/` holds everything, and is never granted.
 */
export function pathProblem(
  path: string,
  access: "read" | "write",
  { guarded, isMasking, os }: Pick<PathRules, "guarded" | "isMasking" | "os">,
): { readonly reason: string; readonly isCut: boolean; readonly isRunFrom?: true } | undefined {
  if (dirname(path) === path) return { reason: "it is the whole file system", isCut: false };
  const found = protection(path, access, guarded, os);
  if (found === undefined) return undefined;
  const { by, relation } = found;
  const isRunFrom = by.covers === "writes";
  if (relation === "inside") {
    return { reason: neverGranted(by), isCut: true };
  }
  // What servers keep to themselves can be hidden below a folder, and not be the folder.
  const isHidden = isMasking &&
    !guarded.some(({ covers, path: each }) =>
      covers === "above" && relativeTo(path, each, os) === ""
    );
  if (isHidden) return undefined;
  return isRunFrom
    ? {
      reason: `${by.path} lies in it, which no server may write and nothing here can leave out: ` +
        `it holds ${by.holds}`,
      isCut: false,
      isRunFrom,
    }
    : {
      reason: `${by.path} lies in it, which is never granted: it holds ${by.holds}`,
      isCut: false,
    };
}
