import { join } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { cannotStart, npmSpecifier, type ServerCommand } from "./command.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import { type NpmLock, parseNpmLock } from "./npm_lock.ts";
import { runDeno } from "./run_deno.ts";
import type { ServerSpec } from "./spec.ts";

/** A package as a server's command names it. */
export type NpmCommand = ServerCommand & { readonly kind: "npm" };

/** A package that lies in Deno's cache, with all it depends on. */
export interface FetchedPackage {
  /** What `deno run` is given: an exact version. */
  readonly specifier: string;
  /** Absolute path of the lock file that pins every dependency. */
  readonly lock: string;
  /** Folders of the package and its dependencies in Deno's cache. */
  readonly folders: readonly string[];
  /** What a person should know of the package, a line each. */
  readonly notices: readonly string[];
}

/** Packages that are nothing without the native code that their build script would make or fetch. */
const NEED_BUILDING: readonly string[] = ["better-sqlite3", "sqlite3"];
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;

/**
 * Sees to it that a server's package is in Deno's cache. The first time, a missing version, a range or
 * a tag is resolved; version and lock file are kept in skep's state folder, so that every later start
 * runs the same tree, without the network. When Deno's cache was emptied since, that same tree is
 * fetched again, as it is with `context.isRefetching`.
 *
 * @throws {SkepError} `PACKAGE_NOT_FOUND` when there is no such package or version, `PACKAGE_FETCH_FAILED`
 * when it cannot be fetched or nothing may be, `SERVER_SPAWN_FAILED` when it cannot run in Deno,
 * `CANCELLED`.
 */
export async function fetchPackage(
  command: NpmCommand,
  spec: Pick<ServerSpec, "name" | "command">,
  context: LaunchContext,
  places: Pick<ServerPlaces, "deno" | "denoDir">,
): Promise<FetchedPackage> {
  const { files } = context.host;
  const fetching = { command, server: spec.name, context, places };
  const known = await recordedVersion(command, context);
  const version = known ?? await resolveVersion(fetching);
  const lock = lockPath(command.package, version, context);
  const folders = async (): Promise<{ read: NpmLock; found: string[] } | undefined> => {
    if (await files.stat(lock) === undefined) return undefined;
    const read = parseNpmLock(await files.readText(lock, context.limits.maxLockFileBytes));
    const found = await packageFolders(read, places.denoDir, files);
    const own = join(...command.package.split("/"), version);
    return found.some((folder) => folder.endsWith(own)) ? { read, found } : undefined;
  };
  let tree = context.isRefetching ? undefined : await folders();
  if (tree === undefined) {
    await fetchTree(version, lock, fetching);
    tree = await folders();
    if (tree === undefined) {
      throw fetchFailed(fetching, "it is not in Deno's cache after the fetch");
    }
  }
  if (known === undefined) await recordVersion(command, version, context);
  const { read, found } = tree;
  const unbuilt = read.packages.filter(({ hasScripts }) => hasScripts).map(({ name }) => name);
  const needed = unbuilt.find((name) => NEED_BUILDING.includes(name));
  if (needed !== undefined) {
    throw cannotStart(spec, `its package "${needed}" needs a native build, which is not run`);
  }
  return {
    specifier: npmSpecifier({ ...command, version }),
    lock,
    folders: found,
    notices: unbuilt.length === 0
      ? []
      : [`Server "${spec.name}": build scripts of its packages are not run: ${unbuilt.join(", ")}`],
  };
}

/**
 * Forgets which version a server's package stands for, and its lock file: the next start resolves and
 * fetches anew. True when there was something to forget.
 */
export async function forgetPackage(
  command: NpmCommand,
  context: Pick<LaunchContext, "host" | "folders" | "limits">,
): Promise<boolean> {
  const version = await recordedVersion(command, context);
  if (version === undefined) return false;
  await context.host.files.remove(lockPath(command.package, version, context));
  await context.host.files.remove(recordPath(command, context));
  return true;
}

interface Fetching {
  readonly command: NpmCommand;
  readonly server: string;
  readonly context: LaunchContext;
  readonly places: Pick<ServerPlaces, "deno" | "denoDir">;
}

async function resolveVersion(fetching: Fetching): Promise<string> {
  const { command } = fetching;
  if (command.version !== undefined && EXACT_VERSION.test(command.version)) return command.version;
  const { name, version } = { name: command.package, version: command.version };
  const asked = npmSpecifier({ package: name, ...(version === undefined ? {} : { version }) });
  // What Deno's cache knows of the package may be old: the newest version is asked for.
  const text = await cacheInto([`--reload=npm:${name}`], asked, fetching);
  const found = [...parseNpmLock(text).versions.values()][0];
  if (found === undefined) throw fetchFailed(fetching, "its version was not resolved");
  return found;
}

/** Fetches one exact version; where a lock file is kept already, exactly its tree. */
async function fetchTree(version: string, lock: string, fetching: Fetching): Promise<void> {
  const { files } = fetching.context.host;
  const specifier = npmSpecifier({ package: fetching.command.package, version });
  const kept = await files.stat(lock) === undefined
    ? undefined
    : await files.readText(lock, fetching.context.limits.maxLockFileBytes);
  const text = await cacheInto(kept === undefined ? [] : ["--frozen"], specifier, fetching, kept);
  await files.makeFolder(npmFolder(fetching.context));
  await files.writeText(lock, text);
}

/** Runs `deno cache` in an empty folder, away from anybody's configuration; returns the lock file's text. */
async function cacheInto(
  flags: readonly string[],
  specifier: string,
  fetching: Fetching,
  lockText?: string,
): Promise<string> {
  const { server, context, places } = fetching;
  const { files } = context.host;
  if (context.isOffline) throw fetchFailed(fetching, "nothing is fetched offline");
  const folder = await files.makeTempFolder("skep-fetch-");
  try {
    const lock = join(folder, "lock.json");
    if (lockText !== undefined) await files.writeText(lock, lockText);
    context.progress(`Fetching ${specifier} for server "${server}"`);
    const args = ["cache", "--no-config", `--lock=${lock}`, ...flags, specifier];
    const { code, stderr } = await runDeno(args, folder, context, places);
    if (code === 0) return await files.readText(lock, context.limits.maxLockFileBytes);
    throw /does not exist|Could not find (npm package|dist-tag)/.test(stderr)
      ? notFound(specifier, fetching)
      : fetchFailed(fetching, stderr);
  } finally {
    await files.remove(folder);
  }
}

/** The folders of a lock file's packages; a package may lie there more than once, for its peers. */
async function packageFolders(
  { packages }: NpmLock,
  denoDir: string,
  files: LaunchContext["host"]["files"],
): Promise<string[]> {
  const root = join(denoDir, "npm");
  if (await files.stat(root) === undefined) return [];
  const registries = (await files.list(root)).map((name) => join(root, name));
  const found = await Promise.all(
    registries.flatMap((registry) =>
      packages.map(async ({ name, version }) => {
        const folder = join(registry, ...name.split("/"));
        if (await files.stat(folder) === undefined) return [];
        return (await files.list(folder))
          .filter((each) => each === version || each.startsWith(`${version}_`))
          .map((each) => join(folder, each));
      })
    ),
  );
  return [...new Set(found.flat())].sort();
}

async function recordedVersion(
  command: NpmCommand,
  context: Pick<LaunchContext, "host" | "folders" | "limits">,
): Promise<string | undefined> {
  const { files } = context.host;
  const path = recordPath(command, context);
  if (await files.stat(path) === undefined) return undefined;
  const text = await files.readText(path, context.limits.maxConfigFileBytes);
  try {
    const { version } = JSON.parse(text);
    if (typeof version === "string" && EXACT_VERSION.test(version)) return version;
  } catch (cause) {
    throw new SkepError("CONFIG_INVALID", `Cannot read ${path}: ${messageOf(cause)}`, {
      source: path,
    });
  }
  throw new SkepError("CONFIG_INVALID", `Cannot read ${path}: it names no version`, {
    source: path,
  });
}

async function recordVersion(
  command: NpmCommand,
  version: string,
  context: LaunchContext,
): Promise<void> {
  const text = JSON.stringify({ package: command.package, version }, undefined, 2);
  await context.host.files.writeText(recordPath(command, context), `${text}\n`);
}

function recordPath(command: NpmCommand, context: Pick<LaunchContext, "folders">): string {
  return join(npmFolder(context), `${fileName(command.package, command.version ?? "latest")}.json`);
}

function lockPath(name: string, version: string, context: Pick<LaunchContext, "folders">): string {
  return join(npmFolder(context), `${fileName(name, version)}.lock`);
}

function npmFolder({ folders }: Pick<LaunchContext, "folders">): string {
  return join(folders.state, "npm");
}

/** A package and version as one name of a file: `@scope+name@1.0.0`. */
function fileName(name: string, version: string): string {
  return `${name.replace("/", "+")}@${
    version.replaceAll(/[^\w.+~^-]/g, (each) => encodeURIComponent(each))
  }`;
}

function notFound(specifier: string, { server }: Fetching): SkepError<"PACKAGE_NOT_FOUND"> {
  const message = `Cannot start server "${server}": the npm registry has no ${
    specifier.slice("npm:".length)
  }`;
  return new SkepError("PACKAGE_NOT_FOUND", message, { server, package: specifier });
}

function fetchFailed(
  { command, server }: Fetching,
  why: string,
): SkepError<"PACKAGE_FETCH_FAILED"> {
  const specifier = npmSpecifier(command);
  const message = `Cannot fetch ${specifier} for server "${server}": ${why}`;
  return new SkepError("PACKAGE_FETCH_FAILED", message, { server, package: specifier });
}
