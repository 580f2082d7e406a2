// MCP servers over HTTP on loopback: the SDK's own transports, behind a real HTTP server.
// @ts-types="@modelcontextprotocol/sdk/server/sse"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
// @ts-types="@modelcontextprotocol/sdk/server/streamableHttp"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server";
// @ts-types="@modelcontextprotocol/sdk/types"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createServer as createTlsServer } from "node:https";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A server on loopback, with all that it was asked. */
export interface HttpFixture extends AsyncDisposable {
  /** Its origin, such as `http://127.0.0.1:1234`. */
  readonly origin: string;
  readonly seen: Seen[];
}

/** Answers a request itself, and then says true. */
export type Intercept = (
  request: IncomingMessage,
  response: ServerResponse,
) => boolean | Promise<boolean>;

/** What https takes, as PEM. */
export interface Tls {
  readonly key: string;
  readonly cert: string;
}

/** Serves on a free port of loopback. */
export async function serveHttp(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  tls?: Tls,
): Promise<HttpFixture> {
  const seen: Seen[] = [];
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers } = request;
    seen.push({ method, path: url, headers });
    handle(request, response);
  };
  const server = tls === undefined ? createServer(listen) : createTlsServer(tls, listen);
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** A server of tools over streamable HTTP at `/mcp`, with sessions, and over the older way at `/sse`. */
export interface McpFixture extends HttpFixture {
  /** Ids of the sessions that are open. */
  readonly sessions: () => string[];
  /** Sessions that their client ended. */
  readonly ended: string[];
  /** Names of the tools that were called, and after its end that of one that was cancelled. */
  readonly calls: string[];
}

/** Starts such a server; `intercept` is asked before it. */
export async function serveMcp(
  intercept: Intercept = () => false,
  tls?: Tls,
): Promise<McpFixture> {
  const open = new Map<string, StreamableHTTPServerTransport>();
  const older = new Map<string, SSEServerTransport>();
  const ended: string[] = [];
  const calls: string[] = [];
  const fixture = await serveHttp(async (request, response) => {
    if (await intercept(request, response)) return;
    const url = new URL(request.url ?? "/", "http://x");
    if (url.pathname === "/mcp") {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? open.get(id) : undefined;
      if (known !== undefined) return await known.handleRequest(request, response);
      if (id !== undefined) return void response.writeHead(404).end("no such session");
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void open.set(session, transport),
        onsessionclosed: (session) => {
          open.delete(session);
          ended.push(session);
        },
      });
      await tools(calls, () => open.clear()).connect(transport);
      return await transport.handleRequest(request, response);
    }
    if (url.pathname === "/sse" && request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      older.set(transport.sessionId, transport);
      return await tools(calls, () => older.clear()).connect(transport);
    }
    const transport = older.get(url.searchParams.get("sessionId") ?? "");
    if (transport !== undefined) return await transport.handlePostMessage(request, response);
    response.writeHead(404).end("there is nothing here");
  }, tls);
  return {
    ...fixture,
    sessions: () => [...open.keys()],
    ended,
    calls,
  };
}

/** Its tools: `echo`, `steps` with progress, `slow` that only a cancel ends, `headers`, `grow` that adds one, `lose` after which no session is known, `ask` that asks a person. */
function tools(calls: string[], forget: () => void): Server {
  const server = new Server({ name: "http-fixture", version: "1" }, {
    capabilities: { tools: { listChanged: true }, logging: {} },
  });
  const names = ["echo", "steps", "slow", "headers", "grow", "lose", "ask"];
  const say = (text: string) => ({ content: [{ type: "text" as const, text }] });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map((name) => ({ name, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    calls.push(params.name);
    switch (params.name) {
      case "echo":
        return say(String(params.arguments?.text));
      case "headers":
        return say(JSON.stringify(extra.requestInfo?.headers));
      case "grow":
        names.push("grown");
        await server.sendToolListChanged();
        return say("grown");
      case "ask": {
        const properties = {
          name: { type: "string" as const },
          age: { type: "integer" as const, default: 7 },
        };
        const answer = await server.elicitInput({
          message: "who?",
          requestedSchema: { type: "object", properties },
        });
        return say(JSON.stringify(answer));
      }
      case "lose":
        forget();
        return say("lost");
      case "steps": {
        const progressToken = params._meta?.progressToken;
        for (let progress = 1; progress <= 4 && progressToken !== undefined; progress++) {
          await new Promise((resolve) => setTimeout(resolve, 900));
          await extra.sendNotification({
            method: "notifications/progress",
            params: { progressToken, progress, total: 4, message: `step ${progress}` },
          });
        }
        return say("done");
      }
      default:
        await new Promise<void>((resolve) =>
          extra.signal.addEventListener("abort", () => resolve())
        );
        calls.push("slow cancelled");
        return say("never");
    }
  });
  return server;
}
