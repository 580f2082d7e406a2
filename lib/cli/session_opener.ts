import { join } from "@std/path";
import type { AccessLog } from "../sandbox/accesses/access_log.ts";
import type { Redactor } from "../sandbox/redact.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Model } from "../model/model.ts";
import type { ModelSettings } from "../model/settings.ts";
import type { Persona } from "../persona/persona.ts";
import type { Keep, Registry } from "../mcp/registry.ts";
import { type ArtifactStore, openArtifacts } from "../session/artifacts.ts";
import { giveBackPlan } from "../session/give_back_plan.ts";
import type { KeptSession } from "../session/keep_session.ts";
import { openSession } from "../session/open_session.ts";
import type { ServerSource } from "../session/session_servers.ts";
import type { Session, SessionRequest } from "../session/session.ts";
import type { Host } from "../host/host.ts";
import type { Consent } from "./consent.ts";
import { withHookCode } from "./hook_code.ts";
import { journalRedactor, type KeptSessions } from "./kept_sessions.ts";
import { startPackHooks } from "./pack_hooks.ts";
import { personaNotices } from "./persona_notices.ts";
import { promptSources, withToolNotes } from "./prompt_sources.ts";
import { type RunServers, serverLogger } from "./run_servers.ts";
import { sessionAccesses } from "./session_accesses.ts";
import { approvalsOf, type SessionRules } from "./session_rules.ts";
import { type Disk, sessionSource, type SourceOptions } from "./session_source.ts";
import type { Settings } from "./settings.ts";
import { unmatched } from "./unmatched.ts";

/** What sessions of a run are opened with. */
export interface SessionOpenerOptions {
  readonly persona: Persona;
  readonly settings: Settings;
  readonly specs: readonly ServerSpec[];
  readonly servers: RunServers;
  readonly consent: Pick<Consent, "require" | "sources" | "standing" | "command">;
  readonly sessions: KeptSessions;
  readonly rules: SessionRules;
  readonly modelId: string;
  /** The model of that id, the chosen one unless given. */
  readonly model: (id?: string, choice?: Partial<ModelSettings>) => Promise<Model>;
  readonly disk: Disk;
  readonly host: Host;
}

/** Opens the sessions of a run: a new one, or one that is kept. */
export class SessionOpener {
  readonly #options: SessionOpenerOptions;

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** @throws {SkepError} `GRANT_NOT_ACCEPTED`, and what the start of servers, hooks and models throws. */
  async open(request: SessionRequest): Promise<Session> {
    const { persona, settings, consent, host } = this.#options;
    this.#options.servers.checkVariables();
    await consent.require(); // before anything of a pack runs, its scripts too
    const notices: string[] = [];
    const kept = await this.#keep(request, notices);
    const systemPrompt = request.systemPrompt ?? kept?.state.system;
    const { cwd, addedFolders, onNotice = host.warn } = request;
    const prompt = {
      ...{ cwd, onNotice },
      ...(addedFolders && { addedFolders }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    };
    const sources = await promptSources(persona, prompt, settings, host);
    const redact = journalRedactor([...this.#options.specs, ...request.servers], host.env);
    const id = kept?.id ?? crypto.randomUUID();
    const accesses = await this.#accesses(id, request, redact, notices);
    notices.push(...personaNotices(persona, settings));
    const stop = request.signal ?? new AbortController().signal;
    const packHooks = await this.#startPackHooks(request, accesses, stop);
    const opening = this.#openModel(kept);
    opening.catch(() => {}); // awaited below: its provider loads while the servers start
    const artifacts = await this.#artifacts(id, kept);
    const more = { keep: keeping(artifacts, redact), accesses, off: kept?.state.off };
    const registry = await this.#options.servers.start(request, notices, more);
    const off = registry.servers().filter(({ state }) => state === "disabled");
    if (off.length > 0) {
      const names = off.map(({ name }) => name).join(", ");
      notices.push(`Switched off, as this session was left: ${names}`);
    }
    try {
      const { limits } = settings;
      const { builtIns, shelf, folderHints, ...told } = withToolNotes(sources, registry, limits);
      let { system } = told;
      const takeText = async (now: Persona) => {
        const read = await promptSources(
          now,
          { cwd, ...(addedFolders && { addedFolders }) },
          settings,
          host,
        );
        system = withToolNotes(read, registry, limits).system;
      };
      notices.push(...told.notices);
      notices.push(...await planGivenBack(registry, kept, stop));
      notices.push(...await unmatched(this.#options.rules, registry));
      const model = await opening;
      if (model.notice !== undefined) notices.unshift(model.notice);
      return openSession({
        ...{ cwd: request.cwd, model, registry, builtIns, shelf, artifacts, notices },
        ...await this.#checks(request),
        ...await this.#summaryModel(),
        ...(folderHints && { folderHints }),
        ...(packHooks && { packHooks }),
        ...(kept && { kept }),
        serverSource: this.#source(request, systemPrompt === undefined ? takeText : undefined),
        limits,
        world: host,
        get system() {
          return system; // a reload may change it
        },
      });
    } catch (error) {
      await registry.close();
      throw error;
    }
  }

  #keep(request: SessionRequest, notices: string[]): Promise<KeptSession | undefined> {
    const { sessions, specs, settings, modelId } = this.#options;
    const facts = { persona: settings.persona, model: modelId };
    return sessions.keep(request, facts, [...specs, ...request.servers], notices);
  }

  async #accesses(
    id: string,
    { onNotice = this.#options.host.warn }: SessionRequest,
    redact: Redactor,
    notices: string[],
  ): Promise<AccessLog | undefined> {
    const { sessions, settings, host } = this.#options;
    const path = sessions.accesses(id);
    const accesses = await sessionAccesses(path, settings, host, redact, onNotice);
    if (accesses !== undefined) {
      notices.push(`What servers access is logged: skep audit --session ${id} shows it`);
    }
    return accesses;
  }

  #startPackHooks(
    { cwd, addedFolders, signal }: SessionRequest,
    accesses: AccessLog | undefined,
    stop: AbortSignal,
  ): ReturnType<typeof startPackHooks> {
    const { persona, servers, settings, consent, host } = this.#options;
    const code = { persona, consent, files: host.files, limits: settings.limits };
    const prepare = async (spec: ServerSpec) =>
      await servers.prepare(await withHookCode(spec, code), cwd, {
        addedFolders,
        ...(signal && { signal }),
        ...(accesses && { accesses }),
      });
    const world = { host, limits: settings.limits, prepare, onLog: serverLogger(host) };
    return startPackHooks(persona, world, stop);
  }

  /** The model that is chosen now, else the one that the session had. */
  #openModel(kept: KeptSession | undefined): Promise<Model> {
    const { settings, model } = this.#options;
    const before = settings.model === undefined ? kept?.state.model : undefined;
    const effort = kept?.state.effort;
    return model(before, effort === undefined ? {} : { effort });
  }

  #artifacts(id: string, kept: KeptSession | undefined): Promise<ArtifactStore> {
    const { sessions, settings, host } = this.#options;
    const folder = kept === undefined
      ? join(settings.folders.state, "artifacts", id)
      : sessions.artifacts(kept.id);
    return openArtifacts(folder, host.files, settings.limits);
  }

  async #checks(request: SessionRequest) {
    const { persona, settings, host, rules: { rules, hooks, requiresReply } } = this.#options;
    const approvals = await approvalsOf(rules, request, persona, settings, host);
    return { approvals, hooks, requiresReply };
  }

  async #summaryModel(): Promise<{ readonly summaryModel?: Model }> {
    const { host, model } = this.#options;
    const id = host.env("SKEP_SUMMARY_MODEL")?.trim();
    return id ? { summaryModel: await model(id) } : {};
  }

  #source(
    { cwd, addedFolders, signal, onNotice = this.#options.host.warn }: SessionRequest,
    takeText: SourceOptions["takeText"],
  ): ServerSource {
    const { specs, servers, persona, disk } = this.#options;
    return sessionSource({
      ...{ specs, persona, disk, takeText, onNotice },
      prepare: (spec) => servers.prepare(spec, cwd, { addedFolders, ...(signal && { signal }) }),
    });
  }
}

/** Keeps texts without the secrets that are in them. */
function keeping(artifacts: ArtifactStore, redact: Redactor): Keep {
  return (content) =>
    artifacts.put(content.type === "text" ? { ...content, text: redact(content.text) } : content);
}

/** Gives a kept session's plan back to the server that had it; what came of it is to be told. */
async function planGivenBack(
  registry: Registry,
  kept: KeptSession | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (kept?.state.plan === undefined) return [];
  const notice = await giveBackPlan(registry, kept.state.plan, signal);
  return notice === undefined ? [] : [notice];
}
