import { messageOf } from "../errors.ts";
import type { ServerStatus } from "../mcp/registry.ts";
import type { Session } from "../session/session.ts";
import type { Reloaded } from "../session/session_servers.ts";
import { readServer } from "./new_session.ts";
import { invalid, type Params, readParams } from "./params.ts";
import type { Sessions } from "./sessions.ts";

/** The methods by which a client changes the servers of a running session. */
export const SERVER_METHODS = {
  list: "_skep/mcp/list",
  add: "_skep/mcp/add",
  remove: "_skep/mcp/remove",
  disable: "_skep/mcp/disable",
  reload: "_skep/mcp/reload",
} as const;

/** The servers of a session. */
export interface ServersResult {
  readonly servers: readonly ServerStatus[];
}

/**
 * What a client does with the servers of a session, each method with its parameters as they came. A
 * change is in the tools of the next round.
 */
export class Servers {
  readonly #sessions: Pick<Sessions, "find">;

  constructor(sessions: Pick<Sessions, "find">) {
    this.#sessions = sessions;
  }

  /** `_skep/mcp/list {sessionId}`. @throws {SkepError} `SESSION_UNKNOWN`. */
  async list(params: unknown): Promise<ServersResult> {
    const method = SERVER_METHODS.list;
    const entry = this.#sessions.find(method, readParams(method, params));
    return { servers: (await entry.awake()).mcp.list() };
  }

  /**
   * `_skep/mcp/add {sessionId, server}`, the server as in `session/new`, and with no more rights.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`, `INVALID_PARAMS`, `TOO_MANY`, `CANCELLED`.
   */
  async add(params: unknown, signal: AbortSignal): Promise<{ readonly server: ServerStatus }> {
    const method = SERVER_METHODS.add;
    const given = readParams(method, params);
    const mcp = await this.#mcp(method, given);
    try {
      readServer(given.server, method);
    } catch (error) {
      throw invalid(method, `the server cannot be used: ${messageOf(error)}`);
    }
    return { server: await mcp.add(readServer(given.server, method), signal) };
  }

  /** `_skep/mcp/remove {sessionId, name}`. @throws {SkepError} `SESSION_UNKNOWN`, `SERVER_UNKNOWN`. */
  async remove(params: unknown): Promise<ServersResult> {
    const method = SERVER_METHODS.remove;
    const given = readParams(method, params);
    const mcp = await this.#mcp(method, given);
    await mcp.remove(readName(method, given));
    return { servers: mcp.list() };
  }

  /** `_skep/mcp/disable {sessionId, name}`. @throws {SkepError} `SESSION_UNKNOWN`, `SERVER_UNKNOWN`. */
  async disable(params: unknown): Promise<{ readonly server: ServerStatus }> {
    const method = SERVER_METHODS.disable;
    const given = readParams(method, params);
    return { server: await (await this.#mcp(method, given)).disable(readName(method, given)) };
  }

  /**
   * `_skep/mcp/reload {sessionId, name}` starts that server anew, be it dead or disabled. Without a name
   * it takes over what changed on disk; servers that would get more than they had stay as they are and
   * are named, unless `accept` has their names, or is `["*"]`.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`, `SERVER_UNKNOWN`, `INVALID_PARAMS`, `CANCELLED`, and what reading
   * throws.
   */
  async reload(
    params: unknown,
    signal: AbortSignal,
  ): Promise<{ readonly server: ServerStatus } | Reloaded> {
    const method = SERVER_METHODS.reload;
    const given = readParams(method, params);
    const mcp = await this.#mcp(method, given);
    const { name, accept = [] } = given;
    if (name !== undefined) return { server: await mcp.restart(readName(method, given), signal) };
    if (!Array.isArray(accept) || !accept.every((each) => typeof each === "string")) {
      throw invalid(method, "accept must be a list of names");
    }
    return await mcp.reload(accept, signal);
  }

  /** What changes the servers: what is changed is kept nowhere, so the session does not rest from now on. */
  async #mcp(method: string, params: Params): Promise<Session["mcp"]> {
    const entry = this.#sessions.find(method, params);
    entry.staysAwake = true;
    return (await entry.awake()).mcp;
  }
}

function readName(method: string, { name }: Params): string {
  if (typeof name === "string" && name !== "") return name;
  throw invalid(method, "name must be the name of a server");
}
