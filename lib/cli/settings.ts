import { join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type Limits, readLimits } from "../limits.ts";
import type { Invocation } from "./flags.ts";
import { BACKEND_NAMES, type BackendName } from "../sandbox/backend.ts";
import { type Policy, readPolicy } from "../sandbox/policy.ts";
import { checkFolders } from "./folder_problem.ts";
import { type Folders, foldersOf } from "./folders.ts";

/** What the command line and the environment say, the command line first. */
export interface Settings {
  /** The workspace: absolute, canonical. */
  readonly cwd: string;
  /** `PACK[#NAME]`, a folder or a file: absolute, or a bare name, which may be one in the workspace. */
  readonly persona: string;
  /** `provider:model`; undefined when nobody chose one. */
  readonly model: string | undefined;
  /** Absolute paths of server files to add. */
  readonly serverFiles: readonly string[];
  /** What the operator allows servers at most; undefined where there is no policy. */
  readonly policy: Policy | undefined;
  /** `off`, or what is to confine servers: the strongest that works, or one backend. */
  readonly sandbox: "auto" | "off" | BackendName;
  readonly isOffline: boolean;
  /** Whether the workspace's and the home folder's AGENTS.md files and skills are read. */
  readonly hints: boolean;
  readonly isJson: boolean;
  readonly limits: Limits;
  readonly folders: Folders;
}

/**
 * Reads the settings of a command.
 *
 * @throws {SkepError} as {@linkcode settingsAsGiven}, and `CONFIG_INVALID` for a folder that can be none.
 */
export async function readSettings(
  invocation: Invocation,
  host: Pick<Host, "env" | "cwd" | "files" | "platform">,
): Promise<Settings> {
  const settings = await settingsAsGiven(invocation, host);
  await checkFolders(settings.folders, host);
  return settings;
}

/**
 * Reads the settings of one run.
 *
 * @throws {SkepError} `USAGE` for a flag, `CONFIG_INVALID` for a variable or a policy that cannot be used.
 */
export async function settingsAsGiven(
  invocation: Invocation,
  host: Pick<Host, "env" | "cwd" | "files" | "platform">,
): Promise<Settings> {
  const { env } = host;
  // Each --cwd is relative to the one before. Other paths are the caller's, whose folder is the first of several:
  // the tasks start skep in its own folder, and pass the caller's and "." first.
  const [first, ...others] = invocation.values("cwd");
  const caller = resolve(host.cwd(), ...(others.length > 0 ? [first!] : []));
  const cwd = await workspace(resolve(host.cwd(), ...invocation.values("cwd")), host);
  const ofCaller = (path: string) => resolve(caller, path);
  const persona = invocation.value("persona") ?? set(env("SKEP_PERSONA")) ?? "guide";
  const limits = readLimits(env);
  const folders = foldersOf(env, host.platform.os);
  const named = invocation.value("policy") ?? set(env("SKEP_POLICY"));
  const policyFile = named === undefined ? join(folders.config, "policy.yaml") : ofCaller(named);
  const isTherePolicy = named !== undefined || await isThere(policyFile, host);
  const policy = isTherePolicy ? await readPolicy(policyFile, host, limits) : undefined;
  return {
    cwd,
    persona: /^\.{1,2}$|[\\/]/.test(persona) ? ofCaller(persona) : persona,
    model: invocation.value("model"),
    serverFiles: invocation.values("mcp").map(ofCaller),
    policy,
    sandbox: sandbox(invocation, env, policy),
    isOffline: invocation.has("offline") || set(env("SKEP_OFFLINE")) === "1",
    hints: hintsOffBy(invocation, env) === undefined,
    isJson: invocation.has("json"),
    limits,
    folders,
  };
}

/** What cannot be looked at may be a policy: without it more would be allowed than the operator says. */
async function isThere(policy: string, { files }: Pick<Host, "files">): Promise<boolean> {
  try {
    return await files.stat(policy) !== undefined;
  } catch (cause) {
    const message = `Cannot look for a policy at ${policy}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source: policy }, { cause });
  }
}

async function workspace(path: string, { files }: Pick<Host, "files">): Promise<string> {
  const facts = await files.stat(path).catch((cause) => {
    const message = `Cannot use --cwd "${path}": ${messageOf(cause)}`;
    throw new SkepError("USAGE", message, { argument: "--cwd" }, { cause });
  });
  if (facts?.isDirectory) return await files.realPath(path);
  const found = facts === undefined ? "does not exist" : "is not a folder";
  throw new SkepError("USAGE", `Cannot use --cwd "${path}": it ${found}`, { argument: "--cwd" });
}

const SANDBOXES = ["auto", ...BACKEND_NAMES, "off"] as const;

/** What confines servers: the command line's word, then the environment's, then the policy's. */
function sandbox(
  invocation: Invocation,
  env: Host["env"],
  policy: Policy | undefined,
): Settings["sandbox"] {
  const flag = invocation.value("sandbox");
  const chosen = flag ?? set(env("SKEP_SANDBOX"));
  const { mode, backend = "auto" } = policy?.sandbox ?? {};
  if (chosen === undefined) return mode === "off" ? "off" : backend;
  const source = flag === undefined ? "SKEP_SANDBOX" : "--sandbox";
  const refuse = (why: string) => {
    const message = `Cannot use ${source}="${chosen}": ${why}`;
    return flag === undefined
      ? new SkepError("CONFIG_INVALID", message, { source })
      : new SkepError("USAGE", message, { argument: source });
  };
  const known = SANDBOXES.find((each) => each === chosen);
  if (known === undefined) throw refuse(`it must be one of ${SANDBOXES.join(", ")}`);
  if (known === "off" && mode === "require") {
    throw refuse(`the policy ${policy?.file} requires confinement`);
  }
  if (backend === "auto" || known === backend || known === "off") return known;
  if (known === "auto") return backend;
  throw refuse(`the policy ${policy?.file} wants ${backend}`);
}

/** What switches hints off: `--no-hints`, `SKEP_NO_HINTS`, or buzz-agent's variable with any number but 0. */
export function hintsOffBy(invocation: Invocation, env: Host["env"]): string | undefined {
  if (invocation.has("no-hints")) return "--no-hints";
  const source = ["SKEP_NO_HINTS", "BUZZ_AGENT_NO_HINTS"].find((name) => set(env(name)));
  if (source === undefined) return undefined;
  const value = set(env(source)) ?? "";
  if (/^\d+$/.test(value)) return Number(value) === 0 ? undefined : source;
  const message = `Cannot use ${source}="${value}": it must be 0, or 1 for no hints`;
  throw new SkepError("CONFIG_INVALID", message, { source });
}

/** A variable that is set to nothing counts as not set. */
function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}
