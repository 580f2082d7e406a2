import { AgentApp, RequestError } from "@agentclientprotocol/sdk";
import { SkepError } from "../errors.ts";
import { Client } from "./client.ts";
import { toRpcError } from "./error.ts";
import type { ClientFacts } from "./initialize.ts";
import { authenticate, logout } from "./logins.ts";
import { KeptSessions } from "./kept_sessions.ts";
import { Link } from "./link.ts";
import type { Outbound } from "./outbound.ts";
import { type Answered, Requests } from "./requests.ts";
import type { RpcId, RpcNotification, RpcRequest } from "./rpc.ts";
import { SERVER_METHODS, Servers } from "./servers.ts";
import { SessionSettings } from "./session_settings.ts";
import { type Announced, Sessions, type SessionsOptions } from "./sessions.ts";
import { STEER, Turns } from "./turns.ts";

/** The agent behind the frame layer: every method but `initialize`. */
export interface Agent {
  /** Takes a message of the client's. */
  deliver(message: RpcRequest | RpcNotification): void;
  /** Takes what the client answered to a request of ours. */
  settle(id: RpcId, answered: Answered): void;
  /** Cancels what runs, closes the sessions, and resolves when every request has its reply. */
  close(): Promise<void>;
  /** Ends the connection: a reply that has not been sent by now never will be. */
  end(): void;
}

/**
 * Connects the sessions to the ACP SDK, which is loaded with this file and only with it.
 *
 * Both handlers are the SDK's fallbacks. So parameters come as the client sent them (the SDK's own
 * parsers drop `systemPrompt` and refuse a session for one bad server), and messages reach us in the
 * order in which they came: named handlers are tried one after another, each a moment later, so that
 * a cancel could overtake the prompt that it is meant for.
 */
export function connectAgent(
  options: SessionsOptions,
  outbound: Outbound,
  client: () => ClientFacts,
): Agent {
  const requests = new Requests(outbound);
  const told = new Client(options, outbound, requests, client);
  const sessions = new Sessions(options, told);
  const turns = new Turns(options, sessions, told);
  const settings = new SessionSettings(options, sessions, told);
  const servers = new Servers(sessions);
  const onDefect = (where: string, thrown: unknown) =>
    options.world.warn(`Defect in ${where}: ${thrown instanceof Error ? thrown.stack : thrown}`);
  const link = new Link(outbound, onDefect);
  const kept = new KeptSessions(options, sessions, told);
  const announced = async <T>(id: RpcId, answer: Announced<T> | Promise<Announced<T>>) => {
    const { result, announce } = await answer;
    link.afterReply(id, announce);
    return result;
  };
  const answer = async (
    method: string,
    params: unknown,
    id: RpcId,
    signal: AbortSignal,
  ): Promise<unknown> => {
    switch (method) {
      case "authenticate":
        return await authenticate(params, options.logins);
      case "logout":
        return await logout(options.logins);
      case "session/new":
        return await announced(id, sessions.create(params, signal));
      case "session/load":
        return await announced(id, kept.load(params, signal));
      case "session/resume":
        return await announced(id, kept.resume(params, signal));
      case "session/fork":
        return await announced(id, kept.fork(params, signal));
      case "session/list":
        return await kept.list(params);
      case "session/delete":
        return await kept.delete(params);
      case "session/close":
        return await sessions.closeSession(params);
      case "session/prompt":
        return await turns.prompt(params, signal);
      case STEER:
        return await announced(id, turns.steer(params));
      case "session/cancel":
        return turns.cancel(params) ?? null;
      case "session/set_config_option":
        return await settings.setOption(params);
      case "session/set_mode":
        return await settings.setMode(params);
      case "session/set_model":
        return await settings.setModel(params);
      case SERVER_METHODS.list:
        return await servers.list(params);
      case SERVER_METHODS.add:
        return await servers.add(params, signal);
      case SERVER_METHODS.remove:
        return await servers.remove(params);
      case SERVER_METHODS.disable:
        return await servers.disable(params);
      case SERVER_METHODS.reload:
        return await servers.reload(params, signal);
      default:
        throw new SkepError("METHOD_UNKNOWN", `method not found: ${method}`, { method });
    }
  };
  new AgentApp({ name: "skep" })
    .onRequest("*", async ({ method, params, requestId, signal }) => {
      try {
        return await answer(method, params, requestId, signal);
      } catch (thrown) {
        const { code, message } = toRpcError(thrown, {
          isBuzz: told.isBuzz,
          hasLogins: (options.logins?.methods.length ?? 0) > 0,
        });
        if (!(thrown instanceof SkepError) || thrown.code === "DEFECT") {
          onDefect(method, thrown);
        }
        throw new RequestError(code, message);
      }
    })
    .onNotification("*", ({ method, params }) => {
      if (method === "session/cancel") turns.cancel(params);
    })
    .connect(link.stream);
  return {
    deliver: (message) => link.deliver(message),
    settle: (id, answered) => requests.settle(id, answered),
    close: async () => {
      await sessions.close();
      await link.answered();
    },
    end: () => link.end(),
  };
}
