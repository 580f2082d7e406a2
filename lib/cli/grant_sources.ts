import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import { HOOK_POINTS } from "../persona/hooks.ts";
import type { ContentLimits } from "../persona/pack_content.ts";
import type { Persona } from "../persona/persona.ts";
import { scriptDigest } from "../persona/script_digest.ts";
import { type GrantRequest, grantRequest } from "../sandbox/accept/grant_request.ts";
import { valueDigest } from "../sandbox/accept/value_digest.ts";
import { ceilingOf } from "../sandbox/ceiling.ts";
import { canonicalPath, relativeTo } from "../sandbox/paths.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { hookSpec } from "../persona/hook_spec.ts";

/** A file that lists servers, and what they ask for. */
export interface GrantSource {
  readonly kind: "pack" | "file";
  /** Canonical path of the persona's file, or of the server file. */
  readonly file: string;
  /** The folder that it belongs to, canonical: the pack's, or the file's own. */
  readonly folder: string;
  /** What a person knows it by. */
  readonly title: string;
  /** The servers, and of a pack the scripts, in the order they are listed. */
  readonly requests: readonly GrantRequest[];
  /** True for what ships with skep, and for what the person named and nobody else can write. */
  readonly isTrusted: boolean;
}

/** Whose servers they are, when a pack's. */
interface Owner {
  /** Canonical. */
  readonly pack: string;
  readonly persona: Pick<Persona, "env" | "secrets">;
}

/** What {@linkcode grantSources} looks at. */
export interface SourceWorld {
  readonly host: Pick<Host, "files" | "platform">;
  readonly limits: ContentLimits;
  /** skep's own folder, whose `personas` ship with it. */
  readonly root: string;
  /** Canonical. */
  readonly workspace: string;
}

/**
 * The files that list the servers of a run, with what each server asks for. An entry that cannot be used
 * is left out: its server does not start either, and the reason is told then.
 *
 * @param files The specs of each server file by its path, as they were read: nothing filled in.
 */
export async function grantSources(
  persona: Persona,
  files: ReadonlyMap<string, readonly ServerSpec[]>,
  world: SourceWorld,
): Promise<GrantSource[]> {
  const pack = await world.host.files.realPath(persona.pack);
  const own = await source(
    { kind: "pack", path: persona.file, folder: pack, title: `persona ${persona.name} of ${pack}` },
    persona.servers,
    { pack, persona },
    world,
  );
  const hooks = await scriptRequests(persona, pack, world);
  const others = [...files].map(([path, specs]) =>
    source({ kind: "file", path, folder: join(path, ".."), title: path }, specs, undefined, world)
  );
  const all = { ...own, requests: [...own.requests, ...hooks] };
  return [all, ...await Promise.all(others)];
}

/** What a pack's scripts ask for. They run by themselves, so what they hold is a part of it. */
async function scriptRequests(
  persona: Persona,
  pack: string,
  { host, limits }: SourceWorld,
): Promise<GrantRequest[]> {
  const found: GrantRequest[] = [];
  for (const point of HOOK_POINTS) {
    const spec = hookSpec(point, persona);
    const [request] = spec === undefined ? [] : await requestsOf([spec], { pack, persona }, host);
    if (request === undefined) continue;
    const script = await scriptDigest(pack, persona.hooks[point]!.script, host.files, limits);
    found.push({ ...request, script });
  }
  return found;
}

async function source(
  { kind, path, folder, title }: Pick<GrantSource, "kind" | "folder" | "title"> & { path: string },
  specs: readonly ServerSpec[],
  owner: Owner | undefined,
  { host, root, workspace }: SourceWorld,
): Promise<GrantSource> {
  const { files } = host;
  const programRoot = await files.realPath(root);
  const context = {
    host: host as Parameters<typeof ceilingOf>[1]["host"],
    workspace,
    programRoot,
    ...(owner === undefined ? {} : { pack: owner.pack }),
  };
  const origin = { kind, where: path };
  const { reach } = await ceilingOf({ command: "", args: [], env: {}, origin }, context);
  return {
    kind,
    file: await files.realPath(path),
    folder: await files.realPath(folder),
    title,
    requests: await requestsOf(specs, owner, host),
    isTrusted: reach === "any",
  };
}

async function requestsOf(
  specs: readonly ServerSpec[],
  owner: Owner | undefined,
  host: SourceWorld["host"],
): Promise<GrantRequest[]> {
  const requests: GrantRequest[] = [];
  for (const spec of specs) {
    try {
      const request = grantRequest(spec, host.platform.os);
      const values = await valuesOf(spec, owner?.persona);
      requests.push(await withPackPaths({ ...request, ...values }, owner?.pack, host));
    } catch {
      // Its server is refused for the same reason, in words.
    }
  }
  return requests;
}

/**
 * Digests of what its entry sets variables to, and of what `${NAME}` in it stands for in its persona: other values may
 * be other code, and are nobody else's to read.
 */
async function valuesOf(
  { name, command, args, env }: ServerSpec,
  persona: Owner["persona"] | undefined,
): Promise<Pick<GrantRequest, "values">> {
  const text = JSON.stringify([command, args, env]);
  const named = Object.entries({ ...persona?.env, ...persona?.secrets })
    .filter(([each]) => ["", "env:"].some((by) => text.includes(`\${${by}${each}`)))
    .map(([each, value]) => [`\${${each}}`, value] as const);
  const digests = await Promise.all(
    [...Object.entries(env), ...named].sort(([a], [b]) => a < b ? -1 : 1)
      .map(async ([each, value]) => [each, await valueDigest(`${name} ${each}`, value)] as const),
  );
  return digests.length === 0 ? {} : { values: Object.fromEntries(digests) };
}

/** A path of the pack's that leads out of it by a link is written as where it leads; its own as `${PACK}`. */
async function withPackPaths(
  request: GrantRequest,
  pack: string | undefined,
  { files, platform }: SourceWorld["host"],
): Promise<GrantRequest> {
  if (pack === undefined) return request;
  const { os } = platform;
  const resolve = async (path: string) => {
    const below = /^\$\{PACK\}(?=$|[\\/])(.*)$/s.exec(path)?.[1];
    if (below === undefined) return path;
    const real = await canonicalPath(join(pack, below), { files });
    return relativeTo(real, pack, os) === undefined ? real : path;
  };
  const inPack = (word: string) => {
    const below = relativeTo(word, pack, os);
    return below === undefined || below === "" ? word : `\${PACK}/${below}`;
  };
  return {
    ...request,
    command: request.command.map(inPack),
    read: await Promise.all(request.read.map(resolve)),
    write: await Promise.all(request.write.map(resolve)),
  };
}
