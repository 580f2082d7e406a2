import { dirname } from "@std/path";
import { SkepError } from "../errors.ts";
import type { ConfinementInput } from "./confinement.ts";
import type { LaunchContext } from "./context.ts";
import type { Grant } from "./grant.ts";
import type { Mount } from "./mounts.ts";
import { isWithin, type Os } from "./paths.ts";
import type { Placeholder } from "./placeholders.ts";
import { type ProtectedFile, protectedFiles } from "./protected_files.ts";

/** Mounts, and the placeholders that some of them need. */
export interface Held {
  readonly mounts: readonly Mount[];
  readonly placeholders: readonly Placeholder[];
}

/** What is to stay as it is wherever the server may write. */
export async function guardedFiles(
  { grant, script }: Pick<ConfinementInput, "grant" | "script">,
  context: LaunchContext,
): Promise<ProtectedFile[]> {
  const beside = await writtenBeside(grant, context);
  const { os } = context.host.platform;
  const writable = [grant.workspace, ...beside];
  const around = grant.guarded.filter(({ covers, path }) =>
    covers === "writes" && writable.some((folder) => isWithin(path, folder, os))
  );
  const [files, own] = await Promise.all([
    protectedFiles(grant.workspace, context, beside),
    Promise.all(around.map(({ path }) => runPlace(path, writable, context))),
  ]);
  const started: ProtectedFile[] = script === undefined
    ? []
    : [{ path: script, name: "", kind: "file", reason: "the server is started from it" }];
  return [...files, ...own.flat(), ...started];
}

/**
 * What skep is run from, as it is to be held: of a link the folder it lies in, since nothing can be put over
 * a link. It stays a link where that folder is what may be written.
 */
async function runPlace(
  path: string,
  writable: readonly string[],
  { host: { files, platform: { os } } }: Pick<LaunchContext, "host">,
): Promise<ProtectedFile[]> {
  const reason = "skep runs programs from it";
  const facts = await files.lstat(path).catch(() => undefined); // nobody looks in there
  if (facts === undefined) return [];
  // Behind a link: where that leads, and the link, are places of their own.
  if (await files.realPath(dirname(path)).catch(() => dirname(path)) !== dirname(path)) return [];
  if (!facts.isSymlink) {
    return [{ path, name: "", kind: facts.isDirectory ? "folder" : "file", reason }];
  }
  const folder = dirname(path);
  const isWhole = writable.some((each) => isWithin(each, folder, os));
  return [
    isWhole
      ? { path, name: "", kind: "link", reason }
      : { path: folder, name: "", kind: "folder", reason },
  ];
}

/** The folders outside the workspace that a server may write, its private ones left out. */
export async function writtenBeside(
  { workspace, tmp, write }: Pick<Grant, "workspace" | "tmp" | "write">,
  { host }: {
    readonly host: Pick<LaunchContext["host"], "platform"> & {
      files: Pick<LaunchContext["host"]["files"], "stat">;
    };
  },
): Promise<string[]> {
  const { os } = host.platform;
  const beside = write.map(({ value }) => value)
    .filter((path) => !isWithin(path, workspace, os) && !isWithin(path, dirname(tmp), os));
  const facts = await Promise.all(beside.map((path) => host.files.stat(path)));
  return beside.filter((_, index) => facts[index]?.isDirectory);
}

/**
 * The mounts that see to it.
 *
 * @throws {SkepError} `GRANT_REFUSED` for a file that is a link: it cannot be kept from being replaced.
 */
export function guardMounts(
  files: readonly ProtectedFile[],
  write: readonly string[],
  grant: Grant,
  os: Os,
): Held {
  const mounts: Mount[] = [];
  const placeholders: Placeholder[] = [];
  for (const file of files) {
    const { path, kind, placeholder = { path } } = file;
    const around = write.filter((folder) => isWithin(path, folder, os));
    if (around.length === 0) continue;
    if (kind === "link") throw cannotHold(file, grant);
    if (kind === "missing") placeholders.push(placeholder);
    const isFolder = kind === "folder" || kind === "missing" && placeholder.text === undefined;
    mounts.push(...around.flatMap((folder) => pins(folder, path)));
    mounts.push({ type: "read", path, isFolder });
  }
  return { mounts, placeholders };
}

function cannotHold({ path, name, reason }: ProtectedFile, { server }: Grant): SkepError {
  const isLiftable = name !== "";
  const message =
    `Cannot start server "${server}": it may write ${dirname(path)}, and ${path} is a ` +
    `link there, which cannot be kept from being replaced (${reason}). Put what it leads to in its ` +
    (isLiftable
      ? "place, choose another --cwd, or leave it out of protect: in a policy"
      : "place, or grant less than that folder");
  return new SkepError("GRANT_REFUSED", message, { server });
}

/**
 * The folders between a writable one and a path in it. Each is mounted on itself: a folder that is a
 * mount cannot be renamed, and so nothing can be put in the path's place.
 */
export function pins(writable: string, path: string): Mount[] {
  const mounts: Mount[] = [];
  for (let folder = dirname(path); folder.length > writable.length; folder = dirname(folder)) {
    mounts.push({ type: "write", path: folder, isFolder: true });
  }
  return mounts;
}
