import type { NewSessionResponse } from "@agentclientprotocol/sdk";
import { resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Effort } from "../model/effort.ts";
import type { Model } from "../model/model.ts";
import type { Session, SessionRequest } from "../session/session.ts";
import type { SessionStore } from "../session/store.ts";
import { availableCommands } from "./commands.ts";
import type { Client, ClientOptions } from "./client.ts";
import { Entry, type SessionFacts } from "./entry.ts";
import type { Logins } from "./logins.ts";
import { ModelLists, type ModelListsOptions } from "./model_lists.ts";
import { withoutIdentityKeys } from "./identity_keys.ts";
import { type NewSession, readNewSession } from "./new_session.ts";
import { invalid, type Params, readId, readParams } from "./params.ts";
import { type ModelList, sessionModels, sessionModes, sessionOptions } from "./session_options.ts";
import { titleOf } from "./title_of.ts";

/** What the sessions of a connection are made with. */
export interface SessionsOptions extends ClientOptions, ModelListsOptions {
  /** Opens a session. @throws {SkepError} `CANCELLED` when its signal was aborted. */
  readonly open: (request: SessionRequest) => Promise<Session>;
  /**
   * The model of that id, which may be the provider's own name for one of the same provider as `beside`.
   *
   * @throws {SkepError} `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`.
   */
  readonly resolveModel: (
    id: string,
    choice: { readonly beside: string; readonly effort: Effort | undefined },
  ) => Promise<Model>;
  /**
   * The canonical path of a session's folder, for that method; absent: folders are not looked at. `what`
   * names the folder in errors: its `cwd`, unless given.
   *
   * @throws {SkepError} `INVALID_PARAMS` when there is no such folder.
   */
  readonly folder?: (path: string, method: string, what?: string) => Promise<string>;
  /** The sessions that are kept; absent: none are, and the client is told so. */
  readonly kept?: () => Promise<Pick<SessionStore, "list" | "info" | "delete">>;
  /** The identity's private key, which a client gave to a server, is passed on to it. */
  readonly passesKeys?: boolean;
  /** Resolves when skills may have changed; absent: they are looked for behind each turn alone. */
  readonly untilSkillsChange?: (signal: AbortSignal) => Promise<void>;
  /** Where the provider needs a person to log in; absent: it does not. */
  readonly logins?: Logins;
  readonly limits:
    & ClientOptions["limits"]
    & ModelListsOptions["limits"]
    & Pick<
      Limits,
      | "idleSessionS"
      | "keepaliveMs"
      | "maxPromptBytes"
      | "maxRunningTurns"
      | "maxSessions"
      | "maxSessionTitleBytes"
    >;
  readonly world: Pick<Host, "warn" | "sleep">;
}

/** The reply to `session/new`: ACP's own, for who wants it with the models as buzz-agent lists them. */
export type NewSessionResult = NewSessionResponse & { readonly models?: ModelList };

/** A reply, and what is told right after it: before, a client does not know the session and would drop it. */
export interface Announced<T> {
  readonly result: T;
  readonly announce: () => void;
}

/** The sessions of one connection: opened, found, closed. Parameters are as they came. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #client: Client;
  readonly #lists: ModelLists;
  readonly #entries = new Map<string, Entry>();
  readonly #opening = new Set<Promise<Entry>>();
  readonly #closing = new AbortController();
  #isWatching = false;

  constructor(options: SessionsOptions, client: Client) {
    this.#options = options;
    this.#client = client;
    this.#lists = new ModelLists(options, () => {
      for (const entry of this.#entries.values()) this.tellOptions(entry);
    });
  }

  /** `session/new`. @throws {SkepError} `INVALID_PARAMS`, and what opening throws. */
  async create(params: unknown, signal: AbortSignal): Promise<Announced<NewSessionResult>> {
    const { request, problems, title } = this.#read(params, "session/new");
    const later = this.#noticesLater();
    const called = title === undefined ? {} : { title };
    const told = { ...request, ...called, isKeptAtOnce: true, onNotice: later.onNotice };
    const entry = await this.#open("session/new", told, this.#options.open, signal);
    const { id, notices } = entry.session;
    return {
      result: { sessionId: id, ...this.#state(entry) },
      announce: () => {
        this.tellCommands(entry);
        if (title !== undefined) this.nameSession(entry, [{ type: "text", text: title }]);
        for (const text of [...problems, ...notices]) this.#client.notice(id, text);
        later.begin(id);
      },
    };
  }

  /**
   * Opens a kept session, or a copy of it. One that is open here is closed first.
   *
   * @throws {SkepError} `SESSION_BUSY` while its turn runs; `SESSION_UNKNOWN`, and what opening throws.
   */
  async reopen(
    method: string,
    params: unknown,
    isFork: boolean,
    signal: AbortSignal,
  ): Promise<Announced<NewSessionResult> & { readonly entry: Entry }> {
    const { request, problems } = this.#read(params, method);
    const id = readId(method, params);
    const open = this.#entries.get(id);
    if (open !== undefined && !isFork) await this.#leave(method, open);
    const resume = { id, ...(isFork ? { isFork } : {}) };
    const later = this.#noticesLater();
    const told = { ...request, resume, onNotice: later.onNotice };
    const entry = await this.#open(method, told, this.#options.open, signal);
    const { session } = entry;
    entry.effort = entry.live?.effort;
    entry.title = entry.live?.title;
    return {
      entry,
      result: { sessionId: session.id, ...this.#state(entry) },
      announce: () => {
        this.tellCommands(entry);
        for (const text of [...problems, ...session.notices]) this.#client.notice(session.id, text);
        later.begin(session.id);
      },
    };
  }

  /** `session/close`: cancels what runs, and lets go of all that the session holds. @throws {SkepError} `SESSION_UNKNOWN`. */
  async closeSession(params: unknown): Promise<Record<string, never>> {
    const method = "session/close";
    const entry = this.find(method, readParams(method, params));
    this.#entries.delete(entry.session.id);
    await this.#end(entry);
    return {};
  }

  /** The session that parameters name. @throws {SkepError} `INVALID_PARAMS`, `SESSION_UNKNOWN`. */
  find(method: string, params: Params): Entry {
    const id = readId(method, params);
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry;
    throw new SkepError("SESSION_UNKNOWN", `${method}: unknown session "${id}"`, { sessionId: id });
  }

  /** The session of that id, if there is one. */
  get(sessionId: unknown): Entry | undefined {
    return typeof sessionId === "string" ? this.#entries.get(sessionId) : undefined;
  }

  /** What a session can be set to. */
  optionsOf(entry: Entry): ReturnType<typeof sessionOptions> {
    return sessionOptions(entry, { models: this.#lists.known, isBare: this.#client.isBuzz });
  }

  /** Tells the client that what a session is set to has changed. */
  tellOptions(entry: Entry): void {
    const configOptions = this.optionsOf(entry);
    this.#client.tell(entry.session.id, { sessionUpdate: "config_option_update", configOptions });
  }

  /** Tells the client what can be called for by `/NAME`, unless it knows. */
  tellCommands(entry: Entry): void {
    if (this.#client.isBuzz) return; // it offers none
    const { live } = entry;
    if (live === undefined || this.#entries.get(live.id) !== entry) return; // it rests, or was closed
    const commands = availableCommands(live);
    const told = JSON.stringify(commands);
    if (entry.commands === told) return;
    entry.commands = told;
    this.#client.tell(entry.session.id, {
      sessionUpdate: "available_commands_update",
      availableCommands: commands,
    });
  }

  /** Looks for the skills of a session again, and tells of its commands when that changed them. */
  findCommands(entry: Entry): void {
    if (this.#client.isBuzz || entry.live === undefined) return;
    // A folder that cannot be read now is looked at again.
    entry.live.findSkills().then(() => this.tellCommands(entry), () => {});
  }

  /** Learns which models there are beside one that a session has gone over to. */
  async learnModels(current: string): Promise<void> {
    await this.#lists.look(current);
  }

  /** Gives a session that has none the name by which lists show it, from its first words, and tells the client. */
  nameSession(entry: Entry, words: Parameters<typeof titleOf>[0]): void {
    if (entry.title !== undefined) return;
    const title = titleOf(words, this.#options.limits.maxSessionTitleBytes);
    if (title === undefined) return;
    entry.title = title;
    this.#client.tell(entry.session.id, { sessionUpdate: "session_info_update", title });
  }

  /** Gives up what is being opened, cancels what runs, and closes every session. */
  async close(): Promise<void> {
    this.#closing.abort(new SkepError("CANCELLED", "The connection has ended", {}));
    const closing = [...this.#entries.values()].map((entry) => this.#end(entry));
    await Promise.allSettled([...closing, ...this.#opening]);
  }

  /** What comes up in a session is told once its client knows it. */
  #noticesLater() {
    const announced = Promise.withResolvers<string>();
    return {
      onNotice: (text: string) =>
        void announced.promise.then((id) => this.#client.notice(id, text)),
      begin: announced.resolve,
    };
  }

  #read(params: unknown, method: string): NewSession {
    const read = readNewSession(params, method);
    const { servers, notice } = withoutIdentityKeys(
      read.request.servers,
      this.#options.passesKeys === true,
    );
    const problems = notice === undefined ? read.problems : [...read.problems, notice];
    return { ...read, request: { ...read.request, servers }, problems };
  }

  async #open(
    method: string,
    request: SessionRequest,
    open: SessionsOptions["open"],
    signal: AbortSignal,
  ): Promise<Entry> {
    const { maxSessions } = this.#options.limits;
    if (this.#entries.size + this.#opening.size >= maxSessions) {
      throw invalid(method, `max sessions reached: the limit is ${maxSessions}`);
    }
    const failed = new AbortController();
    const idOf = async () => (await opening).session.id;
    const editor = this.#client.editor(request.cwd, idOf);
    const opening: Promise<Entry> = this.#opened(method, open, {
      ...request,
      approver: async (...question) => await this.#client.ask(await opening, ...question),
      elicitor: this.#client.elicitor(idOf),
      ...(editor && { editor }),
      signal: AbortSignal.any([signal, this.#closing.signal, failed.signal]),
    });
    this.#opening.add(opening);
    const looking = this.#lists.look(); // while the servers start
    looking.catch(() => failed.abort());
    const entry = await opening.finally(() => this.#opening.delete(opening))
      .catch(async (error) => {
        await looking; // it has the better reason when it was what failed
        throw error;
      });
    try {
      await looking;
      return entry;
    } catch (error) {
      this.#entries.delete(entry.session.id);
      await this.#end(entry);
      throw error;
    }
  }

  async #opened(
    method: string,
    open: SessionsOptions["open"],
    given: SessionRequest,
  ): Promise<Entry> {
    const request = await this.#placed(method, given);
    const session = await open(request);
    if (this.#closing.signal.aborted) {
      await session.close().catch(() => {}); // the connection has ended: nobody could be told
      throw this.#closing.signal.reason;
    }
    const { limits, world } = this.#options;
    const entry = new Entry(session, request, {
      ...{ limits, world },
      wake: (again, before): Promise<Session> => this.#wake(entry, open, again, before),
      onNotice: (text) => this.#client.notice(session.id, text),
    });
    this.#entries.set(session.id, entry);
    if (!this.#isWatching) this.#watchSkills();
    return entry;
  }

  /** Skills come and go while nobody prompts. */
  async #watchSkills(): Promise<void> {
    this.#isWatching = true;
    const { untilSkillsChange } = this.#options;
    if (untilSkillsChange === undefined) return;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await untilSkillsChange(signal).catch(() => {}); // the connection ends
      for (const entry of this.#entries.values()) this.findCommands(entry);
    }
  }

  /** Opens a session again that rested, with the model that it had: a command line may name another one. */
  async #wake(
    { effort }: Entry,
    open: SessionsOptions["open"],
    request: SessionRequest,
    { modelId }: SessionFacts,
  ): Promise<Session> {
    const session = await open(await this.#placed("session/prompt", request));
    try {
      if (session.modelId !== modelId) {
        const { resolveModel } = this.#options;
        session.setModel(await resolveModel(modelId, { beside: modelId, effort }), effort);
      }
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** The request with the canonical paths of its folders; one that lies in another of them adds nothing. */
  async #placed(method: string, request: SessionRequest): Promise<SessionRequest> {
    const { folder } = this.#options;
    const cwd = await folder?.(request.cwd, method) ?? request.cwd;
    const named = resolve(request.cwd);
    const added: string[] = [];
    for (const path of request.addedFolders ?? []) {
      const place = await folder?.(path, method, "additionalDirectories:") ?? path;
      if (![cwd, ...added].includes(place)) added.push(place);
    }
    return {
      ...{ ...request, cwd },
      ...(cwd === named ? {} : { namedCwd: named }),
      ...(request.addedFolders && { addedFolders: added }),
    };
  }

  async #leave(method: string, entry: Entry): Promise<void> {
    const { id } = entry.session;
    if (entry.live?.isRunning) {
      const text = `${method}: session "${id}" is open, and its turn runs`;
      throw new SkepError("SESSION_BUSY", text, { sessionId: id });
    }
    this.#entries.delete(id);
    await this.#end(entry);
  }

  #state(entry: Entry): Omit<NewSessionResult, "sessionId"> {
    const context = { models: this.#lists.known, isBare: this.#client.isBuzz };
    return {
      ...(this.#client.takesUnstable ? { models: sessionModels(entry, context) } : {}),
      modes: sessionModes(entry),
      configOptions: sessionOptions(entry, context),
    };
  }

  async #end(entry: Entry): Promise<void> {
    try {
      await entry.end();
    } catch (error) {
      this.#options.world.warn(`Cannot close session ${entry.session.id}: ${messageOf(error)}`);
    }
  }
}
