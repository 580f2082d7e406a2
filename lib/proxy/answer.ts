import type { Connection } from "../host/sockets.ts";
import { headBytes } from "./head.ts";

/** Answers that the proxy gives itself: status to its words. */
const STATUSES = {
  400: "Bad Request",
  403: "Forbidden",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
} as const;

/** An answer of the proxy's own: a status, and one line for a person. */
export interface Answer {
  readonly status: keyof typeof STATUSES;
  readonly text: string;
}

/** An answer as HTTP: plain text, after which the connection ends. */
export function answerBytes({ status, text }: Answer): Uint8Array {
  const body = new TextEncoder().encode(`skep: ${text}\n`);
  const head = headBytes({
    line: `HTTP/1.1 ${status} ${STATUSES[status]}`,
    fields: [
      { name: "Content-Type", value: "text/plain; charset=utf-8" },
      { name: "Content-Length", value: `${body.length}` },
      { name: "Connection", value: "close" },
    ],
  });
  return Uint8Array.from([...head, ...body]);
}

/**
 * Gives an answer and ends our stream, then reads what the client still sends until it ends too, or the
 * signal is aborted: a connection that is closed over unread bytes takes the answer along.
 */
export async function giveAnswer(
  client: Connection,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  signal.addEventListener("abort", client.close, { once: true });
  try {
    await client.write(answerBytes(answer));
    await client.closeWrite();
    const unread = new Uint8Array(4096);
    while (await client.read(unread) !== undefined);
  } catch {
    // The client is gone, or time is up: there is nobody left to tell.
  } finally {
    signal.removeEventListener("abort", client.close);
    client.close();
  }
}
