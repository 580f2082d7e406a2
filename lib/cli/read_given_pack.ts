import { basename, join, resolve } from "@std/path";
import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { checkInstalled } from "../persona/installed_packs.ts";
import { readLonePersona, type ReadPack, readPack } from "../persona/pack.ts";
import type { PackLimits } from "../persona/pack_files.ts";
import { problemOf } from "../persona/problems.ts";
import { packsFolder } from "./packs_folder.ts";
import { programRoot } from "./program_root.ts";

/**
 * Reads the pack, or the persona file, that a person names: a path, or where there is none the name of a pack
 * that ships with skep, or the id of one that was installed. One that was installed and changed since is told.
 *
 * @throws {SkepError} `PERSONA_NOT_FOUND`.
 */
export async function readGivenPack(
  given: string,
  cwd: string,
  host: Host,
  limits: PackLimits,
): Promise<ReadPack> {
  const { files } = host;
  const path = resolve(cwd, given);
  const facts = await files.stat(path);
  if (facts?.isFile) {
    return await checked(await readLonePersona(path, files, limits), path, host, limits);
  }
  if (facts !== undefined) {
    return await checked(await readPack(path, files, limits), path, host, limits);
  }
  const folders = [join(await programRoot(host), "personas"), packsFolder(host)];
  for (const folder of basename(given) === given && !given.startsWith(".") ? folders : []) {
    const named = join(folder, given);
    if (!(await files.stat(named))?.isDirectory) continue;
    return await checked(await readPack(named, files, limits), named, host, limits);
  }
  throw new SkepError("PERSONA_NOT_FOUND", `Cannot find the pack "${given}": there is no ${path}`, {
    persona: given,
  });
}

/** What was read; with a problem more when it was installed, and changed since. */
async function checked(
  read: ReadPack,
  path: string,
  host: Host,
  limits: PackLimits,
): Promise<ReadPack> {
  try {
    await checkInstalled(path, packsFolder(host), host.files, limits);
  } catch (error) {
    if (!isSkepError(error, "PERSONA_INVALID")) throw error;
    read.problems.add(problemOf(error));
  }
  return read;
}
