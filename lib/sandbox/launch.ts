import { dirname, join } from "@std/path";
import { SkepError } from "../errors.ts";
import { denoDir, findDeno } from "../host/deno_binary.ts";
import type { SpawnCommand } from "../host/process.ts";
import { withAddedFolders } from "./added_folders.ts";
import { type Asked, askedBy } from "./asked.ts";
import { personaBounds, policyBounds } from "./bounds.ts";
import { warmBundled } from "./bundled.ts";
import { ceilingOf } from "./ceiling.ts";
import { readCommand, runsInDeno, type ServerCommand } from "./command.ts";
import { commandLine } from "./command_line.ts";
import { computeGrant } from "./compute_grant.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import type { BackendName } from "./backend.ts";
import type { Confinement } from "./confinement.ts";
import { confine } from "./confine.ts";
import { dangers } from "./dangers.ts";
import { type Enforcement, enforcement } from "./enforcement.ts";
import type { Grant } from "./grant.ts";
import { checkNetwork } from "./network.ts";
import { launchNotices } from "./notices.ts";
import { type FetchedPackage, fetchPackage } from "./npm.ts";
import { registryLines } from "./npm_settings.ts";
import { pathRules } from "./path_rules.ts";
import { codeFolder, withPrivateCode } from "./private_code.ts";
import { profileEnvironment } from "./profiles.ts";
import { redactor, secretNames, secretsOf } from "./redact.ts";
import { hostAndPort, isBridge, remoteAddress } from "./remote.ts";
import type { Refusal } from "./server_proxy.ts";
import { type SandboxWish, sandboxWish } from "./sandbox_wish.ts";
import { findScript, scriptFiles, scriptNotices } from "./script.ts";
import type { ServerSpec } from "./spec.ts";
import { watchLeftFiles } from "./watch_left_files.ts";

/** A server that is ready to be started under its grant. */
export interface Launch {
  readonly server: string;
  /** `bundled` is one of ours, `npm` a package, `script` a file, `native` any other program. */
  readonly kind: "bundled" | "npm" | "script" | "native";
  readonly grant: Grant;
  /** What to spawn. */
  readonly command: SpawnCommand;
  /** The address of the server that it is the bridge to; absent for all others. */
  readonly remote?: string;
  /** Answers the bridge that asks for its server's token. */
  readonly token?: (question: unknown) => Promise<string | undefined>;
  /** How the operating system holds it; absent where Deno's flags are all there is. */
  readonly confined?: {
    readonly backend: BackendName;
    readonly confinement: Confinement;
    /** The server's own command line and environment, which `command` starts inside. */
    readonly inner: SpawnCommand;
    /** What is shown besides the grant, so that the programs on PATH run. */
    readonly toolchains: readonly string[];
    /** Limits that nothing enforces here, each the rest of a sentence about the server. */
    readonly unenforced: readonly string[];
  };
  /** Names of the variables of its environment whose values are secrets: they are shown nowhere. */
  readonly secretNames: readonly string[];
  /** Takes the values of the server's secrets out of a text that leaves skep. */
  redact(text: string): string;
  /** What `${NAME}` stood for in longer texts of its entry; see {@linkcode ServerSpec}. */
  readonly filled?: Readonly<Record<string, string>>;
  /** What it will miss once it is confined, each the rest of a sentence about the server; absent: nothing. */
  readonly lacks?: readonly string[];
  /** What a person must see first of it, each the rest of a sentence about the server. */
  readonly dangers: readonly string[];
  /** What a person must be told before this server runs, a line each. */
  readonly notices: readonly string[];
  /**
   * Looks for what the server made since that runs programs when the person works in its folders, and gives a
   * line for each, once. Absent when it may write in none.
   */
  readonly findTraps?: () => Promise<readonly string[]>;
  /**
   * Reads a file of its private temporary folder, links followed; undefined when there is none. @throws for
   * any other file, and for one that is longer than an artifact may be.
   */
  readOwn(path: string): Promise<Uint8Array | undefined>;
  /** The connections that its network proxy refused since this was last asked; absent when it has none. */
  readonly takeRefused?: () => readonly Refusal[];
  /** Removes the server's private folders, after its end. */
  release(): Promise<void>;
}

/**
 * Prepares a server's start: reads its command, fetches what it needs, computes its grant, makes its
 * private folders and the exact command line. Nothing is started. Whoever asked calls `release()`
 * when the server has ended, or will not be started.
 *
 * @param standIn What to start in the server's place, under its very grant and confinement: a probe.
 * @throws {SkepError} `GRANT_INVALID`, `GRANT_REFUSED`, `SERVER_SPAWN_FAILED`, `DENO_NOT_FOUND`,
 * `PACKAGE_NOT_FOUND`, `PACKAGE_FETCH_FAILED`, `CONFIG_INVALID`, `CANCELLED`; then nothing is left behind.
 */
export async function prepareLaunch(
  spec: ServerSpec,
  context: LaunchContext,
  standIn: (launch: Launch) => SpawnCommand = ({ command }) => command,
): Promise<Launch> {
  const canonical = await canonicalContext(context);
  const root = await context.host.files.makeTempFolder("skep-");
  try {
    const placed = await withPrivateCode(spec, root, canonical.pack, context.host.files);
    return await prepareIn(root, placed, canonical, standIn);
  } catch (error) {
    await context.host.files.remove(root);
    throw error;
  }
}

/** Prepares it with its private folders in `root`, which whoever called removes when it fails. */
async function prepareIn(
  root: string,
  spec: ServerSpec,
  context: LaunchContext,
  standIn: (launch: Launch) => SpawnCommand,
): Promise<Launch> {
  const { host } = context;
  const command = readCommand(spec);
  const asks = askedBy(spec, command, host.platform.os, context.policy);
  const asked = {
    ...asks,
    read: withAddedFolders(asks.read, context.addedFolders),
    write: withAddedFolders(asks.write, context.addedFolders),
  };
  const ceiling = await ceilingOf(spec, context);
  const wish = sandboxWish(spec, command, asked, ceiling, context.policy);
  const confiner = context.sandbox === "off" ? { problem: "" } : await context.confiner();
  const held = enforcement(spec, command.kind, { run: asked.run, ...wish }, {
    sandbox: context.sandbox,
    backend: "backend" in confiner ? confiner.backend.name : undefined,
    problem: "problem" in confiner ? confiner.problem : "",
    isRoot: host.isRoot(),
  });
  const isLauncherNeeded = held.backend === "unshare" || held.backend === "landlock";
  const needsDeno = runsInDeno(command.kind) || isLauncherNeeded;
  const deno = needsDeno ? await findDeno(host) : "";
  const target = await prepareTarget(command, spec, context, { deno, denoDir: denoDir(host) });
  const release = () => host.files.remove(root);
  const places = {
    deno,
    denoDir: denoDir(host),
    tmp: join(root, "tmp"),
    home: join(root, "home"),
  };
  await host.files.makeFolder(places.tmp);
  await host.files.makeFolder(places.home);
  const code = spec.code === undefined ? {} : { code: codeFolder(root) };
  const parts = { spec, command, held, asked, wish, target, places, root, ...code, release };
  const own = await watchLeftFiles(await finish(parts, context), context);
  const launch = { ...own, command: standIn(own) };
  if (held.mode !== "off") checkNetwork(launch.grant, launch.kind, held.backend);
  return "backend" in confiner ? await confine(launch, parts, confiner, context) : launch;
}

/** What there is to run, found and fetched. */
export type Target =
  | { readonly kind: "bundled"; readonly name: string }
  | { readonly kind: "npm"; readonly fetched: FetchedPackage }
  | { readonly kind: "script"; readonly path: string }
  | { readonly kind: "native"; readonly command: string };

/** What a launch is made of on the way. */
export interface Parts {
  readonly spec: ServerSpec;
  readonly command: ServerCommand;
  readonly held: Enforcement;
  readonly asked: Asked;
  readonly wish: SandboxWish;
  readonly target: Target;
  readonly places: Omit<ServerPlaces, "ownFiles">;
  /** The private folder that holds the server's private folders. */
  readonly root: string;
  /** Holds the copy of the code that it is started from, where that is a copy. */
  readonly code?: string;
  readonly release: () => Promise<void>;
}

async function canonicalContext(context: LaunchContext): Promise<LaunchContext> {
  const { files } = context.host;
  const { addedFolders: added } = context;
  return {
    ...context,
    workspace: await files.realPath(context.workspace),
    ...(added && { addedFolders: await Promise.all(added.map((path) => files.realPath(path))) }),
    ...(context.pack === undefined ? {} : { pack: await files.realPath(context.pack) }),
    programRoot: await files.realPath(context.programRoot),
  };
}

async function prepareTarget(
  command: ServerCommand,
  spec: ServerSpec,
  context: LaunchContext,
  places: Pick<ServerPlaces, "deno" | "denoDir">,
): Promise<Target> {
  switch (command.kind) {
    case "bundled":
      await warmBundled(command.name, spec.name, context, places);
      return command;
    case "npm":
      return { kind: "npm", fetched: await fetchPackage(command, spec, context, places) };
    case "script":
      return { kind: "script", path: await findScript(command.path, spec, context) };
    case "native":
      return command;
    default:
      return command satisfies never;
  }
}

async function finish(parts: Parts, context: LaunchContext): Promise<Launch> {
  const { command, held, asked, wish, target, places, release } = parts;
  const known = profileEnvironment(command, parts.spec, places.tmp);
  const spec = { ...parts.spec, env: { ...known.env, ...parts.spec.env } };
  const temporary = dirname(parts.root);
  const rules = await pathRules(spec, context, places, temporary, held.backend);
  const ownFiles = parts.code !== undefined
    ? [parts.code]
    : target.kind === "npm"
    ? target.fetched.folders
    : target.kind === "script"
    ? scriptFiles(target.path, spec, context, rules.guarded)
    : target.kind === "bundled" && context.bundles !== undefined
    ? [context.bundles] // the bundle reads what lies beside it
    : [];
  const { grant: computed, environment } = await computeGrant({
    spec,
    kind: command.kind,
    asked,
    enforcement: held,
    places: { ...places, ownFiles },
    rules,
    bounds: [
      ...await personaBounds(spec, rules),
      ...await policyBounds(context.policy, spec, command, rules),
    ],
  }, context);
  const env = computed.env.map((each) =>
    Object.hasOwn(known.env, each.value) ? { ...each, origin: asked.permissionsOrigin } : each
  );
  const grant = { ...computed, env };
  if (target.kind === "npm") {
    const lines = await registryLines(context);
    if (lines !== "") await context.host.files.writeText(join(places.home, ".npmrc"), lines);
  }
  const { program, args } = await commandLine(parts, grant, context);
  const remote = isBridge(spec) ? remoteAddress(spec.env) : undefined;
  if (remote !== undefined) checkRemote(remote, grant);
  const { values } = environment;
  const { files } = context.host;
  const risks = dangers(command.kind, grant, held.backend, context);
  const wished = wish.notice?.replace(`Server "${spec.name}" `, "");
  const lacks = [...known.notices, ...(wished === undefined ? [] : [wished])];
  const secrets = secretNames(values, grant.secrets.map(({ value }) => value), spec.env);
  return {
    server: spec.name,
    kind: command.kind,
    grant,
    command: { program, args, cwd: context.workspace, env: values },
    ...(remote === undefined ? {} : { remote: remote.href }),
    secretNames: secrets,
    redact: redactor(secretsOf(spec, secrets, values)),
    ...(spec.filled && { filled: spec.filled }),
    ...(lacks.length === 0 ? {} : { lacks }),
    dangers: risks,
    notices: [
      ...command.notices,
      ...(target.kind === "npm" ? target.fetched.notices : []),
      ...(target.kind === "script" ? await scriptNotices(target.path, spec, context) : []),
      ...launchNotices(command.kind, grant, held.backend, risks),
      ...known.notices.map((text) => `Server "${spec.name}" ${text}`),
      ...(wish.notice === undefined ? [] : [wish.notice]),
    ],
    readOwn: async (path) => {
      const own = await files.realPath(places.tmp);
      return (await files.readInside(own, path, context.limits.maxArtifactBytes))?.bytes;
    },
    release,
  };
}

/**
 * @throws {SkepError} `GRANT_REFUSED` when the bridge may not reach its server: it would start and say
 * that it cannot.
 */
function checkRemote(remote: URL, { server, net, cut }: Grant): void {
  if (net.length > 0) return;
  const reason = cut.find(({ list }) => list === "net")?.reason ?? "its net list is empty";
  const message =
    `Cannot start server "${server}": it is reached at ${hostAndPort(remote)}, which ` +
    `it is not granted: ${reason}`;
  throw new SkepError("GRANT_REFUSED", message, { server });
}
