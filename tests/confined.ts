// What the tests of confinement share: a folder with a workspace and a home, and programs run in there
// behind a backend, as a server's launch would have it.
import { dirname, join } from "@std/path";
import { backendTrials, confinerFinder } from "../lib/cli/find_confiner.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { denoDir } from "../lib/host/deno_binary.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import type { BackendName } from "../lib/sandbox/backend.ts";
import type { LaunchContext } from "../lib/sandbox/context.ts";
import { type Launch, prepareLaunch } from "../lib/sandbox/launch.ts";
import type { ProbeContext } from "../lib/sandbox/probe/run_probes.ts";
import type { Permissions, ServerSpec } from "../lib/sandbox/spec.ts";
import { type Ended, fromRepo, tempFolder } from "./harness.ts";

/** What a server of the tests is: a program, or a script of bash, with what it may touch. */
export interface ConfinedSpec extends Partial<ServerSpec> {
  readonly script?: string;
}

/** What a folder of a test's own holds, and how to start something in it. */
export class Ground implements AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly #folder: AsyncDisposable;
  readonly #variables: Readonly<Record<string, string>>;
  /** Where servers get their private folders, when not where the system has them. */
  temporary: string | undefined;
  /** What is told of a launch. */
  progress: (line: string) => void = () => {};

  private constructor(
    root: string,
    workspace: string,
    variables: Readonly<Record<string, string>>,
    folder: AsyncDisposable,
  ) {
    this.root = root;
    this.workspace = workspace;
    this.home = join(root, "home");
    this.#variables = variables;
    this.#folder = folder;
  }

  /**
   * Makes one.
   *
   * @param name The workspace, below the folder.
   * @param variables Of the runtime's environment, beside those of the tests.
   */
  static async make(
    name = "ws",
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Ground> {
    const folder = await tempFolder();
    const ground = new Ground(folder.path, join(folder.path, name), variables, folder);
    await Deno.mkdir(ground.workspace, { recursive: true });
    await Deno.mkdir(ground.home, { recursive: true });
    return ground;
  }

  /** Writes a file below the folder; gives its path. */
  async write(path: string, text: string): Promise<string> {
    const whole = join(this.root, path);
    await Deno.mkdir(dirname(whole), { recursive: true });
    await Deno.writeTextFile(whole, text);
    return whole;
  }

  /** What preparing a launch takes, held to one backend. */
  context(confiner: LaunchContext["confiner"], sandbox: "auto" | "off" = "auto"): ProbeContext {
    const host = denoHost();
    const variables: Readonly<Record<string, string>> = {
      HOME: this.home,
      PATH: "/usr/local/bin:/usr/bin:/bin", // what version managers add is for their own home folder
      DENO_DIR: denoDir(host), // nothing that the tests have is fetched again
      ...this.#variables,
    };
    const makeTempFolder = (prefix: string) =>
      Deno.makeTempDir({
        prefix,
        ...(this.temporary === undefined ? {} : { dir: this.temporary }),
      });
    return {
      host: {
        ...host,
        env: (name) => variables[name] ?? host.env(name),
        files: { ...host.files, makeTempFolder },
      },
      workspace: this.workspace,
      folders: {
        config: join(this.root, "config"),
        state: join(this.root, "state"),
        cache: join(this.root, "cache"),
      },
      programRoot: fromRepo("."),
      sandbox,
      confiner,
      isOffline: false,
      limits: DEFAULT_LIMITS,
      progress: this.progress,
    };
  }

  /** Prepares a launch behind a backend. Disposing of it releases it. */
  async launch(backend: BackendName, spec: ConfinedSpec): Promise<Launch & AsyncDisposable> {
    const finder = confinerFinder(backend, fromRepo("."), denoHost());
    try {
      const launch = await prepareLaunch(specOf(spec), this.context(() => finder.find()));
      return {
        ...launch,
        [Symbol.asyncDispose]: async () => {
          await launch.release();
          await finder[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await finder[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs a script of bash, or what the spec says, behind a backend to its end. */
  async run(backend: BackendName, spec: string | ConfinedSpec): Promise<Ended> {
    await using launch = await this.launch(
      backend,
      typeof spec === "string" ? { script: spec } : spec,
    );
    return await runLaunch(launch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** Runs what was prepared to its end; it has nothing to read. */
export async function runLaunch(launch: Launch): Promise<Ended> {
  const child = denoHost().spawn(launch.command);
  const [{ code }, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.stdin.close().catch(() => {}), // it may have ended at once
  ]);
  return { code, stdout, stderr };
}

/** What the shipped default gets. */
export const DEFAULT_PERMISSIONS: Permissions = {
  read: ["${WORKSPACE}"],
  write: ["${WORKSPACE}", "${TMP}"],
  run: ["bash"],
  sandbox: "prefer",
};

function specOf({ script, ...spec }: ConfinedSpec): ServerSpec {
  return {
    name: "confined",
    command: "bash",
    args: script === undefined ? [] : ["-c", script],
    env: {},
    permissions: DEFAULT_PERMISSIONS,
    origin: { kind: "flag", where: "--mcp" },
    ...spec,
  };
}

/** The backends that work on this machine for this user. */
export const BACKENDS: readonly BackendName[] = (await backendTrials(
  "all",
  fromRepo("."),
  denoHost(),
)).flatMap(({ backend }) => backend === undefined ? [] : [backend.name]);

/** Those of them that make a world of its own. */
export const NAMESPACE_BACKENDS: readonly BackendName[] = BACKENDS
  .filter((name) => name === "bwrap" || name === "unshare");
