import { nameServers } from "../mcp/server_names.ts";
import { packIdProblem } from "../persona/installed_packs.ts";
import type { Pack } from "../persona/pack.ts";
import type { Problems, ServerAt } from "../persona/problems.ts";
import { resolvePersona } from "../persona/resolve.ts";

/**
 * Tells of names that a pack can be read with and that fail it later: an id under which it cannot be installed, servers
 * that are known by another name, personas whose names differ in case alone.
 *
 * @param shipped Names of the packs that ship with skep; none when the pack is one of them.
 */
export function checkNames(pack: Pack, problems: Problems, shipped: readonly string[]): void {
  const { manifest: { id, form, at }, personas } = pack;
  const idAt = at(form === "plugin" ? "name" : "id");
  const isLone = personas.length === 1 && idAt.file === personas[0]!.file;
  const why = isLone || id === "" ? undefined : packIdProblem(id, shipped);
  if (why !== undefined) {
    const reason = `its id ${JSON.stringify(id)} ${why}: it cannot be installed`;
    problems.add({ severity: "error", ...idAt, reason });
  }
  const folded = new Map<string, string>();
  for (const { name, at } of personas) {
    const other = folded.get(name.toLowerCase());
    if (other !== undefined && other !== name) {
      const reason = `the names "${name}" and "${other}" differ in case alone`;
      problems.add({ severity: "warning", ...at("name"), reason });
    }
    folded.set(name.toLowerCase(), name);
  }
  checkServerNames(pack, problems);
}

function checkServerNames(pack: Pack, problems: Problems): void {
  const told = new Set<string>();
  for (const own of pack.personas) {
    const { servers } = resolvePersona(own, pack);
    const known = nameServers(servers);
    for (const [place, { name }] of servers.entries()) {
      const used = known[place]?.name;
      if (used === name) continue;
      const isOwn = own.servers.some((each) => each.name === name);
      const serverAt: ServerAt = isOwn ? own.serverAt : pack.serverAt;
      const reason =
        `the server ${JSON.stringify(name)} is known as "${used}", in its tools' names too: ` +
        "a name is 1 to 128 letters, digits, _ and -, without __, and no other server's";
      const key = `${isOwn ? own.name : ""}\0${reason}`;
      if (told.has(key)) continue;
      told.add(key);
      problems.add({ severity: "warning", ...serverAt(name, "name"), reason });
    }
  }
}
