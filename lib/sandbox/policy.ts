import { parse } from "@std/yaml";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { nearest } from "../suggest.ts";
import { BACKEND_NAMES, type BackendName } from "./backend.ts";
import { grantInvalid, type GrantPlace } from "./grant_invalid.ts";
import { isAbsolutePath, type Os } from "./paths.ts";
import { mappingOf, oneOf, parsePermissions, sandboxMode, textsOf } from "./permissions.ts";
import { PROTECTED_FILES, PROTECTED_GROUPS } from "./protected_names.ts";
import type { Permissions, SandboxMode } from "./spec.ts";
import { valueProblems } from "./value_problems.ts";

/**
 * What the operator says about servers, from `policy.yaml`. `permissions` are ceilings: they cut what a
 * server asks for and never add to it; a list that is absent limits nothing, one that is empty allows
 * nothing.
 */
export interface Policy {
  /** Absolute path of the file. */
  readonly file: string;
  /** The ceiling of every server. */
  readonly permissions: Permissions;
  /** By a server's name, or by its package as `npm:NAME`. */
  readonly servers: Readonly<Record<string, ServerPolicy>>;
  readonly sandbox: {
    /** `require`: of every server. `prefer`: of none that does not ask for it. `off`: of none at all. */
    readonly mode?: SandboxMode;
    readonly backend?: "auto" | BackendName;
  };
  /** What stays protected in a writable workspace; absent: everything that is by default. */
  readonly protect?: readonly string[];
  /** Rules on calls, and what hooks may do, as YAML gave them: a session reads them. */
  readonly approvals?: unknown;
  readonly hooks?: unknown;
}

/** What a policy says about one server. */
export interface ServerPolicy {
  /** Its ceiling, besides that of every server. */
  readonly permissions?: Permissions;
  /** What it asks for when its owner declares nothing, in place of what skep knows of it. */
  readonly profile?: Permissions;
}

const KEYS = ["permissions", "servers", "sandbox", "protect", "approvals", "hooks"];
const BACKENDS = ["auto", ...BACKEND_NAMES] as const;
const PACKAGE_KEY = /^npm:(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;

/**
 * Reads a policy file.
 *
 * @throws {SkepError} `CONFIG_INVALID` when it is missing or malformed, with file, key, value, what was
 * wanted, and the nearest key.
 */
export async function readPolicy(
  file: string,
  { files, platform }: Pick<Host, "files" | "platform">,
  { maxConfigFileBytes }: { readonly maxConfigFileBytes: number },
): Promise<Policy> {
  try {
    return parsePolicy(await files.readText(file, maxConfigFileBytes), file, platform.os);
  } catch (cause) {
    if (cause instanceof SkepError) throw cause;
    const message = `Cannot use the policy ${file}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source: file }, { cause });
  }
}

/**
 * Reads the text of such a file.
 *
 * @throws {SkepError} `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * import { parsePolicy } from "./policy.ts";
 *
 * const text = `
 * permissions:                        # the most that any server may have
 *   net: ["*.example.org:443"]
 *   limits: { memory_mb: 1024 }
 * servers:
 *   dev:
 *     permissions: { run: [bash, git] } # the most that this one may have
 *   "npm:@scope/server":
 *     profile: { net: ["api.example.org:443"] } # what it gets when its owner says nothing
 * sandbox: { mode: require, backend: auto }
 * protect: [.git/hooks, .git/config]  # of a writable workspace; all the rest is not protected then
 * `;
 * const policy = parsePolicy(text, "/etc/skep/policy.yaml", "linux");
 * if (policy.sandbox.mode !== "require") throw new Error("the mode was lost");
 * ```
 */
export function parsePolicy(text: string, file: string, os: Os): Policy {
  const at = (entry: string): GrantPlace => ({ server: "", entry, policy: file });
  const top = mappingOf(parseYaml(text, file) ?? {}, at("the file"), KEYS);
  const permissions = (value: unknown, key: string): Permissions => {
    const parsed = parsePermissions(value, { file, key });
    const [first] = valueProblems(parsed, (list) => at(`${key}.${list}`), os);
    if (first !== undefined) throw first.error;
    return parsed;
  };
  const servers = Object.entries(mappingOf(top.servers ?? {}, at("servers")))
    .map(([name, value]): [string, ServerPolicy] => {
      const key = `servers.${name}`;
      if (name.startsWith("npm:") && !PACKAGE_KEY.test(name)) {
        throw grantInvalid(at("servers"), name, "a package is npm:NAME, without a version");
      }
      const fields = mappingOf(value, at(key), ["permissions", "profile"]);
      const read = Object.entries(fields)
        .map(([field, each]) => [field, permissions(each, `${key}.${field}`)]);
      return [name, Object.fromEntries(read)];
    });
  return {
    file,
    permissions: permissions(top.permissions ?? {}, "permissions"),
    servers: Object.fromEntries(servers),
    sandbox: sandboxOf(top.sandbox ?? {}, at),
    ...(top.protect === undefined ? {} : { protect: protectOf(top.protect, at("protect"), os) }),
    ...(top.approvals === undefined ? {} : { approvals: top.approvals }),
    ...(top.hooks === undefined ? {} : { hooks: top.hooks }),
  };
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { schema: "core" });
  } catch (cause) {
    const [why] = messageOf(cause).split("\n");
    const message = `Cannot use the policy ${file}: it is not YAML: ${why}`;
    throw new SkepError("CONFIG_INVALID", message, { source: file }, { cause });
  }
}

function sandboxOf(value: unknown, at: (entry: string) => GrantPlace): Policy["sandbox"] {
  const { mode, backend } = mappingOf(value, at("sandbox"), ["mode", "backend"]);
  return {
    ...(mode === undefined ? {} : { mode: sandboxMode(mode, at("sandbox.mode")) }),
    ...(backend === undefined ? {} : { backend: oneOf(backend, BACKENDS, at("sandbox.backend")) }),
  };
}

/** Names of the table, of skep's own, or other paths of the workspace; a near miss of a name is a mistake. */
function protectOf(value: unknown, at: GrantPlace, os: Os): string[] {
  const known = [...Object.keys(PROTECTED_FILES), ...Object.keys(PROTECTED_GROUPS)];
  return textsOf(value, at).map((name) => {
    if (known.includes(name)) return name;
    const near = nearest(name, known);
    if (near !== undefined) throw grantInvalid(at, name, `did you mean "${near}"?`);
    const isInside = !isAbsolutePath(name, os) && !name.includes("${") &&
      !name.split(/[\\/]/).some((part) => part === "" || part === "." || part === "..");
    if (isInside) return name;
    throw grantInvalid(at, name, `a path below the workspace, or one of ${known.join(", ")}`);
  });
}
