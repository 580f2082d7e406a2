import type { Host } from "../host/host.ts";
import type { Os } from "../sandbox/paths.ts";
import type { Permissions } from "../sandbox/spec.ts";
import { valueProblems } from "../sandbox/value_problems.ts";
import type { Hooks } from "./hooks.ts";
import { unresolvedIn } from "./interpolate.ts";
import type { Pack } from "./pack.ts";
import type { PersonaFile } from "./persona_file.ts";
import type { At, Problems } from "./problems.ts";
import { REGISTRIES } from "./registries.ts";
import { resolvePersona } from "./resolve.ts";
import { serverAtOf } from "./unresolved.ts";

/** What of the machine decides whether an entry can be used. */
export interface CheckWorld {
  readonly os: Os;
  readonly env: Host["env"];
  /** Names of the runtime's variables that the operator allows. */
  readonly allowed: readonly string[];
}

/**
 * Tells what would keep servers, and scripts of hooks, from starting: entries that nobody can be granted, names
 * that are none of a variable, and a `${NAME}` that can stand for nothing. It warns of one that stands for nothing here, which
 * the operator may allow.
 */
export function checkServers(pack: Pack, problems: Problems, world: CheckWorld): void {
  const check = ({ servers, serverAt }: Pick<Pack, "servers" | "serverAt">) => {
    for (const { name, permissions, env } of servers) {
      const at = (path: string) => serverAt(name, path);
      checkPermissions(permissions, name, (entry) => at(`permissions.${entry}`), problems, world);
      // A variable that is set is one that is asked for, too.
      for (const variable of Object.keys(env)) {
        const asked = { env: [variable] };
        checkPermissions(asked, name, () => at(`env.${variable}`), problems, world);
      }
    }
  };
  check(pack);
  checkHooks(pack.hooks, () => pack.manifest.at("hooks_config"), problems, world);
  for (const persona of pack.personas) {
    const { permissions, at, hooks } = persona;
    const ceilingAt = (entry: string) => at(`permissions.${entry}`);
    check(persona);
    checkPermissions(permissions, "persona", ceilingAt, problems, world);
    checkHooks(hooks, (entry) => at(`hooks.${entry}`), problems, world);
  }
  checkVariables(pack, problems, world);
}

function checkPermissions(
  permissions: Permissions | undefined,
  server: string,
  at: (entry: string) => At,
  problems: Problems,
  { os }: CheckWorld,
): void {
  if (permissions === undefined) return;
  // Which hosts it stands for, the operator says.
  const net = permissions.net?.map((each) => each === REGISTRIES ? "loopback" : each);
  const known = net === undefined ? permissions : { ...permissions, net };
  for (const { entry, error } of valueProblems(known, (list) => ({ server, entry: list }), os)) {
    problems.add({ severity: "error", ...at(entry), reason: error.message });
  }
}

/** @param at Where a field of the hooks stands. */
function checkHooks(
  hooks: Hooks,
  at: PersonaFile["at"],
  problems: Problems,
  world: CheckWorld,
): void {
  for (const [point, { permissions }] of Object.entries(hooks)) {
    const place = (entry: string) => at(`${point}.permissions.${entry}`);
    checkPermissions(permissions, `hook ${point}`, place, problems, world);
  }
}

function checkVariables(pack: Pack, problems: Problems, { allowed, env }: CheckWorld): void {
  const told = new Set<string>();
  for (const own of pack.personas) {
    const persona = resolvePersona(own, pack);
    const serverAt = serverAtOf(own, pack);
    for (const spec of persona.servers) {
      for (const each of unresolvedIn(spec, { persona, allowed, env })) {
        if (each.isMalformed || told.has(each.message)) continue;
        told.add(each.message);
        const severity = each.isOperators ? "warning" : "error";
        problems.add({ severity, ...serverAt(spec.name, each.path), reason: each.message });
      }
    }
  }
}
