import { isWholeWorkspace } from "./added_folders.ts";
import type { ServerCommand } from "./command.ts";
import type { GrantPlace } from "./grant_invalid.ts";
import type { PathRules } from "./path_rules.ts";
import { canonicalPath } from "./paths.ts";
import type { Policy, ServerPolicy } from "./policy.ts";
import type { Permissions, ResourceLimits, SandboxMode, ServerSpec } from "./spec.ts";
import { expandVariables } from "./variables.ts";

/** What a policy allows one server at most, resolved for it. An absent list limits nothing. */
export interface Bound {
  /** The policy, as an entry's origin. */
  readonly origin: string;
  /** Canonical. What may be written may be read. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly net?: readonly string[];
  /** As written: names, or absolute paths. */
  readonly run?: readonly string[];
  readonly env?: readonly string[];
  readonly sys?: readonly string[];
  /** Sources, such as `env:GH_TOKEN`. */
  readonly secrets?: readonly string[];
  readonly limits: ResourceLimits;
  readonly sandbox?: SandboxMode;
}

/** What a policy says about a server: under its name, then under its package. */
export function serverPolicies(
  policy: Policy | undefined,
  name: string,
  command: ServerCommand,
): ServerPolicy[] {
  const keys = command.kind === "npm" ? [name, `npm:${command.package}`] : [name];
  return keys.flatMap((key) =>
    policy !== undefined && Object.hasOwn(policy.servers, key) ? [policy.servers[key]!] : []
  );
}

/** The ceilings of a policy for a server alone; also those under the name that it was configured with, which only narrow. */
export function serverCeilings(
  policy: Policy | undefined,
  { name, configuredName }: Pick<ServerSpec, "name" | "configuredName">,
  command: ServerCommand,
): Permissions[] {
  const renamed = policy !== undefined && configuredName !== undefined &&
      Object.hasOwn(policy.servers, configuredName)
    ? policy.servers[configuredName]
    : undefined;
  return [...serverPolicies(policy, name, command), ...(renamed === undefined ? [] : [renamed])]
    .flatMap(({ permissions }) => permissions ?? []);
}

/** What the paths of a policy are read by. */
type BoundRules = Pick<PathRules, "variables" | "files" | "addedFolders">;

/** The ceilings of a policy for one server: that of all servers, then its own. Each of them holds. */
export async function policyBounds(
  policy: Policy | undefined,
  server: Pick<ServerSpec, "name" | "configuredName">,
  command: ServerCommand,
  rules: BoundRules,
): Promise<Bound[]> {
  if (policy === undefined) return [];
  const own = serverCeilings(policy, server, command);
  return await Promise.all(
    [policy.permissions, ...own].filter((each) => each !== undefined)
      .map((permissions) => boundOf(permissions, policy.file, rules)),
  );
}

/** The ceiling that a persona sets to all its servers; none when it sets none. */
export async function personaBounds(
  { ceiling }: Pick<ServerSpec, "ceiling">,
  rules: BoundRules,
): Promise<Bound[]> {
  if (ceiling === undefined) return [];
  const { permissions, file } = ceiling;
  return [{ ...await boundOf(permissions, file, rules), origin: `persona ${file}` }];
}

async function boundOf(
  { read, write, secrets, limits = {}, ...names }: Permissions,
  file: string,
  rules: BoundRules,
): Promise<Bound> {
  const { TMP, HOME } = rules.variables;
  // A server's private folders are its own, whatever the policy lists.
  const paths = async (list: "read" | "write", entries: readonly string[]) => [
    ...await resolved(entries, { server: "", entry: list, policy: file }, rules),
    TMP,
    HOME,
  ];
  return {
    ...names,
    origin: policyOrigin(file),
    ...(read === undefined ? {} : { read: await paths("read", [...read, ...write ?? []]) }),
    ...(write === undefined ? {} : { write: await paths("write", write) }),
    ...(secrets === undefined ? {} : { secrets: Object.values(secrets) }),
    limits,
  };
}

/** A policy as the origin of an entry. */
export function policyOrigin(file: string): string {
  return `policy ${file}`;
}

async function resolved(
  entries: readonly string[],
  at: GrantPlace,
  { variables, files, addedFolders }: BoundRules,
): Promise<string[]> {
  // A server that comes from no pack has nothing of one.
  const usable = entries.filter((each) =>
    variables.PACK !== undefined || !each.includes("${PACK}")
  );
  const paths = await Promise.all(
    usable.map((each) => canonicalPath(expandVariables(each, variables, at), { files })),
  );
  return usable.some(isWholeWorkspace) ? [...paths, ...addedFolders ?? []] : paths;
}
