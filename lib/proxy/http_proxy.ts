import type { Host } from "../host/host.ts";
import type { Connection } from "../host/sockets.ts";
import type { Limits } from "../limits.ts";
import { type Answer, answerBytes, giveAnswer } from "./answer.ts";
import { deadline } from "./deadline.ts";
import { dial } from "./dial.ts";
import type { Allows, Refused } from "./filter.ts";
import { headBytes, readHead, withRest } from "./head.ts";
import { type ProxyRequest, readRequest } from "./request.ts";
import { relay } from "./relay.ts";
import { lastResponse } from "./response.ts";
import type { Upstream } from "./upstream.ts";

/** What a proxy is made from. */
export interface ProxyOptions {
  /** The unix socket to listen on: absolute, and not there yet. */
  readonly path: string;
  readonly allows: Allows;
  /** What was refused, to whom, and the line that would allow it, in words: the answer's text. */
  readonly explain: (refused: Refused) => string;
  /** Told of every refusal, with its text. */
  readonly onRefused: (refused: Refused, text: string) => void;
  /** The person's own proxy, where that is the way out. */
  readonly upstream?: Upstream;
  readonly world: Pick<Host, "listenUnix" | "connectTcp" | "lookup" | "nowMs" | "sleep">;
  readonly limits: Pick<
    Limits,
    | "maxProxyConnections"
    | "maxProxyHeadBytes"
    | "proxyHeadMs"
    | "proxyConnectMs"
    | "proxyIdleMs"
    | "proxyPauseMs"
  >;
}

/** A proxy that runs. */
export interface Proxy {
  /** Takes no more connections, ends those that are open, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Opens an HTTP/1.1 proxy on a unix socket for one server, which lets through to what the server's grant
 * names: tunnels (`CONNECT host:port`) and plain requests (`GET http://host/…`), one a connection.
 * What a tunnel carries is not looked into: a host that serves others under its own address is
 * trusted with that.
 *
 * @throws when the socket cannot be made.
 */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const { world, limits } = options;
  const listener = await world.listenUnix(options.path);
  const closing = new AbortController();
  const open = new Set<Promise<void>>();
  let served = 0;

  const serveOne = async (client: Connection): Promise<void> => {
    const end = () => client.close();
    closing.signal.addEventListener("abort", end, { once: true });
    served++;
    try {
      if (closing.signal.aborted) return;
      if (served <= limits.maxProxyConnections) await serve(client, options, closing.signal);
      else await client.write(answerBytes({ status: 503, text: tooMany(limits) }));
    } catch {
      // The client broke off: whatever went wrong has nobody left to be told.
    } finally {
      served--;
      closing.signal.removeEventListener("abort", end);
      client.close();
    }
  };
  const acceptAll = async (): Promise<void> => {
    for (;;) {
      try {
        const client = await listener.accept();
        if (client === undefined) return;
        const task = serveOne(client).finally(() => open.delete(task));
        open.add(task);
      } catch {
        // The system is out of descriptors: some come free when connections end.
        await world.sleep(limits.proxyPauseMs, closing.signal).catch(() => {});
      }
    }
  };
  const accepting = acceptAll();
  return {
    close: async () => {
      closing.abort();
      await listener.close();
      await accepting;
      await Promise.all(open);
    },
  };
}

function tooMany({ maxProxyConnections }: ProxyOptions["limits"]): string {
  return `this server has ${maxProxyConnections} connections open already`;
}

async function serve(
  client: Connection,
  options: ProxyOptions,
  closing: AbortSignal,
): Promise<void> {
  const { world, limits } = options;
  const answer = async (own: Answer) => {
    using due = deadline(limits.proxyHeadMs, closing, world);
    await giveAnswer(client, own, due.signal);
  };
  const asked = await readAsked(client, options, closing);
  if ("status" in asked) return await answer(asked);
  const reached = await reach(asked.request, options, closing);
  if ("status" in reached) return await answer(reached);
  try {
    await carry(client, asked, reached, options, closing);
  } finally {
    reached.close();
  }
}

const PROBLEMS = {
  ended: { status: 400, text: "the request is not complete" },
  malformed: { status: 400, text: "the request's head is malformed" },
  too_large: { status: 431, text: "the request's head is too long" },
} as const satisfies Record<string, Answer>;

/** A request, and the bytes after its head that were read along. */
interface Asked {
  readonly request: ProxyRequest;
  readonly rest: Uint8Array;
}

async function readAsked(
  client: Connection,
  { world, limits }: ProxyOptions,
  closing: AbortSignal,
): Promise<Asked | Answer> {
  using due = deadline(limits.proxyHeadMs, closing, world);
  try {
    const read = await due.wait(readHead(client, limits.maxProxyHeadBytes));
    if ("problem" in read) return PROBLEMS[read.problem];
    const request = readRequest(read.head);
    return typeof request === "string" ? { status: 400, text: request } : { ...read, request };
  } catch (error) {
    if (!due.signal.aborted) throw error;
    return { status: 408, text: `the request's head took longer than ${limits.proxyHeadMs} ms` };
  }
}

async function reach(
  { host, port }: ProxyRequest,
  { explain, onRefused, ...options }: ProxyOptions,
  closing: AbortSignal,
): Promise<Connection | Answer> {
  const dialled = await dial(host, port, { ...options, closing });
  if ("connection" in dialled) return dialled.connection;
  if ("failure" in dialled) {
    return { status: dialled.isLate ? 504 : 502, text: dialled.failure };
  }
  const text = explain(dialled.refused);
  onRefused(dialled.refused, text);
  return { status: 403, text };
}

const ESTABLISHED = new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n");

async function carry(
  client: Connection,
  { request, rest }: Asked,
  server: Connection,
  { world, limits }: ProxyOptions,
  closing: AbortSignal,
): Promise<void> {
  const from = withRest(client, rest);
  if (request.kind === "tunnel") {
    await client.write(ESTABLISHED);
    return await relay(from, server, limits.proxyIdleMs, closing, world);
  }
  await server.write(headBytes(request.head));
  const answering = lastResponse(server, limits.maxProxyHeadBytes);
  await relay(from, answering, limits.proxyIdleMs, closing, world);
}
