import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import type { Registry } from "../mcp/registry.ts";
import type { Credentials } from "../model/credentials.ts";
import type { Model } from "../model/model.ts";
import { Gates } from "../model/gate.ts";
import { defaultModelId } from "../model/default_model_id.ts";
import { type ModelChoice, modelChooser } from "../model/choices.ts";
import { modelKeysOf } from "../model/model_keys.ts";
import { readOperatorFile } from "../model/operator_file.ts";
import { resolveModel } from "../model/resolve.ts";
import type { ModelSettings } from "../model/settings.ts";
import type { ModelWorld } from "../model/world.ts";
import { findPersona } from "../persona/find.ts";
import type { Persona } from "../persona/persona.ts";
import { personaLimits } from "../persona/persona_limits.ts";
import { checkInstalled } from "../persona/installed_packs.ts";
import { allowedVariables, interpolated } from "../persona/interpolate.ts";
import { unresolvedError } from "../persona/unresolved.ts";
import { readServerFile, whyOff } from "../persona/server_file.ts";
import type { ProbeContext } from "../sandbox/probe/run_probes.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Session, SessionRequest } from "../session/session.ts";
import { type Consent, consentOf } from "./consent.ts";
import { confinerFinder } from "./find_confiner.ts";
import type { Invocation } from "./flags.ts";
import { grantSources } from "./grant_sources.ts";
import { hookSpecs } from "../persona/hook_spec.ts";
import { type KeptSessions, keptSessions } from "./kept_sessions.ts";
import { packsFolder } from "./packs_folder.ts";
import { modelEnv, modelSettings } from "./persona_settings.ts";
import { programRoot } from "./program_root.ts";
import { sessionRules } from "./session_rules.ts";
import { RunServers } from "./run_servers.ts";
import { SessionOpener } from "./session_opener.ts";
import { readSettings, type Settings } from "./settings.ts";

/** What the commands that use servers stand on. */
export interface Run extends AsyncDisposable {
  readonly settings: Settings;
  readonly persona: Persona;
  /** The persona's servers and those of `--mcp` files. */
  readonly servers: readonly ServerSpec[];
  /** Entries of the persona and of `--mcp` files that come to no server, and why: the rest of a sentence about it. */
  readonly serversOff: ReadonlyMap<string, string>;
  /** The scripts of the persona's pack, as the servers that they run as. */
  readonly hooks: readonly ServerSpec[];
  /** What a person has accepted of what the servers ask for. */
  readonly consent: Consent;
  /** What was wrong with a setting and was left out. */
  readonly notices: readonly string[];
  /** What preparing a server for a workspace takes. */
  context(workspace: string, signal?: AbortSignal): Promise<ProbeContext>;
  /** Prepares one server for a workspace, without starting it. */
  prepare(spec: ServerSpec, workspace: string, signal?: AbortSignal): Promise<Launch>;
  /**
   * Starts the servers for a workspace. `notices` gets what a person must be told of them.
   *
   * @throws {SkepError} `GRANT_NOT_ACCEPTED`.
   */
  startServers(request: SessionRequest, notices: string[]): Promise<Registry>;
  /** What models take of the world. */
  readonly modelWorld: ModelWorld;
  /** What the chosen model is known by. */
  readonly modelId: string;
  /** The model of that id, the chosen one unless given; `choice` is for it alone. */
  model(id?: string, choice?: Partial<ModelSettings>): Promise<Model>;
  /** The models that can be chosen where one is in use, it first; see {@linkcode modelChooser}. */
  modelChoices(current: string): Promise<readonly ModelChoice[]>;
  /** Those that are kept. */
  readonly sessions: KeptSessions;
  /** Opens a session: a new one, or one that is kept. @throws {SkepError} `GRANT_NOT_ACCEPTED`. */
  open(request: SessionRequest): Promise<Session>;
}

/**
 * Reads the settings, the persona and the server files; starts nothing.
 *
 * @throws {SkepError} `USAGE`, `CONFIG_INVALID`, `PERSONA_NOT_FOUND`, `PERSONA_INVALID`, `GRANT_INVALID`.
 */
export async function prepareRun(invocation: Invocation, host: Host): Promise<Run> {
  const given = await readSettings(invocation, host);
  const root = await programRoot(host);
  const bundleFolder = join(root, "servers");
  const bundles = (await host.files.stat(bundleFolder))?.isDirectory ? bundleFolder : undefined;
  const { sandbox } = given;
  await using started = new AsyncDisposableStack(); // ends what was started when the rest cannot be read
  const finder = started.use(
    confinerFinder(sandbox === "off" ? "auto" : sandbox, root, host),
  );
  if (sandbox !== "off") finder.find().catch(() => {}); // tried while the rest is read; asked again below
  const packs = packsFolder(host);
  const find = () =>
    findPersona(
      given.persona,
      join(root, "personas"),
      given.cwd,
      host.files,
      given.limits,
      packs,
    );
  const { persona, notices: packNotices, unusable, serverAt } = await find();
  const checkPack = () => checkInstalled(persona.pack, packs, host.files, given.limits);
  await checkPack();
  const rules = sessionRules(persona, given.policy, host.env);
  const settings = { ...given, limits: personaLimits(given.limits, persona) };
  const readFiles = () =>
    Promise.all(
      settings.serverFiles.map((path) => readServerFile(path, host.files, settings.limits)),
    );
  const files = await readFiles();
  const variables = { allowed: allowedVariables(host.env), env: host.env };
  const interpolatedAll = (
    persona: Persona,
    files: readonly { readonly specs: readonly ServerSpec[] }[],
  ): ServerSpec[] => [
    ...persona.servers.map((spec) => interpolated(spec, { persona, ...variables })),
    ...files.flatMap((file) => file.specs).map((spec) => interpolated(spec, variables)),
  ];
  const servers = interpolatedAll(persona, files);
  const unresolved = unresolvedError(persona, serverAt, variables);
  const byFile = new Map(settings.serverFiles.map((path, place) => [path, files[place]!.specs]));
  const sourceWorld = { host, limits: given.limits, root, workspace: settings.cwd };
  const sources = await grantSources(persona, byFile, sourceWorld);
  const consent = await consentOf(sources, settings, packs, host);
  const isModelSet = (host.env("SKEP_MODEL")?.trim() ?? "") !== "";
  const asked = settings.model ?? (isModelSet ? undefined : persona.model);
  const modelId = asked ?? defaultModelId(host.env);
  const { files: disk, fetch, sleep, nowMs } = host;
  const ending = new AbortController();
  started.defer(() => ending.abort());
  const env = modelEnv(host.env, persona);
  const cwd = () => settings.cwd;
  const world = {
    ...{ env, files: disk, fetch, sleep, nowMs, cwd, limits: settings.limits },
    ...{ spawn: host.spawn, warn: host.warn, configFolder: settings.folders.config },
    ...{ gates: new Gates(), keyCommands: new Map<string, Credentials>(), signal: ending.signal },
  };
  const model: Run["model"] = (id = modelId, choice) =>
    resolveModel(id, world, { ...modelSettings(id, persona), ...choice });
  const modelKeys = modelKeysOf(await readOperatorFile(world));
  const context: Omit<ProbeContext, "workspace"> = {
    host,
    pack: persona.pack,
    folders: settings.folders,
    programRoot: root,
    ...(bundles === undefined ? {} : { bundles }),
    sandbox: sandbox === "off" ? "off" : "auto",
    ...(settings.policy === undefined ? {} : { policy: settings.policy }),
    modelKeys,
    confiner: () => finder.find(),
    isAccepted: consent.isAccepted,
    isOffline: settings.isOffline,
    limits: settings.limits,
    progress: (line) => host.warn(line),
    onRefused: ({ text }) => host.warn(text),
  };
  const runServers = new RunServers({
    ...{ context, persona, settings, specs: servers, consent, host },
    ...(unresolved && { unresolved }),
    unusable: [...unusable, ...files.flatMap(({ unusable }) => unusable)],
  });

  const notices = [...packNotices, ...files.flatMap((file) => file.problems)];
  const sessions = started.use(keptSessions(settings, host));
  const opener = new SessionOpener({
    ...{ persona, settings, specs: servers, servers: runServers, consent, sessions },
    ...{ rules, modelId, model, host },
    disk: { find, checkPack, readFiles, specsOf: interpolatedAll },
  });
  const held = started.move();
  return {
    settings,
    persona,
    servers,
    serversOff: new Map([
      ...persona.serversOff.map((each) => [each.name, whyOff(each)] as const),
      ...files.flatMap(({ off }) => [...off]),
      ...unusable.map(({ name, why }) => [name, why.replace(`server "${name}" `, "")] as const),
    ]),
    hooks: hookSpecs(persona),
    consent,
    notices,
    context: (workspace, signal) => runServers.context(workspace, signal),
    prepare: (spec, workspace, signal) =>
      runServers.prepare(spec, workspace, signal === undefined ? {} : { signal }),
    startServers: (request, notices) => runServers.start(request, notices),
    modelWorld: world,
    modelId,
    model,
    modelChoices: modelChooser(world),
    sessions,
    open: (request) => opener.open(request),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
