import { basename, join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { UnusableEntry } from "../sandbox/spec.ts";
import { nearest } from "../suggest.ts";
import { loadPack, MANIFEST_PATH, PLUGIN_PATH, readLonePersona } from "./pack.ts";
import type { PackLimits, PackReader } from "./pack_files.ts";
import type { Persona } from "./persona.ts";
import { placeText, type Problem, type ServerAt } from "./problems.ts";
import { resolvePersona } from "./resolve.ts";
import { serverAtOf } from "./unresolved.ts";

/** A persona, and what a person should know of its pack: parts that are left out, fields that are not used. */
export interface FoundPersona {
  readonly persona: Persona;
  readonly notices: readonly string[];
  /** Its pack's servers that are left out; `notices` have them too. */
  readonly unusable: readonly UnusableEntry[];
  /** Where the fields of its servers stand. */
  readonly serverAt: ServerAt;
}

/**
 * Finds and loads a persona.
 *
 * @param wanted `PACK` or `PACK#NAME`, where PACK is a shipped pack's name or a path to a pack's folder;
 * or the path of one persona file. A shipped name comes before an installed pack's id, and that before a path
 * of the same spelling.
 * @param shipped The folder of the packs that ship with skep.
 * @param cwd The folder that a relative path is relative to.
 * @param installed The folder of the packs that were installed, if there is one.
 * @throws {SkepError} `PERSONA_NOT_FOUND`, listing what there is, with the nearest; also when a pack has
 * several personas and none was named. `PERSONA_INVALID` when what was found cannot be used.
 */
export async function findPersona(
  wanted: string,
  shipped: string,
  cwd: string,
  files: PackReader,
  limits: PackLimits = DEFAULT_LIMITS,
  installed?: string,
): Promise<FoundPersona> {
  const folders = installed === undefined ? [shipped] : [shipped, installed];
  // The whole first: a folder's own name may hold a "#".
  const whole = await locate(wanted, folders, cwd, files);
  const hash = wanted.lastIndexOf("#");
  if (whole !== undefined || hash === -1) {
    return await load(wanted, whole, undefined, folders, files, limits);
  }
  const [pack, name] = [wanted.slice(0, hash), wanted.slice(hash + 1)];
  const path = await locate(pack, folders, cwd, files);
  return await load(pack, path, name, folders, files, limits);
}

type Place = { readonly path: string; readonly isFolder: boolean };

async function locate(
  pack: string,
  folders: readonly string[],
  cwd: string,
  files: PackReader,
): Promise<Place | undefined> {
  if (pack === "" || pack.includes("\0")) return undefined;
  // A name that begins with a dot is none: what is not installed whole yet has such a one.
  const isName = basename(pack) === pack && !pack.startsWith(".");
  const asPath = resolve(cwd, pack);
  for (const path of isName ? [...folders.map((each) => join(each, pack)), asPath] : [asPath]) {
    const facts = await files.stat(path).catch((cause) => {
      const message = `Cannot use ${path}: ${messageOf(cause)}`;
      throw new SkepError("PERSONA_INVALID", message, { path }, { cause });
    });
    if (facts !== undefined) return { path, isFolder: facts.isDirectory };
  }
  return undefined;
}

async function load(
  pack: string,
  place: Place | undefined,
  name: string | undefined,
  folders: readonly string[],
  files: PackReader,
  limits: PackLimits,
): Promise<FoundPersona> {
  if (place === undefined) throw await unknownPack(pack, folders, files);
  if (!place.isFolder) {
    const { pack: alone, problems } = await readLonePersona(place.path, files, limits);
    problems.throwFirst();
    const persona = resolvePersona(alone!.personas[0]!, alone!);
    if (name === undefined || name === persona.name) {
      const serverAt = serverAtOf(alone!.personas[0]!, alone!);
      return { persona, serverAt, ...toldOf(problems.all) };
    }
    throw notFound(`${pack}#${name}`, `that file holds the persona "${persona.name}"`);
  }
  const { pack: loaded, problems } = await loadPack(place.path, files, limits);
  const told = toldOf(problems.all);
  const names = loaded.personas.map((persona) => persona.name);
  const [only, ...others] = loaded.personas;
  if (name === undefined && only !== undefined && others.length === 0) {
    const serverAt = serverAtOf(only, loaded);
    return { persona: resolvePersona(only, loaded), serverAt, ...told };
  }
  const persona = loaded.personas.find((candidate) => candidate.name === name);
  if (persona !== undefined) {
    const serverAt = serverAtOf(persona, loaded);
    return { persona: resolvePersona(persona, loaded), serverAt, ...told };
  }
  const choice = `the pack has ${names.join(", ")}`;
  if (name === undefined) throw notFound(pack, `${choice}: name one, such as ${pack}#${names[0]}`);
  throw notFound(`${pack}#${name}`, choice + didYouMean(name, names));
}

function toldOf(problems: readonly Problem[]): Omit<FoundPersona, "persona" | "serverAt"> {
  const all = problems.map((problem) => ({ problem, text: noticeOf(problem) }));
  const unusable = all.flatMap(({ problem: { severity, server }, text }) =>
    severity === "error" && server !== undefined ? [{ name: server, why: text }] : []
  );
  return { notices: all.map(({ text }) => text), unusable };
}

function noticeOf(problem: Problem): string {
  const { severity, part, reason } = problem;
  const isLeftOut = severity === "error" && part !== undefined;
  return `${isLeftOut ? `${part} is left out. ` : ""}${placeText(problem)}: ${reason}`;
}

async function unknownPack(
  pack: string,
  folders: readonly string[],
  files: PackReader,
): Promise<SkepError<"PERSONA_NOT_FOUND">> {
  const [shipped = [], installed = []] = await Promise.all(
    folders.map((folder) => packsIn(folder, files)),
  );
  const others = installed.length === 0 ? "" : `, the installed ones ${installed.join(", ")}`;
  const reason = `no pack or file lies there, and the shipped ones are ${
    shipped.join(", ")
  }${others}`;
  return notFound(pack, reason + didYouMean(pack, [...shipped, ...installed]));
}

async function packsIn(folder: string, files: PackReader): Promise<string[]> {
  const names: string[] = [];
  if (!(await files.stat(folder))?.isDirectory) return names;
  for (const name of (await files.list(folder)).filter((each) => !each.startsWith("."))) {
    const manifests = [MANIFEST_PATH, PLUGIN_PATH].map((path) =>
      files.stat(join(folder, name, path))
    );
    if ((await Promise.all(manifests)).some((facts) => facts !== undefined)) names.push(name);
  }
  return names;
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? "" : `. Did you mean "${meant}"?`;
}

function notFound(persona: string, reason: string): SkepError<"PERSONA_NOT_FOUND"> {
  const message = `Cannot find the persona "${persona}": ${reason}`;
  return new SkepError("PERSONA_NOT_FOUND", message, { persona });
}
