import { approvalProblems } from "../approval/parse_approvals.ts";
import { messageOf } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Permissions, ServerSpec } from "../sandbox/spec.ts";
import { DEFAULT_FIELDS, type Defaults, readDefaults } from "./defaults.ts";
import type { Fields } from "./fields.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { type Hooks, readHooks } from "./hooks.ts";
import type { At, Problems, ServerAt } from "./problems.ts";
import { readPersonaLimits } from "./persona_limits.ts";
import {
  checkReferences,
  readPermissions,
  readServerEntry,
  SERVER_FIELDS,
} from "./server_entry.ts";
import { withoutAbsent } from "./without_absent.ts";

/** A `*.persona.md` file by itself, before its pack's part is merged in. */
export interface PersonaFile {
  /** Absolute path of the file. */
  readonly file: string;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly avatar?: string;
  readonly version?: string;
  readonly author?: string;
  /** The agent program that should play it, such as `goose`. */
  readonly runtime?: string;
  /** Folders of skills, as written, relative to the pack. */
  readonly skills: readonly string[];
  readonly servers: readonly ServerSpec[];
  /** Names of servers that it switches off: those of its own, and those of its pack. */
  readonly serversOff: readonly string[];
  readonly hooks: Hooks;
  /** The most that anything it starts may be granted. */
  readonly permissions?: Permissions;
  /** Rules about calls that a person decides, as written: the turn reads them. */
  readonly approvals?: unknown;
  /** What `${NAME}` stands for in its servers' arguments and variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Sources of what must not be written down; `${NAME}` in a server's `env` asks for one. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Bounds of the program that it lowers for itself. */
  readonly limits: Partial<Limits>;
  /** Whether the workspace's AGENTS.md files and skills are read; absent: they are. */
  readonly hints?: boolean;
  readonly own: Defaults;
  /** The Markdown after the frontmatter. */
  readonly body: string;
  /** Where one of its fields stands, by its path, such as `skills[0]`. */
  readonly at: (path: string) => At;
  /** Where a field of one of its servers stands. */
  readonly serverAt: ServerAt;
}

const FIELDS: readonly string[] = [
  "name",
  "display_name",
  "description",
  "avatar",
  "version",
  "author",
  "skills",
  "mcp_servers",
  "runtime",
  "hooks",
  "permissions",
  "approvals",
  "env",
  "secrets",
  "limits",
  "hints",
  ...DEFAULT_FIELDS,
];
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads a persona file. A field that it does not know is an error, so that a typo is not a silent loss.
 *
 * @returns undefined when there is no frontmatter to read; `problems` are told of that and all else.
 */
export function parsePersonaFile(
  text: string,
  file: string,
  limits: Limits,
  problems: Problems,
): PersonaFile | undefined {
  const parsed = parseFrontmatter(text, file, limits, problems);
  if (parsed === undefined) return undefined;
  const { fields, body } = parsed;
  fields.checkKeys(FIELDS);
  const hooks = fields.fields("hooks");
  return {
    file,
    name: readName(fields),
    displayName: fields.requiredText("display_name"),
    description: fields.requiredText("description"),
    skills: fields.texts("skills") ?? [],
    ...readServers(fields, file),
    hooks: hooks === undefined ? {} : readHooks(hooks),
    env: readOwnVariables(fields),
    secrets: readSecrets(fields),
    limits: readPersonaLimits(fields, limits),
    own: readDefaults(fields),
    body,
    at: (path) => fields.at(path),
    ...withoutAbsent({
      avatar: fields.text("avatar"),
      version: fields.text("version"),
      author: fields.text("author"),
      runtime: fields.text("runtime"),
      permissions: readPermissions(fields, "permissions", "persona"),
      approvals: readApprovals(fields, file),
      hints: fields.flag("hints"),
    }),
  };
}

function readName(fields: Fields): string {
  const given = fields.requiredText("name");
  if (given === "") return given;
  if (!NAME.test(given)) {
    const wanted = "1 to 64 of the letters A-Z and a-z, digits, _ and -";
    fields.error("name", `"name" must be ${wanted}, not ${JSON.stringify(given)}`);
  } else if (given !== given.toLowerCase()) {
    fields.warn("name", `"name" should be lower case, not ${JSON.stringify(given)}`);
  }
  return given;
}

function readServers(
  fields: Fields,
  file: string,
): Pick<PersonaFile, "servers" | "serversOff" | "serverAt"> {
  const servers = new Map<string, ServerSpec>();
  const entries = new Map<string, Fields>();
  const off: string[] = [];
  for (const entry of fields.list("mcp_servers") ?? []) {
    entry.checkKeys(["name", ...SERVER_FIELDS]);
    const name = entry.requiredText("name");
    const spec = readServerEntry(name, entry, { kind: "pack", where: file });
    if (name !== "" && spec !== undefined && servers.has(name)) {
      entry.error("name", `there is a server "${name}" already: one would hide the other`);
    }
    if (spec === undefined) off.push(name);
    else {
      checkReferences(entry, spec);
      servers.set(name, spec);
      entries.set(name, entry);
    }
  }
  return {
    servers: [...servers.values()],
    serversOff: off.filter((name) => !servers.has(name)),
    serverAt: (name, path) => entries.get(name)?.at(path) ?? fields.at("mcp_servers"),
  };
}

/** As written; what reads it is asked whether it could. */
function readApprovals(fields: Fields, file: string): unknown {
  const value = fields.raw("approvals");
  const rules = Array.isArray(value) ? "approvals" : "approvals.rules";
  for (const { index, error } of approvalProblems(value, file)) {
    fields.error(index < 0 ? "approvals" : `${rules}[${index}]`, messageOf(error), error);
  }
  return value;
}

function readVariables(fields: Fields, key: string): Readonly<Record<string, string>> {
  const values = fields.textsByName(key) ?? {};
  for (const name of Object.keys(values)) {
    if (!VARIABLE.test(name)) {
      const reason = `${JSON.stringify(name)} in "${key}" is no name for a variable`;
      fields.fields(key)?.error(name, reason);
    }
  }
  return values;
}

/** What it sets itself, as text: nothing is filled in there. */
function readOwnVariables(fields: Fields): Readonly<Record<string, string>> {
  const values = readVariables(fields, "env");
  const inner = fields.fields("env");
  for (const [name, value] of Object.entries(values)) {
    if (/\$\{/.test(value)) {
      inner?.warn(name, `"env.${name}" is taken as it is: the \${ in it stands for nothing`);
    }
  }
  return values;
}

function readSecrets(fields: Fields): Readonly<Record<string, string>> {
  const secrets = readVariables(fields, "secrets");
  const others = fields.raw("env") ?? {};
  for (const [name, source] of Object.entries(secrets)) {
    if (Object.hasOwn(others, name)) {
      fields.fields("secrets")?.error(name, `"${name}" is in "env" too: one would hide the other`);
    }
    if (/^(env:.|file:[/\\]|file:[A-Za-z]:[/\\])/.test(source)) continue;
    // It may be the secret itself.
    const reason = `"secrets.${name}" must be env:NAME or file:/path, not a text of ` +
      `${source.length} characters, which is not shown here`;
    fields.fields("secrets")?.error(name, reason);
  }
  return secrets;
}
