import { basename, dirname, join } from "@std/path";
import { messageOf } from "../errors.ts";
import { isDenoScript } from "../sandbox/command.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { type Hooks, readHooks } from "./hooks.ts";
import { jsonFields, type Manifest, parseManifest } from "./manifest.ts";
import {
  type Naming,
  PackFiles,
  type PackLimits,
  type PackReader,
  personaFileBytes,
} from "./pack_files.ts";
import { readPackSkills } from "./pack_skills.ts";
import { parsePersonaFile, type PersonaFile } from "./persona_file.ts";
import { EXTENSION, parsePluginManifest } from "./plugin_manifest.ts";
import { parsePluginServers } from "./plugin_servers.ts";
import { type At, Problems, type ServerAt } from "./problems.ts";
import { readServers } from "./server_file.ts";
import type { SwitchedOff } from "./persona.ts";
import type { Skill } from "./skill.ts";

/** A folder of personas that share instructions, servers, skills and defaults. */
export interface Pack {
  /** Absolute, canonical. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** In the manifest's order, at least one, no name twice. */
  readonly personas: readonly PersonaFile[];
  /** For all of its personas; undefined when there are none. */
  readonly instructions: string | undefined;
  /** For all of its personas. */
  readonly servers: readonly ServerSpec[];
  /** Servers for all of its personas that are switched off. */
  readonly serversOff: readonly SwitchedOff[];
  /** Where a field of one of these servers stands. */
  readonly serverAt: ServerAt;
  /** For all of its personas, where they say nothing else. */
  readonly hooks: Hooks;
  /** By the name of the persona that has them. */
  readonly skills: ReadonlyMap<string, readonly Skill[]>;
}

/** A pack as far as it could be read, and all that is wrong with it. */
export interface ReadPack {
  /** Of use only when `problems` has no error but of parts. */
  readonly pack: Pack | undefined;
  readonly problems: Problems;
}

/** Where a pack has its manifest. */
export const MANIFEST_PATH = ".plugin/plugin.json";
/** Where an agent plugin has it. */
export const PLUGIN_PATH = "plugin.json";
const INSTRUCTIONS_PATH = "instructions.md";
const SERVERS_PATH = ".mcp.json";
const PLUGIN_SERVERS_PATH = "mcp.json";
const PERSONA_ENDING = ".persona.md";
/** The permission bits of which any makes a file a program. */
const EXECUTABLE = 0o111;

type Servers = Pick<Pack, "servers" | "serversOff" | "serverAt">;

/**
 * Loads a pack: its manifest, its personas, and its instructions, servers, hooks and skills if it has any.
 * Every file must lie inside the pack once its links are followed, those that the manifest does not name
 * too. A skill, or an agent plugin's server, that is wrong is left out.
 *
 * @throws {SkepError} `PERSONA_INVALID` with the file at fault, and the line where there is one.
 */
export async function loadPack(
  path: string,
  files: PackReader,
  limits: PackLimits,
): Promise<Required<ReadPack> & { readonly pack: Pack }> {
  const { pack, problems } = await readPack(path, files, limits);
  problems.throwFirst();
  return { pack: pack!, problems };
}

/** Reads a pack and tells all that is wrong with it; throws nothing. */
export async function readPack(
  path: string,
  files: PackReader,
  limits: PackLimits,
): Promise<ReadPack> {
  const problems = new Problems();
  const folder = await files.realPath(path).catch((cause) =>
    void problems.error(path, messageOf(cause), { cause })
  );
  if (folder === undefined) return { pack: undefined, problems };
  const inside = new PackFiles(folder, files, problems);
  const manifest = await readManifest(inside, limits);
  if (manifest === undefined) return { pack: undefined, problems };
  const personas = await readPersonas(manifest, inside, limits);
  const pack: Pack = {
    folder,
    manifest,
    personas,
    instructions: await readInstructions(manifest, inside, limits),
    ...await readPackServers(manifest, inside, limits),
    hooks: await readPackHooks(manifest, inside, limits),
    skills: await readPackSkills(personas, inside, limits, { areSharedGiven: true }),
  };
  await checkNamedFiles(personas, inside);
  return { pack, problems };
}

/** Reads one persona file alone, as a pack that has nothing else. */
export async function readLonePersona(
  path: string,
  files: PackReader,
  limits: PackLimits,
): Promise<ReadPack> {
  const problems = new Problems();
  const file = await files.realPath(path).catch((cause) =>
    void problems.error(path, messageOf(cause), { cause })
  );
  if (file === undefined) return { pack: undefined, problems };
  const inside = new PackFiles(dirname(file), files, problems);
  const found = await inside.namedText(basename(file), personaFileBytes(limits), () => ({ file }));
  const persona = found && parsePersonaFile(found.text, file, limits, problems);
  if (persona === undefined) return { pack: undefined, problems };
  await checkNamedFiles([persona], inside);
  const { name, version = "" } = persona;
  const skills = await readPackSkills([persona], inside, limits, { areSharedGiven: false });
  const { at } = persona;
  const manifest: Manifest = { form: "pack", id: name, name, version, defaults: {}, at };
  const alone = { instructions: undefined, ...noServers(file), hooks: {} };
  return {
    pack: { folder: inside.folder, manifest, personas: [persona], skills, ...alone },
    problems,
  };
}

async function readManifest(inside: PackFiles, limits: PackLimits): Promise<Manifest | undefined> {
  const { problems } = inside;
  const before = problems.all.length;
  const own = await inside.text(MANIFEST_PATH, limits.maxConfigFileBytes);
  if (own !== undefined) return parseManifest(own.text, own.file, problems);
  const plugin = await inside.text(PLUGIN_PATH, limits.maxConfigFileBytes);
  if (plugin !== undefined) return parsePluginManifest(plugin.text, plugin.file, problems);
  if (problems.all.length === before) {
    const reason = `there is no such file in the pack, and no ${PLUGIN_PATH} either`;
    problems.error(join(inside.folder, MANIFEST_PATH), reason);
  }
  return undefined;
}

async function readPersonas(
  manifest: Manifest,
  inside: PackFiles,
  limits: PackLimits,
): Promise<readonly PersonaFile[]> {
  const { problems } = inside;
  const named = manifest.personas ?? await pluginPersonas(inside);
  const personas: PersonaFile[] = [];
  const files = new Set<string>();
  const seen = new Map<string, string>();
  for (const [place, path] of named.entries()) {
    const by = () => manifest.at(`personas[${place}]`);
    const found = await inside.namedText(path, personaFileBytes(limits), by);
    if (found !== undefined && files.has(found.file)) {
      problems.add({ severity: "error", ...by(), reason: `the persona "${path}" is there twice` });
      continue;
    }
    if (found !== undefined) files.add(found.file);
    const persona = found && parsePersonaFile(found.text, found.file, limits, problems);
    if (persona === undefined) continue;
    const other = seen.get(persona.name);
    if (persona.name !== "" && other !== undefined) {
      const reason = `the name "${persona.name}" is taken by ${other}`;
      problems.add({ severity: "error", ...persona.at("name"), reason });
    }
    seen.set(persona.name, persona.file);
    personas.push(persona);
  }
  if (named.length === 0) {
    if (manifest.form === "plugin") return [personaOf(manifest)];
    const reason = "the pack has no personas";
    problems.add({ severity: "error", ...manifest.at("personas"), reason });
  }
  return personas;
}

/** The persona files in skep's own folder of an agent plugin. */
async function pluginPersonas({ folder, files }: PackFiles): Promise<readonly string[]> {
  const path = join(folder, EXTENSION);
  if (!(await files.stat(path))?.isDirectory) return [];
  const names = await files.list(path);
  return names.filter((name) => name.endsWith(PERSONA_ENDING)).map((name) =>
    `${EXTENSION}/${name}`
  );
}

/** An agent plugin that knows nothing of personas is one: somebody who has its skills and servers. */
function personaOf({ name, description, at }: Manifest): PersonaFile {
  const what = description === undefined ? "" : ` It is for this: ${description}`;
  return {
    file: at("name").file,
    at,
    serverAt: at,
    name: name.replaceAll(".", "-"),
    displayName: name,
    description: description ?? `The plugin ${name}`,
    skills: [],
    servers: [],
    serversOff: [],
    hooks: {},
    env: {},
    secrets: {},
    limits: {},
    own: {},
    body: `You help one person with the skills and tools of the plugin "${name}".${what}`,
  };
}

async function readInstructions(
  { packInstructions, at }: Manifest,
  inside: PackFiles,
  { maxPersonaBodyBytes }: PackLimits,
): Promise<string | undefined> {
  const found = packInstructions === undefined
    ? await inside.text(INSTRUCTIONS_PATH, maxPersonaBodyBytes)
    : await inside.namedText(packInstructions, maxPersonaBodyBytes, () => at("pack_instructions"));
  return found?.text;
}

async function readPackServers(
  { form, mcpConfig, at }: Manifest,
  inside: PackFiles,
  { maxConfigFileBytes }: PackLimits,
): Promise<Servers> {
  const { problems, folder } = inside;
  if (form === "plugin") {
    const found = await inside.text(PLUGIN_SERVERS_PATH, maxConfigFileBytes);
    if (found === undefined) return noServers(folder);
    const { specs, at } = parsePluginServers(found.text, found.file, folder, problems);
    return { servers: specs, serversOff: [], serverAt: at };
  }
  const found = mcpConfig === undefined
    ? await inside.text(SERVERS_PATH, maxConfigFileBytes)
    : await inside.namedText(mcpConfig, maxConfigFileBytes, () => at("mcp_config"));
  if (found === undefined) return noServers(folder);
  const { text, file } = found;
  const parsed = readServers(text, file, { kind: "pack", where: file }, problems);
  for (const { problems: own } of parsed?.refused ?? []) {
    for (const each of own.all) problems.add(each);
  }
  for (const note of parsed?.notes ?? []) problems.add(note);
  if (parsed === undefined) return noServers(file);
  const serversOff = parsed.off.map((name) => ({ name, where: file }));
  return { servers: parsed.specs, serversOff, serverAt: parsed.at };
}

function noServers(file: string): Servers {
  return { servers: [], serversOff: [], serverAt: () => ({ file }) };
}

/** A script that Deno does not run must be a program. */
async function checkScript(script: string, by: Naming, inside: PackFiles): Promise<void> {
  const path = await inside.existing(script, by);
  if (path === undefined || isDenoScript(script)) return;
  const { mode } = await inside.files.stat(path) ?? {};
  if (mode === undefined || (mode & EXECUTABLE) !== 0) return;
  const reason =
    "it is a hook, and no program: chmod +x it, or write it in TypeScript or JavaScript";
  inside.problems.error(path, reason);
}

async function readPackHooks(
  { hooksConfig, at }: Manifest,
  inside: PackFiles,
  { maxConfigFileBytes }: PackLimits,
): Promise<Hooks> {
  if (hooksConfig === undefined) return {};
  const found = await inside.namedText(hooksConfig, maxConfigFileBytes, () => at("hooks_config"));
  const fields = found && jsonFields(found.text, found.file, inside.problems);
  if (fields === undefined) return {};
  const hooks = readHooks(fields);
  await checkScripts(hooks, (path) => fields.at(path), inside);
  return hooks;
}

/** Scripts and avatars that personas name must be there. */
async function checkNamedFiles(
  personas: readonly PersonaFile[],
  inside: PackFiles,
): Promise<void> {
  for (const { hooks, avatar, at } of personas) {
    await checkScripts(hooks, (path) => at(`hooks.${path}`), inside);
    if (avatar !== undefined && !/^https?:\/\//.test(avatar)) {
      await inside.existing(avatar, () => at("avatar"));
    }
  }
}

/** @param at Where a point's field stands. */
async function checkScripts(
  hooks: Hooks,
  at: (path: string) => At,
  inside: PackFiles,
): Promise<void> {
  for (const [point, { script }] of Object.entries(hooks)) {
    if (script === "") continue; // that was told
    await checkScript(script, () => at(`${point}.script`), inside);
  }
}
