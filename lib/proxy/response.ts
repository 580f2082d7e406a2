import type { Connection } from "../host/sockets.ts";
import { answerBytes } from "./answer.ts";
import { endToEnd, headBytes, readHead, withRest } from "./head.ts";

/**
 * The server's side of one plain request. The head of its answer says to the client that the connection
 * ends after it, whatever the server says: the next request may be for another host. Interim answers
 * (100 Continue) pass as they come. A server that answers with no HTTP/1 is answered for, with 502.
 *
 * @param limit Most bytes of a head.
 */
export function lastResponse(server: Connection, limit: number): Connection {
  let from = server;
  let isHeadOver = false;
  let waiting = new Uint8Array();
  const nextHead = async (): Promise<Uint8Array> => {
    const read = await readHead(from, limit);
    const [, status] = "head" in read ? /^HTTP\/1\.[01] (\d{3})\b/.exec(read.head.line) ?? [] : [];
    if ("problem" in read || status === undefined || status === "101") {
      isHeadOver = true;
      from = { ...server, read: () => Promise.resolve(undefined) };
      return answerBytes({ status: 502, text: "the server's answer is no HTTP/1.1" });
    }
    from = withRest(from, read.rest);
    if (status.startsWith("1")) return headBytes(read.head);
    isHeadOver = true;
    const fields = [...endToEnd(read.head.fields), { name: "Connection", value: "close" }];
    return headBytes({ ...read.head, fields });
  };
  return {
    ...server,
    read: async (buffer) => {
      if (waiting.length === 0 && !isHeadOver) waiting = Uint8Array.from(await nextHead());
      if (waiting.length === 0) return await from.read(buffer);
      const taken = waiting.subarray(0, buffer.length);
      buffer.set(taken);
      waiting = waiting.subarray(taken.length);
      return taken.length;
    },
  };
}
