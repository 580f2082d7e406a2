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
  { grant, kind, places, script }: ConfinementInput,
  context: LaunchContext,
): Promise<ProtectedFile[]> {
  const files = await protectedFiles(grant.workspace, context, await writtenBeside(grant, context));
  const reason = "skep runs programs from it";
  const ofDeno: ProtectedFile[] = kind === "native" ? [] : [
    { path: places.denoDir, name: "", kind: "folder", reason },
    { path: places.deno, name: "", kind: "file", reason },
  ];
  const there = await Promise.all(
    ofDeno.map(async (file) =>
      await context.host.files.stat(file.path) === undefined ? [] : [file]
    ),
  );
  const own: ProtectedFile[] = script === undefined
    ? []
    : [{ path: script, name: "", kind: "file", reason: "the server is started from it" }];
  return [...files, ...there.flat(), ...own];
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

function cannotHold({ path, reason }: ProtectedFile, { server }: Grant): SkepError {
  const message =
    `Cannot start server "${server}": it may write ${dirname(path)}, and ${path} is a ` +
    `link there, which cannot be kept from being replaced (${reason}). Put what it leads to in its ` +
    "place, choose another --cwd, or leave it out of protect: in a policy";
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
