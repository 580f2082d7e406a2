// Launches behind every backend of this machine, in a folder of the test's own with a home in it.
import { dirname, join } from "@std/path";
import { confinerFinder } from "../lib/cli/find_confiner.ts";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import type { ExitStatus } from "../lib/host/process.ts";
import { DEFAULT_LIMITS, type Limits } from "../lib/limits.ts";
import { BACKEND_NAMES, type BackendName } from "../lib/sandbox/backend.ts";
import type { LaunchContext } from "../lib/sandbox/context.ts";
import { type Launch, prepareLaunch } from "../lib/sandbox/launch.ts";
import { parsePolicy } from "../lib/sandbox/policy.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { fromRepo, tempFolder } from "./harness.ts";

/** What a {@linkcode GrantPlace} is made with. */
export interface PlaceOptions {
  /** What confines; absent: Deno's flags alone. */
  readonly backend?: BackendName;
  /** The workspace, relative to the root; `ws` unless given. */
  readonly workspace?: string;
  /** Deno's cache is the place's own too, and empty. */
  readonly hasOwnCache?: boolean;
  /** Variables of the runtime, over its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text of the policy file. */
  readonly policy?: string;
  readonly limits?: Partial<Limits>;
}

/** How a server ended, and all that it wrote. */
export interface ServerEnd {
  readonly status: ExitStatus;
  readonly stdout: string;
  readonly stderr: string;
}

/** A workspace, a home and skep's folders below one root, with a context to prepare launches in. */
export interface GrantPlace extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly context: LaunchContext;
  /** Writes a file below the root, and gives its path. */
  write(path: string, text: string): Promise<string>;
  prepare(spec?: Partial<ServerSpec>, more?: Partial<LaunchContext>): Promise<Launch>;
  /** Runs a script of bash as a native server to its end. */
  bash(script: string, spec?: Partial<ServerSpec>): Promise<ServerEnd>;
}

/** Makes such a place. What is below it goes with it. */
export async function grantPlace(options: PlaceOptions = {}): Promise<GrantPlace> {
  const folder = await tempFolder();
  const root = folder.path;
  const home = join(root, "home");
  const workspace = join(root, options.workspace ?? "ws");
  await Deno.mkdir(workspace, { recursive: true });
  await Deno.mkdir(home, { recursive: true });
  const host = denoHost();
  const finder = options.backend === undefined
    ? undefined
    : confinerFinder(options.backend, fromRepo("."), host);
  const variables: Record<string, string> = {
    HOME: home,
    DENO_DIR: options.hasOwnCache ? join(root, "deno") : denoDir(host),
    ...options.env,
  };
  const policyFile = join(root, "policy.yaml");
  if (options.policy !== undefined) await Deno.writeTextFile(policyFile, options.policy);
  const context: LaunchContext = {
    host: { ...host, env: (name) => variables[name] ?? host.env(name) },
    workspace,
    folders: {
      config: join(root, "config"),
      state: join(root, "state"),
      cache: join(root, "cache"),
    },
    programRoot: fromRepo("."),
    sandbox: "auto",
    confiner: () => finder?.find() ?? Promise.resolve({ problem: "this test has none" }),
    isOffline: false,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    progress: () => {},
    ...(options.policy === undefined
      ? {}
      : { policy: parsePolicy(options.policy, policyFile, host.platform.os) }),
  };
  const prepare: GrantPlace["prepare"] = (spec = {}, more = {}) =>
    prepareLaunch({
      name: "s",
      command: "bash",
      args: [],
      env: {},
      origin: { kind: "flag", where: "--mcp" },
      ...spec,
    }, { ...context, ...more });
  return {
    root,
    home,
    workspace,
    context,
    prepare,
    write: async (path, text) => {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
      return join(root, path);
    },
    bash: async (script, spec = {}) => {
      const permissions = { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"] };
      return await runLaunch(await prepare({ permissions, ...spec, args: ["-c", script] }));
    },
    [Symbol.asyncDispose]: async () => {
      await finder?.[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Starts a launch with an empty input, waits for its end, and releases it. */
export async function runLaunch(launch: Launch): Promise<ServerEnd> {
  try {
    const child = denoHost().spawn(launch.command);
    await child.stdin.close().catch(() => {}); // it may have ended already
    const [status, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { status, stdout, stderr };
  } finally {
    await launch.release();
  }
}

/** The backends that work on this machine, of those asked for. */
export async function workingBackends(
  wanted: readonly BackendName[] = BACKEND_NAMES,
): Promise<BackendName[]> {
  const host = denoHost();
  const found = await Promise.all(wanted.map(async (name) => {
    await using finder = confinerFinder(name, fromRepo("."), host);
    return "backend" in await finder.find() ? [name] : [];
  }));
  return found.flat();
}

/** Those that make namespaces, and so can hide a part of a folder. */
export const NAMESPACES: readonly BackendName[] = ["bwrap", "unshare"];
