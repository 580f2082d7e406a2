import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import { isAbsolute, resolve } from "@std/path";
import { SkepError } from "../errors.ts";
import type { SessionInfo } from "../session/store.ts";
import type { Client } from "./client.ts";
import { invalid, readId, readParams } from "./params.ts";
import type { Announced, NewSessionResult, Sessions, SessionsOptions } from "./sessions.ts";

/** The reply to what opens a kept session: its client knows the id. */
export type ReopenedResult = Omit<NewSessionResult, "sessionId">;

/** What a client does with sessions that are kept. Parameters are as they came. */
export class KeptSessions {
  readonly #kept: SessionsOptions["kept"];
  readonly #folder: NonNullable<SessionsOptions["folder"]>;
  readonly #sessions: Sessions;
  readonly #client: Client;

  constructor(
    { kept, folder = (cwd) => Promise.resolve(cwd) }: Pick<SessionsOptions, "kept" | "folder">,
    sessions: Sessions,
    client: Client,
  ) {
    this.#kept = kept;
    this.#folder = folder;
    this.#sessions = sessions;
    this.#client = client;
  }

  /** `session/load`: opens a session, and shows all that was said and done in it, before the reply. */
  async load(params: unknown, signal: AbortSignal): Promise<Announced<ReopenedResult>> {
    const { entry, result, announce } = await this.#reopen("session/load", params, signal);
    for await (const replayed of (await entry.awake(signal)).replay()) {
      this.#client.replay(entry, replayed);
      await this.#client.room(signal);
    }
    return { result, announce };
  }

  /** `session/resume`: opens a session for a client that shows it already. */
  async resume(params: unknown, signal: AbortSignal): Promise<Announced<ReopenedResult>> {
    const { result, announce } = await this.#reopen("session/resume", params, signal);
    return { result, announce };
  }

  /** `session/fork`, which ACP v1 does not know yet: opens a copy of a session under an id of its own. */
  async fork(params: unknown, signal: AbortSignal): Promise<Announced<NewSessionResult>> {
    const method = "session/fork";
    await this.#checkPlace(method, params);
    const { result, announce } = await this.#sessions.reopen(method, params, true, signal);
    return { result, announce };
  }

  /** `session/list`: the sessions that can be opened, by their last use, a page at a time. */
  async list(params: unknown): Promise<ListSessionsResponse> {
    const method = "session/list";
    const { cwd, cursor } = readParams(method, params ?? {});
    if (!isNothing(cwd) && (typeof cwd !== "string" || !isAbsolute(cwd))) {
      throw invalid(method, "cwd must be an absolute path");
    }
    if (!isNothing(cursor) && typeof cursor !== "string") {
      throw invalid(method, "cursor must be text");
    }
    const store = await this.#store(method)();
    const page = await store.list({
      isPrompted: true,
      ...(typeof cwd === "string" ? { cwd: await this.#canonical(cwd, method) } : {}),
      ...(typeof cursor === "string" ? { cursor } : {}),
    });
    return {
      sessions: page.sessions.map(toListed),
      ...(page.cursor === undefined ? {} : { nextCursor: page.cursor }),
    };
  }

  /** `session/delete`: closes a session where it is open, and removes it. @throws {SkepError} `SESSION_UNKNOWN`. */
  async delete(params: unknown): Promise<Record<string, never>> {
    const method = "session/delete";
    const id = readId(method, params);
    const store = await this.#store(method)();
    if (this.#sessions.get(id) !== undefined) await this.#sessions.closeSession({ sessionId: id });
    if (await store.delete(id)) return {};
    throw new SkepError("SESSION_UNKNOWN", `${method}: unknown session "${id}"`, { sessionId: id });
  }

  /**
   * A session works where it was begun: its history speaks of those files. Only one whose folder is gone goes
   * on in another one.
   *
   * @throws {SkepError} `INVALID_PARAMS` for one that is to be opened elsewhere.
   */
  async #checkPlace(method: string, params: unknown): Promise<void> {
    const store = this.#store(method);
    const { cwd } = readParams(method, params);
    const id = readId(method, params);
    if (typeof cwd !== "string" || !isAbsolute(cwd)) return; // told by who reads the rest
    const own = (await (await store()).info(id))?.cwd;
    if (own === undefined || own === cwd) return;
    const [place, asked] = await Promise.all(
      [own, cwd].map((path) => this.#folder(path, method).catch(() => undefined)),
    );
    if (place === undefined || asked === undefined || place === asked) return;
    throw invalid(
      method,
      `session "${id}" works in ${JSON.stringify(own)}, not in ${
        JSON.stringify(cwd)
      }: open it with its own cwd`,
    );
  }

  /** As sessions have it; of a folder that is gone the path without its detours. */
  async #canonical(cwd: string, method: string): Promise<string> {
    return await this.#folder(cwd, method).catch(() => resolve(cwd));
  }

  async #reopen(method: string, params: unknown, signal: AbortSignal) {
    await this.#checkPlace(method, params);
    const { entry, result, announce } = await this.#sessions.reopen(method, params, false, signal);
    const { sessionId: _, ...state } = result;
    return { entry, result: state, announce };
  }

  #store(method: string): NonNullable<SessionsOptions["kept"]> {
    if (this.#kept !== undefined) return this.#kept;
    throw new SkepError("METHOD_UNKNOWN", `method not found: ${method}`, { method });
  }
}

/** ACP has no place for what a session took so far. */
function toListed(
  { id, cwd, title, updatedMs, turns, model, usage }: SessionInfo,
): ListSessionsResponse["sessions"][number] {
  const { costUsd, ...tokens } = usage;
  return {
    sessionId: id,
    cwd,
    ...(title === "" ? {} : { title }),
    updatedAt: new Date(updatedMs).toISOString(),
    _meta: {
      skep: {
        turns,
        model,
        ...(Object.keys(tokens).length === 0 ? {} : { usage: tokens }),
        ...(costUsd === undefined ? {} : { cost: { amount: costUsd, currency: "USD" } }),
      },
    },
  };
}

function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
