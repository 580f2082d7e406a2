import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import { EditorFiles } from "../mcp/editor_files.ts";
import { FileKnownLists } from "../mcp/known_lists.ts";
import type { Keep, Registry } from "../mcp/registry.ts";
import type { ServerLog } from "../mcp/server_log.ts";
import { startRegistry } from "../mcp/start_registry.ts";
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
import { allowedVariables, interpolated, inWorkspace } from "../persona/interpolate.ts";
import { readServerFile, whyOff } from "../persona/server_file.ts";
import type { ProbeContext } from "../sandbox/probe/run_probes.ts";
import { checkWorkspace } from "../sandbox/check_workspace.ts";
import type { AccessLog } from "../sandbox/accesses/access_log.ts";
import { recordAccesses, recorded } from "../sandbox/accesses/record_accesses.ts";
import { explainDenial, findDenial } from "../sandbox/denial.ts";
import { type Launch, prepareLaunch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { openArtifacts } from "../session/artifacts.ts";
import { giveBackPlan } from "../session/give_back_plan.ts";
import { openSession } from "../session/open_session.ts";
import type { ServerSource } from "../session/session_servers.ts";
import type { Session, SessionRequest } from "../session/session.ts";
import { VERSION } from "../version.ts";
import { type Consent, consentOf } from "./consent.ts";
import { confinerFinder } from "./find_confiner.ts";
import type { Invocation } from "./flags.ts";
import { grantSources } from "./grant_sources.ts";
import { hookSpecs } from "./hook_spec.ts";
import { journalRedactor, type KeptSessions, keptSessions } from "./kept_sessions.ts";
import { loginsOf } from "./logins_of.ts";
import { packFiles } from "./pack_files.ts";
import { startPackHooks } from "./pack_hooks.ts";
import { packsFolder } from "./packs_folder.ts";
import { modelEnv, modelSettings } from "./persona_settings.ts";
import { personaNotices } from "./persona_notices.ts";
import { programRoot } from "./program_root.ts";
import { promptSources, withToolNotes } from "./prompt_sources.ts";
import { loggingDenials, loggingRefusals, sessionAccesses } from "./session_accesses.ts";
import { approvalsOf, sessionRules } from "./session_rules.ts";
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
  prepare(
    spec: ServerSpec,
    workspace: string,
    signal?: AbortSignal,
    isRefetching?: boolean,
  ): Promise<Launch>;
  /**
   * Starts the servers for a workspace. `notices` gets what a person must be told of them, `accesses` what
   * they do; those that are `off` are not started.
   *
   * @throws {SkepError} `GRANT_NOT_ACCEPTED`.
   */
  startServers(
    request: SessionRequest,
    notices: string[],
    more?: {
      readonly keep?: Keep;
      readonly accesses?: AccessLog | undefined;
      readonly off?: ReadonlySet<string> | undefined;
    },
  ): Promise<Registry>;
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
  const { persona, notices: packNotices } = await find();
  const checkPack = () => checkInstalled(persona.pack, packs, host.files, given.limits);
  await checkPack();
  const { rules, hooks, requiresReply } = sessionRules(persona, given.policy, host.env);
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
  const contextFor: Run["context"] = async (workspace, signal) => ({
    ...context,
    workspace,
    configuration: [...await packFiles(persona, workspace, host), ...settings.serverFiles],
    ...(signal === undefined ? {} : { signal }),
  });
  const prepareFor = async (
    spec: ServerSpec,
    workspace: string,
    { signal, accesses, isWorkspaceChecked = false, ...more }:
      & Pick<ProbeContext, "signal" | "isRefetching" | "onRefused">
      & { readonly accesses?: AccessLog; readonly isWorkspaceChecked?: boolean },
  ) => {
    if (spec.problem !== undefined) throw spec.problem;
    const context = await contextFor(workspace, signal);
    if (!isWorkspaceChecked) await checkWorkspace(context);
    const own = { ...context, ...more };
    const placed = inWorkspace(spec, workspace);
    if (accesses === undefined) return logins.withToken(spec, await prepareLaunch(placed, own));
    const onRefused = loggingRefusals(accesses, own.onRefused);
    const launch = await prepareLaunch(placed, { ...own, onRefused }, recorded);
    const logged = await recordAccesses(launch, accesses, host, settings.limits);
    return logins.withToken(spec, logged);
  };
  const prepare: Run["prepare"] = (spec, workspace, signal, isRefetching = false) =>
    prepareFor(spec, workspace, { ...(signal === undefined ? {} : { signal }), isRefetching });

  const logins = loginsOf(settings, host, (spec) => prepare(spec, settings.cwd));

  const log = host.env("SKEP_LOG") === "1"
    ? ({ server, kind, text }: ServerLog) => host.warn(`${server} ${kind}: ${text}`)
    : () => {};
  const startServers: Run["startServers"] = async (request, notices, more = {}) => {
    const { keep, accesses, off } = more;
    notices.push(...await consent.require());
    const specs = [...servers, ...request.servers];
    if (specs.length > 0) await checkWorkspace(await contextFor(request.cwd));
    const { cwd, editor, signal, onNotice = host.warn } = request;
    const { limits } = settings;
    let isStarting = true;
    const tell = (text: string) => isStarting ? void notices.push(text) : onNotice(text);
    const registry = await startRegistry({
      specs,
      unusable: [...files.flatMap(({ unusable }) => unusable), ...request.unusable ?? []],
      prepare: (spec, isRefetching, own) =>
        prepareFor(spec, cwd, {
          signal: AbortSignal.any([signal, own].filter((each) => each !== undefined)),
          ...(accesses && { accesses }),
          isRefetching,
          isWorkspaceChecked: isStarting, // once for all of them, just now
          onRefused: ({ text }) => tell(text),
        }),
      ...loggingDenials({ findDenial, explainDenial }, accesses),
      world: host,
      limits,
      onNotice: tell,
      ...(keep && { keep }),
      ...(off && { off }),
      lists: new FileKnownLists(join(settings.folders.state, "tools"), host.files, limits),
      isStrict: host.env("SKEP_STRICT") === "1",
      onLog: log,
      clientInfo: { name: "skep", version: VERSION },
      ...(request.elicitor && { elicitor: request.elicitor }),
      ...(editor && {
        editorFiles: (launch) => new EditorFiles(editor, launch, { limits, world: host }),
      }),
      roots: [cwd],
      signal: signal ?? new AbortController().signal,
    });
    isStarting = false;
    return registry;
  };

  async function open(request: SessionRequest): Promise<Session> {
    await consent.require(); // before anything of a pack runs, its scripts too
    const notices: string[] = [];
    const { cwd } = request;
    const { limits } = settings;
    const summaryId = host.env("SKEP_SUMMARY_MODEL")?.trim();
    const facts = { persona: settings.persona, model: modelId };
    const kept = await sessions.keep(request, facts, [...servers, ...request.servers], notices);
    const systemPrompt = request.systemPrompt ?? kept?.state.system;
    const sources = await promptSources(
      persona,
      { cwd, ...(systemPrompt === undefined ? {} : { systemPrompt }) },
      settings,
      host,
    );
    const redact = journalRedactor([...servers, ...request.servers], host.env);
    const id = kept?.id ?? crypto.randomUUID();
    const { onNotice = host.warn } = request;
    const accesses = await sessionAccesses(
      sessions.accesses(id),
      settings,
      host,
      redact,
      onNotice,
    );
    if (accesses !== undefined) {
      notices.push(`What servers access is logged: skep audit --session ${id} shows it`);
    }
    notices.push(...personaNotices(persona, settings));
    const hookWorld = {
      host,
      limits,
      prepare: (spec: ServerSpec) =>
        prepareFor(spec, cwd, {
          ...(request.signal && { signal: request.signal }),
          ...(accesses && { accesses }),
        }),
    };
    const stop = request.signal ?? new AbortController().signal;
    const packHooks = await startPackHooks(persona, hookWorld, stop);
    const before = settings.model === undefined ? kept?.state.model : undefined;
    const effort = kept?.state.effort;
    const opening = model(before, effort === undefined ? {} : { effort }); // its provider loads while the servers start
    opening.catch(() => {}); // awaited below
    const folder = kept === undefined
      ? join(settings.folders.state, "artifacts", id)
      : sessions.artifacts(kept.id);
    const artifacts = await openArtifacts(folder, host.files, limits);
    const keep: Keep = (content) =>
      artifacts.put(
        content.type === "text" ? { ...content, text: redact(content.text) } : content,
      );
    const off = kept?.state.off;
    const registry = await startServers(request, notices, { keep, accesses, off });
    const left = registry.servers().filter(({ state }) => state === "disabled");
    if (left.length > 0) {
      const names = left.map(({ name }) => name).join(", ");
      notices.push(`Switched off, as this session was left: ${names}`);
    }
    const serverSource: ServerSource = {
      specs: servers,
      read: async () => {
        const { persona: now } = await find();
        const hasChanged = JSON.stringify(now.servers) !== JSON.stringify(persona.servers);
        if (hasChanged) await checkPack(); // it reads all of the pack, and is asked before each prompt
        const files = await readFiles();
        const unusable = files.flatMap((file) => file.unusable);
        return { specs: interpolatedAll(now, files), unusable };
      },
      prepare: (spec) => prepare(spec, cwd, request.signal),
      onNotice,
    };
    try {
      const { system, builtIns, shelf, folderHints, ...told } = withToolNotes(
        sources,
        registry,
        limits,
      );
      notices.push(...told.notices);
      if (kept?.state.plan !== undefined) {
        const notice = await giveBackPlan(registry, kept.state.plan, stop);
        if (notice !== undefined) notices.push(notice);
      }
      const chosen = await opening;
      if (chosen.notice !== undefined) notices.unshift(chosen.notice);
      const approvals = await approvalsOf(rules, request, persona, settings, host);
      const checks = { approvals, hooks, requiresReply };
      const parts = {
        cwd,
        system,
        model: chosen,
        registry,
        builtIns,
        shelf,
        artifacts,
        notices,
        serverSource,
      };
      const more = {
        ...(folderHints && { folderHints }),
        ...(packHooks && { packHooks }),
        ...(kept && { kept }),
        ...(summaryId ? { summaryModel: await model(summaryId) } : {}),
      };
      return openSession({ ...parts, ...checks, ...more, limits, world: host });
    } catch (error) {
      await registry.close();
      throw error;
    }
  }

  const notices = [...packNotices, ...files.flatMap((file) => file.problems)];
  const sessions = started.use(keptSessions(settings, host));
  const held = started.move();
  return {
    settings,
    persona,
    servers,
    serversOff: new Map([
      ...persona.serversOff.map((each) => [each.name, whyOff(each)] as const),
      ...files.flatMap(({ off }) => [...off]),
    ]),
    hooks: hookSpecs(persona),
    consent,
    notices,
    context: contextFor,
    prepare,
    startServers,
    modelWorld: world,
    modelId,
    model,
    modelChoices: modelChooser(world),
    sessions,
    open,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
