import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import { EditorFiles } from "../mcp/editor_files.ts";
import { FileKnownLists } from "../mcp/known_lists.ts";
import type { Keep, Registry } from "../mcp/registry.ts";
import type { ServerLog } from "../mcp/server_log.ts";
import { startRegistry } from "../mcp/start_registry.ts";
import type { Persona } from "../persona/persona.ts";
import { inWorkspace } from "../persona/interpolate.ts";
import type { AccessLog } from "../sandbox/accesses/access_log.ts";
import { recordAccesses, recorded } from "../sandbox/accesses/record_accesses.ts";
import { checkWorkspace } from "../sandbox/check_workspace.ts";
import { explainDenial, findDenial } from "../sandbox/denial.ts";
import { type Launch, prepareLaunch } from "../sandbox/launch.ts";
import type { ProbeContext } from "../sandbox/probe/run_probes.ts";
import type { ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import type { SessionRequest } from "../session/session.ts";
import { VERSION } from "../version.ts";
import type { Consent } from "./consent.ts";
import { loginsOf } from "./logins_of.ts";
import { withWorkspaceName } from "./named_workspace.ts";
import { packFiles } from "./pack_files.ts";
import { loggingDenials, loggingEditor, loggingRefusals } from "./session_accesses.ts";
import type { Settings } from "./settings.ts";

/** What the servers of a run stand on. */
export interface RunServersOptions {
  /** What preparing a server takes, whatever its workspace. */
  readonly context: Omit<ProbeContext, "workspace">;
  readonly persona: Persona;
  readonly settings: Settings;
  /** The persona's servers and those of `--mcp` files. */
  readonly specs: readonly ServerSpec[];
  /** What of these files comes to no server. */
  readonly unusable: readonly UnusableEntry[];
  /** Why none of the persona's starts. */
  readonly unresolved?: Error;
  readonly consent: Pick<Consent, "require">;
  readonly host: Host;
}

/** What one preparation has of its own. */
interface Preparing extends Pick<ProbeContext, "signal" | "isRefetching" | "onRefused"> {
  /** Gets what the server does; absent: nothing is logged. */
  readonly accesses?: AccessLog;
  readonly isWorkspaceChecked?: boolean;
  /** Folders that the session works in besides. */
  readonly addedFolders?: readonly string[] | undefined;
}

/** What a start of servers has of its own. */
export interface Starting {
  /** Keeps what of results is cut. */
  readonly keep?: Keep;
  /** Gets what the servers do. */
  readonly accesses?: AccessLog | undefined;
  /** Names of those that are not started. */
  readonly off?: ReadonlySet<string> | undefined;
}

/** Prepares and starts the servers of a run, for any workspace. */
export class RunServers {
  readonly #options: RunServersOptions;
  readonly #host: Host;
  readonly #logins;

  constructor(options: RunServersOptions) {
    const { host, settings } = options;
    this.#options = options;
    this.#host = host;
    this.#logins = loginsOf(settings, host, (spec) => this.prepare(spec, settings.cwd));
  }

  /** What preparing a server for a workspace takes. */
  async context(
    workspace: string,
    signal?: AbortSignal,
    addedFolders: readonly string[] = [],
  ): Promise<ProbeContext> {
    const { context, persona, settings } = this.#options;
    return {
      ...context,
      workspace,
      ...(addedFolders.length === 0 ? {} : { addedFolders }),
      configuration: [
        ...await packFiles(persona, workspace, this.#host),
        ...settings.serverFiles,
      ],
      ...(signal === undefined ? {} : { signal }),
    };
  }

  /**
   * Prepares one server for a workspace, without starting it.
   *
   * @throws what {@linkcode prepareLaunch} and {@linkcode checkWorkspace} throw, and the entry's own problem.
   */
  async prepare(
    spec: ServerSpec,
    workspace: string,
    { signal, accesses, isWorkspaceChecked = false, addedFolders, ...more }: Preparing = {},
  ): Promise<Launch> {
    if (spec.problem !== undefined) throw spec.problem;
    const context = await this.context(workspace, signal, addedFolders);
    if (!isWorkspaceChecked) await checkWorkspace(context);
    const own = { ...context, ...more };
    const placed = inWorkspace(spec, workspace);
    if (accesses === undefined) {
      return this.#logins.withToken(spec, await prepareLaunch(placed, own));
    }
    const onRefused = loggingRefusals(accesses, own.onRefused);
    const launch = await prepareLaunch(placed, { ...own, onRefused }, recorded);
    const logged = await recordAccesses(
      launch,
      accesses,
      this.#host,
      this.#options.settings.limits,
    );
    return this.#logins.withToken(spec, logged);
  }

  /** @throws {SkepError} `CONFIG_INVALID` when a variable of the persona's own servers stands for nothing. */
  checkVariables(): void {
    const { unresolved } = this.#options;
    if (unresolved !== undefined) throw unresolved;
  }

  /**
   * Starts the servers for a workspace. `notices` gets what a person must be told of them.
   *
   * @throws {SkepError} `GRANT_NOT_ACCEPTED`, and what {@linkcode startRegistry} throws.
   */
  async start(
    request: SessionRequest,
    notices: string[],
    { keep, accesses, off }: Starting = {},
  ): Promise<Registry> {
    const { settings, unusable, consent } = this.#options;
    const { limits, folders } = settings;
    const host = this.#host;
    this.checkVariables();
    notices.push(...await consent.require());
    const { cwd, addedFolders, editor, elicitor, signal, onNotice = host.warn } = request;
    const specs = [...this.#options.specs, ...request.servers];
    if (specs.length > 0) await checkWorkspace(await this.context(cwd, signal, addedFolders));
    let isStarting = true;
    const tell = (text: string) => isStarting ? void notices.push(text) : onNotice(text);
    const registry = await startRegistry({
      specs,
      unusable: [...unusable, ...request.unusable ?? []],
      prepare: (spec, isRefetching, own) =>
        this.prepare(withWorkspaceName(spec, request.namedCwd), cwd, {
          signal: AbortSignal.any([signal, own].filter((each) => each !== undefined)),
          ...(accesses && { accesses }),
          ...{ isRefetching, addedFolders },
          isWorkspaceChecked: isStarting, // once for all of them, just now
          onRefused: ({ text }) => tell(text),
        }),
      ...loggingDenials({ findDenial, explainDenial }, accesses),
      world: host,
      limits,
      onNotice: tell,
      ...(keep && { keep }),
      ...(off && { off }),
      lists: new FileKnownLists(join(folders.state, "tools"), host.files, limits),
      isStrict: host.env("SKEP_STRICT") === "1",
      onLog: serverLogger(host),
      clientInfo: { name: "skep", version: VERSION },
      ...(elicitor && { elicitor }),
      ...(editor && {
        editorFiles: (launch) =>
          new EditorFiles(editor, launch, {
            limits,
            world: host,
            ...(accesses && { onAccess: loggingEditor(accesses, launch.grant) }),
          }),
      }),
      roots: [cwd, ...addedFolders ?? []],
      signal: signal ?? new AbortController().signal,
    });
    isStarting = false;
    return registry;
  }
}

/** Tells what servers and scripts say besides the protocol, where `SKEP_LOG=1` asks for it. */
export function serverLogger({ warn, env }: Pick<Host, "warn" | "env">): (line: ServerLog) => void {
  if (env("SKEP_LOG") !== "1") return () => {};
  return ({ server, kind, text }) => warn(`${server} ${kind}: ${text}`);
}
