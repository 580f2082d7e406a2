import type { Limits } from "../limits.ts";
import type { GrantInput } from "./compute_grant.ts";
import type { Cut } from "./grant.ts";
import { LIMIT_NAMES } from "./permissions.ts";
import type { ResourceLimits } from "./spec.ts";

/** The bounds of `lib/limits.ts` that every confined server has. */
export type ServerLimits = Pick<
  Limits,
  "serverMemoryMb" | "serverProcesses" | "serverOpenFiles" | "serverFileMb"
>;

/** A server's resource limits, each with who set it. */
export interface GrantedLimits {
  readonly values: ResourceLimits;
  readonly origins: Readonly<Record<string, string>>;
  readonly cut: readonly Cut[];
}

/** Who set a limit that nobody chose. */
export const DEFAULT_LIMIT_ORIGIN = "default";

/**
 * The resource limits of a server: what it asks for, else, where it is confined, the defaults; then the
 * smaller of that and each ceiling (T66). A server whose entry nobody has accepted gets the defaults at
 * most.
 */
export function grantLimits(
  { asked, bounds, enforcement, rules }: Pick<
    GrantInput,
    "asked" | "bounds" | "enforcement" | "rules"
  >,
  limits: ServerLimits,
): GrantedLimits {
  const { backend } = enforcement;
  const defaults = defaultLimits(limits, backend === "seatbelt");
  const values: Record<string, number> = {};
  const origins: Record<string, string> = {};
  const cut: Cut[] = [];
  for (const name of LIMIT_NAMES) {
    const own = asked.limits[name];
    const first = own ?? (backend === undefined ? undefined : defaults[name]);
    let limit = first === undefined ? undefined : {
      value: first,
      origin: own === undefined ? DEFAULT_LIMIT_ORIGIN : asked.permissionsOrigin,
    };
    const lower = (most: number | undefined, origin: string, reason: string) => {
      if (most === undefined || (limit !== undefined && limit.value <= most)) return;
      if (own !== undefined) cut.push({ list: "limits", value: `${name} ${own}`, reason });
      limit = { value: most, origin };
    };
    if (rules.ceiling.reach === "workspace" && own !== undefined) {
      lower(defaults[name], DEFAULT_LIMIT_ORIGIN, rules.ceiling.reason);
    }
    for (const bound of bounds) {
      const most = bound.limits[name];
      lower(most, bound.origin, `${bound.origin} allows ${most}`);
    }
    if (limit === undefined) continue;
    values[name] = limit.value;
    origins[name] = limit.origin;
  }
  return { values, origins, cut };
}

/**
 * The defaults in the shape of `permissions`. Where nothing can tell a server's processes from the others of the
 * person's a bound would count all of them.
 */
function defaultLimits(limits: ServerLimits, countsAll: boolean): ResourceLimits {
  return {
    memory_mb: limits.serverMemoryMb,
    ...(countsAll ? {} : { processes: limits.serverProcesses }),
    open_files: limits.serverOpenFiles,
    file_mb: limits.serverFileMb,
  };
}
