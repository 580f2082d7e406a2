import type { BackendName } from "./backend.ts";
import { BASE_SET } from "./base_set.ts";
import { cautions } from "./cautions.ts";
import { leaks } from "./enforcement.ts";
import { BASE_ORIGIN, BASE_VARIABLES } from "./environment.ts";
import type { Cut, Entry, SecretEntry } from "./grant.ts";
import { osOf } from "./is_granted.ts";
import type { Launch } from "./launch.ts";
import type { Mount } from "./mounts.ts";
import { networkText } from "./network.ts";
import { maskArguments } from "./mask_arguments.ts";
import { maskText } from "./mask_text.ts";
import { redactor } from "./redact.ts";
import { isWithin } from "./paths.ts";
import { plainWords } from "./plain_words.ts";
import { hostAndPort } from "./remote.ts";
import type { ResourceLimits, SandboxMode } from "./spec.ts";
import { TOOLCHAIN_VARIABLES } from "./toolchains.ts";

/** A variable of a server's environment. */
export interface AuditedVariable {
  readonly name: string;
  /** Why the server has it. */
  readonly reason: string;
  /** Absent for a secret: that it is set is all that is told. */
  readonly value?: string;
}

/** What a person may know of a server before it runs, as data: `audit --json`. */
export interface Audit {
  readonly server: string;
  /** What a person must see first, the gravest first; each the rest of a sentence about the server. */
  readonly dangers: readonly string[];
  /** What it will miss, then what of a grant that holds a person should think about, in the same form and order. */
  readonly cautions: readonly string[];
  /** What it may touch, in plain sentences. */
  readonly summary: readonly string[];
  readonly kind: Launch["kind"];
  /** The host and port of the server that it is the bridge to; absent for all others. */
  readonly remote?: string;
  /** Where the server's entry is written: a file, or a few words such as `session/new`. */
  readonly source: string;
  /** The grant in the shape of `permissions`, each entry with its origin. */
  readonly permissions: {
    readonly read: readonly Entry[];
    readonly write: readonly Entry[];
    readonly net: readonly Entry[];
    readonly run: readonly Entry[];
    readonly env: readonly Entry[];
    readonly sys: readonly Entry[];
    readonly secrets: readonly SecretEntry[];
    readonly limits: ResourceLimits;
    readonly sandbox: SandboxMode;
  };
  /** Who set each limit. */
  readonly limitOrigins: Readonly<Record<string, string>>;
  /** The exact command line: the program, its flags, its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Its private temporary folder, which is removed at its end. */
  readonly tmp: string;
  /** Its private home folder. */
  readonly home: string;
  /** What confines it: a backend, or Deno's flags alone. */
  readonly backend: BackendName | "flags";
  /** What the backend holds besides the grant's lists, in a few words; absent where Deno's flags are all there is. */
  readonly adds?: string;
  /** What it reaches of the network, and what holds it to that, in a few words. */
  readonly network: string;
  /** What the backend shows and hides besides the grant; absent where Deno's flags are all there is. */
  readonly confinement?: AuditedConfinement;
  readonly environment: readonly AuditedVariable[];
  /** What the grant does not hold. */
  readonly unconfined: readonly string[];
  readonly cut: readonly Cut[];
  readonly notices: readonly string[];
}

/** What a backend shows and hides besides the grant, as paths. */
export interface AuditedConfinement {
  /** What programs need to run at all. */
  readonly base: readonly string[];
  /** What the programs on PATH need besides. */
  readonly toolchains: readonly string[];
  /** Below something granted, and never granted itself: shown empty. */
  readonly hidden: readonly string[];
  /** Below something that may be written, and read-only. */
  readonly protected: readonly string[];
}

const OF_ITS_OWN =
  "own view of files, own processes and /tmp (what it writes there goes with it), " +
  "no privileges, fewer system calls";
/** What each backend holds, besides what the grant names. */
const ADDS: Readonly<Record<BackendName, string>> = {
  bwrap: OF_ITS_OWN,
  unshare: OF_ITS_OWN,
  landlock: "its programs' files and connections, no privileges, fewer system calls",
  seatbelt: "its programs' files and connections",
};

/** A launch as it is shown to a person. Values of secrets are in none of it. */
export function auditOf(launch: Launch): Audit {
  const { server, kind, grant, confined } = launch;
  const redact = shower(launch);
  const command = confined?.inner ?? launch.command;
  const facts = {
    kind,
    grant,
    secretNames: launch.secretNames,
    home: command.env.HOME ?? grant.tmp,
    backend: confined?.backend,
    os: osOf(grant),
  };
  const { read, write, net, run, env, sys, secrets, limits, limitOrigins, sandbox } = grant;
  return {
    server,
    dangers: launch.dangers,
    cautions: [...launch.lacks ?? [], ...cautions(facts)],
    summary: plainWords(facts),
    kind,
    ...(launch.remote === undefined ? {} : { remote: hostAndPort(new URL(launch.remote)) }),
    source: grant.source.where,
    permissions: { read, write, net, run, env, sys, secrets, limits, sandbox },
    limitOrigins,
    command: maskArguments([command.program, ...command.args].map(redact)),
    cwd: command.cwd,
    tmp: grant.tmp,
    home: facts.home,
    backend: confined?.backend ?? "flags",
    ...(confined === undefined ? {} : { adds: ADDS[confined.backend] }),
    network: networkText(launch),
    ...(confined === undefined ? {} : { confinement: auditedConfinement(confined) }),
    environment: Object.entries(command.env)
      .map(([name, value]) => audited(name, value, launch, redact)),
    unconfined: [
      ...leaks(kind, grant, confined?.backend),
      ...confined?.unenforced ?? [],
      ...(confined === undefined ? [] : replaceable(confined)),
    ],
    cut: grant.cut.map((each) => ({ ...each, value: redact(each.value) })),
    notices: launch.notices.map(redact),
  };
}

function auditedConfinement(
  { backend, confinement: { mounts }, toolchains }: NonNullable<Launch["confined"]>,
): AuditedConfinement {
  const paths = (type: Mount["type"]) =>
    mounts.filter((mount) => mount.type === type).map(({ path }) => path);
  const writable = paths("write");
  const isProtected = (path: string) =>
    writable.some((folder) => path !== folder && isWithin(path, folder, "linux"));
  return {
    base: mounts.map(({ path }) => path).filter((path) => Object.hasOwn(BASE_SET, path)),
    toolchains,
    hidden: paths("mask"),
    // Landlock lists what is allowed: it takes nothing back below a folder.
    protected: backend === "landlock" ? [] : paths("read").filter(isProtected),
  };
}

/**
 * A mount over a file goes with the file: when a program outside puts another one in its place, as
 * `git config` does, the new one is held no more. Folders are not replaced like that.
 */
function replaceable(
  { backend, confinement: { mounts } }: NonNullable<Launch["confined"]>,
): string[] {
  if (backend !== "bwrap" && backend !== "unshare") return [];
  const writable = mounts.filter(({ type }) => type === "write").map(({ path }) => path);
  const isHeldFile = (mount: Mount) =>
    mount.type === "read" && !mount.isFolder &&
    writable.some((folder) => isWithin(mount.path, folder, "linux"));
  const held = mounts.filter(isHeldFile).map(({ path }) => path);
  if (held.length === 0) return [];
  return [
    "a protected file that another program replaces meanwhile, as git config does, is held no more",
  ];
}

/** Takes out what may be a secret: a variable of the runtime's that stands in a longer text is shown by its name alone. */
function shower({ redact, filled = {} }: Launch): (text: string) => string {
  const values = Object.entries(filled).filter(([, value]) => !/^[/.~]/.test(value));
  const byName = redactor(values);
  return (text) => byName(redact(text));
}

function audited(
  name: string,
  value: string,
  launch: Launch,
  redact: (text: string) => string,
): AuditedVariable {
  const { grant, secretNames } = launch;
  const secret = grant.secrets.find((entry) => entry.value === name);
  if (secret !== undefined) return { name, reason: `secret, ${secret.origin}` };
  const own = grant.env.find((entry) => entry.value === name);
  const isBase = own === undefined || own.origin === BASE_ORIGIN;
  const reason = isBase ? baseReason(name) : own.origin;
  if (secretNames.includes(name)) return { name, reason };
  return { name, reason, value: isBase ? value : maskText(redact(value)) };
}

const REASONS: Readonly<Record<string, string>> = { ...BASE_VARIABLES, ...TOOLCHAIN_VARIABLES };

function baseReason(name: string): string {
  return (Object.hasOwn(REASONS, name) ? REASONS[name] : undefined) ?? "unknown";
}
