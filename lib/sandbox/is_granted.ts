import { normalize, resolve } from "@std/path";
import type { Grant } from "./grant.ts";
import { allowsHost, parseNetEntry } from "./net.ts";
import { protection } from "./never_granted.ts";
import { isWithin, type Os, relativeTo } from "./paths.ts";
import { PROTECTED_FILES } from "./protected_names.ts";

/** True when the grant has that access already, so that something else went wrong. */
export function isGranted(access: string, value: string, grant: Grant): boolean {
  switch (access) {
    case "read":
    case "write": {
      const path = inWorkspace(value, grant);
      const os = osOf(grant);
      // A folder that is granted may hold what is never granted, hidden.
      if (protection(path, access, grant.guarded, os)?.relation === "inside") return false;
      return grant[access].some((entry) => isWithin(path, entry.value, os));
    }
    case "net": {
      const [, host = value, port] = /^(.*?)(?::(\d+))?$/.exec(value) ?? [];
      return grant.net.some((entry) => {
        const place = { server: grant.server, entry: "net" };
        const parsed = parseNetEntry(entry.value, place, osOf(grant));
        if (parsed.kind === "unix") return value === entry.value;
        // A name without a port was looked up, and may be connected to at the port that is granted.
        return allowsHost(
          parsed,
          host.toLowerCase(),
          port === undefined ? parsed.port : Number(port),
        );
      });
    }
    case "run":
      return grant.run.some((entry) => entry.value === value || entry.value.endsWith(`/${value}`));
    case "env":
    case "sys":
      return grant[access].some((entry) => entry.value === value);
    default:
      return false;
  }
}

/** A path as a server names it: relative ones lie in the workspace. */
export function inWorkspace(path: string, grant: Pick<Grant, "workspace">): string {
  return normalize(resolve(grant.workspace, path));
}

/** The rules that a grant's paths follow, told by their form. */
export function osOf({ workspace }: Pick<Grant, "workspace">): Os {
  return workspace.startsWith("/") ? "linux" : "windows";
}

/**
 * What of the protected files a path lies in, in a folder of the session or a repository nested in it: its
 * name and why. Whether it is held here is not told.
 */
export function protectedPart(
  path: string,
  grant: Pick<Grant, "workspace" | "addedFolders">,
): { readonly name: string; readonly reason: string } | undefined {
  const [below] = [grant.workspace, ...grant.addedFolders ?? []]
    .flatMap((folder) => relativeTo(inWorkspace(path, grant), folder, osOf(grant)) ?? []);
  if (below === undefined) return undefined;
  const inGit =
    /(?:^|\/)\.git\/(?:(?:modules|worktrees)\/(?:.*\/)?)?((?:hooks|config|commondir)(?:[./].*)?)$/
      .exec(below);
  const own = inGit === null ? below : `.git/${inGit[1]}`;
  const found = Object.entries(PROTECTED_FILES)
    .find(([name]) => own === name || own.startsWith(`${name}/`));
  return found && { name: found[0], reason: found[1] };
}
