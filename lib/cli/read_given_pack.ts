import { basename, join, resolve } from "@std/path";
import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { checkInstalled } from "../persona/installed_packs.ts";
import { readLonePersona, type ReadPack, readPack } from "../persona/pack.ts";
import type { PackLimits } from "../persona/pack_files.ts";
import { problemOf } from "../persona/problems.ts";
import { nearest } from "../suggest.ts";
import { packsFolder } from "./packs_folder.ts";
import { programRoot } from "./program_root.ts";

/** A pack that a person named, and which of its personas they meant, if one. */
export interface GivenPack extends ReadPack {
  /** Of a pack without errors, it is there. */
  readonly named?: string;
}

/**
 * Reads the pack, or the persona file, that a person names: a path, or where there is none the name of a pack
 * that ships with skep, or the id of one that was installed; `PACK#NAME` for one of its personas. One that was
 * installed and changed since is told.
 *
 * @throws {SkepError} `PERSONA_NOT_FOUND`.
 */
export async function readGivenPack(
  given: string,
  cwd: string,
  host: Host,
  limits: PackLimits,
): Promise<GivenPack> {
  // The whole first: a folder's own name may hold a "#".
  const whole = await readNamed(given, cwd, host, limits);
  if (whole !== undefined) return whole;
  const hash = given.lastIndexOf("#");
  const read = hash < 0 ? undefined : await readNamed(given.slice(0, hash), cwd, host, limits);
  if (read === undefined) {
    const path = resolve(cwd, hash < 0 ? given : given.slice(0, hash));
    const reason = given.trim() === "" ? "it is no name and no path" : `there is no ${path}`;
    throw notFound(`Cannot find the pack "${given}": ${reason}`, given);
  }
  const named = given.slice(hash + 1);
  const names = read.pack?.personas.map(({ name }) => name) ?? [];
  if (names.includes(named) || read.problems.hasErrors) return { ...read, named };
  const near = nearest(named, names);
  const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
  const message = `Cannot find the persona "${given}": the pack has ${names.join(", ")}${hint}`;
  throw notFound(message, given);
}

function notFound(message: string, persona: string): SkepError {
  return new SkepError("PERSONA_NOT_FOUND", message, { persona });
}

async function readNamed(
  given: string,
  cwd: string,
  host: Host,
  limits: PackLimits,
): Promise<ReadPack | undefined> {
  if (given.trim() === "" || given.includes("\0")) return undefined;
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
  return undefined;
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
