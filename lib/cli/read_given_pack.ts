import { basename, join, resolve } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { readLonePersona, type ReadPack, readPack } from "../persona/pack.ts";
import type { PackLimits } from "../persona/pack_files.ts";
import { packsFolder } from "./packs_folder.ts";
import { programRoot } from "./program_root.ts";

/**
 * Reads the pack, or the persona file, that a person names: a path, or where there is none the name of a pack
 * that ships with skep, or the id of one that was installed.
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
  if (facts?.isFile) return await readLonePersona(path, files, limits);
  if (facts !== undefined) return await readPack(path, files, limits);
  const folders = [join(await programRoot(host), "personas"), packsFolder(host)];
  for (const folder of basename(given) === given && !given.startsWith(".") ? folders : []) {
    const named = join(folder, given);
    if ((await files.stat(named))?.isDirectory) return await readPack(named, files, limits);
  }
  throw new SkepError("PERSONA_NOT_FOUND", `Cannot find the pack "${given}": there is no ${path}`, {
    persona: given,
  });
}
