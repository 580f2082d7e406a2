import type { Host } from "../host/host.ts";
import { COMMANDS } from "./commands.ts";
import { readFlags } from "./flags.ts";
import { serveClient } from "./serve_client.ts";

/** The two directions of a connection to an ACP client, each of lines of UTF-8. */
export interface AgentStream {
  /** What the client sends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** What the client reads; closed when the agent has ended. */
  readonly writable: WritableStream<Uint8Array>;
}

/** How an agent is served. */
export interface ServeAgentOptions {
  /** As on the command line of `skep acp`: `["--persona", "builder"]`. */
  readonly args?: readonly string[];
  /** Ends the connection as the end of its input does. */
  readonly signal?: AbortSignal;
}

/**
 * Serves the ACP agent over any pair of streams, as `skep acp` does over stdio: a socket, a pipe, a
 * client in the same program. Resolves when the client has left and all that was started has ended.
 * Signals, and what else the program prints, stay the caller's.
 *
 * @throws {SkepError} `USAGE` for arguments that `skep acp` does not take.
 *
 * @example
 * ```ts
 * import { denoHost, serveAgent } from "../../mod.ts";
 *
 * const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
 * const sent = new TextDecoderStream();
 * const [answer] = await Promise.all([
 *   new Response(sent.readable.pipeThrough(new TextEncoderStream())).text(),
 *   serveAgent(
 *     { readable: new Blob([JSON.stringify(request), "\n"]).stream(), writable: sent.writable },
 *     denoHost(),
 *   ),
 * ]);
 * if (JSON.parse(answer).result.agentInfo.title !== "Guide") throw new Error(answer);
 * ```
 */
export async function serveAgent(
  { readable, writable }: AgentStream,
  host: Host,
  { args = [], signal }: ServeAgentOptions = {},
): Promise<void> {
  const command = COMMANDS.find(({ name }) => name === "acp")!;
  const invocation = readFlags(command, args);
  const output = writable.getWriter();
  try {
    await serveClient(
      invocation,
      host,
      { input: readable, output },
      signal ?? new AbortController().signal,
    );
  } finally {
    await output.close().catch(() => {}); // a client that is gone closed it already
  }
}
