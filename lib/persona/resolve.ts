import type { ServerSpec } from "../sandbox/spec.ts";
import { mergeDefaults, originsOf } from "./defaults.ts";
import type { Pack } from "./pack.ts";
import type { Persona } from "./persona.ts";
import type { PersonaFile } from "./persona_file.ts";
import { withoutAbsent } from "./without_absent.ts";

/** What a pack gives to each of its personas. */
export type Shared =
  & Pick<Pack, "folder" | "instructions" | "servers" | "serversOff" | "hooks" | "skills">
  & {
    readonly manifest: Pick<Pack["manifest"], "version" | "defaults">;
  };

/**
 * Merges a pack into one of its personas: defaults under the persona's own settings, the instructions
 * beside its text, hooks under its own, and the shared servers before its own, of which one of the same
 * name replaces the shared one whole, and one that is switched off takes it away.
 */
export function resolvePersona(persona: PersonaFile, pack: Shared): Persona {
  const settings = mergeDefaults(persona.own, pack.manifest.defaults);
  const team = pack.instructions?.trim() ?? "";
  const { version = "" } = pack.manifest;
  return {
    name: persona.name,
    displayName: persona.displayName,
    description: persona.description,
    pack: pack.folder,
    file: persona.file,
    prompt: persona.body.trim(),
    ...mergeServers(pack, persona),
    skills: pack.skills.get(persona.name) ?? [],
    hooks: { ...pack.hooks, ...persona.hooks },
    env: persona.env,
    secrets: persona.secrets,
    limits: persona.limits,
    hints: persona.hints ?? true,
    settings,
    origins: originsOf(persona.own, pack.manifest.defaults),
    ...withoutAbsent({
      team: team === "" ? undefined : team,
      model: settings.model,
      avatar: persona.avatar,
      version: persona.version ?? (version === "" ? undefined : version),
      permissions: persona.permissions,
      approvals: persona.approvals,
      runtime: persona.runtime,
    }),
  };
}

/** The server under the persona's ceiling. */
function under(spec: ServerSpec, { permissions, file }: PersonaFile): ServerSpec {
  return permissions === undefined ? spec : { ...spec, ceiling: { permissions, file } };
}

function mergeServers(
  shared: Pick<Pack, "servers" | "serversOff">,
  own: PersonaFile,
): Pick<Persona, "servers" | "serversOff"> {
  const all = [
    ...shared.servers.filter(({ name }) => !own.serversOff.includes(name)),
    ...own.servers,
  ];
  // A Map keeps a replaced entry at its first place.
  const servers = new Map(all.map((spec) => [spec.name, under(spec, own)]));
  const off = [...shared.serversOff, ...own.serversOff.map((name) => ({ name, where: own.file }))];
  return {
    servers: [...servers.values()],
    serversOff: [...new Map(off.map((each) => [each.name, each])).values()]
      .filter(({ name }) => !servers.has(name)),
  };
}
