import { createParser } from "eventsource-parser";
import { RemoteError } from "./remote_error.ts";

/** What comes on a stream of server-sent events. */
export type StreamEvent =
  /** An event; `type` is `message` unless it says otherwise, `data` may be empty. */
  | { readonly kind: "event"; readonly type: string; readonly data: string; readonly id?: string }
  /** The server asks to wait so long before the stream is opened again. */
  | { readonly kind: "retry"; readonly ms: number };

/**
 * Reads a stream of server-sent events. Of an event that has not ended it never holds more than `limit`
 * characters and a chunk.
 *
 * @throws {RemoteError} for an event of more than `limit` characters; and what reading the body throws.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * @example
 * ```ts
 * import { events } from "./events.ts";
 *
 * const body = new Response('id: 1\ndata: {"a":1}\n\n').body!;
 * for await (const event of events(body, 1024)) {
 *   console.assert(event.kind === "event" && event.data === '{"a":1}' && event.id === "1");
 * }
 * ```
 */
export async function* events(
  body: ReadableStream<Uint8Array>,
  limit: number,
): AsyncGenerator<StreamEvent, void, void> {
  const ready: StreamEvent[] = [];
  let isTooLong = false;
  const parser = createParser({
    // What stands beside the data of one event, such as its id, is small: it has room of its own.
    maxBufferSize: limit + FIELD_ROOM,
    onEvent: ({ event, data, id }) => {
      isTooLong ||= data.length > limit;
      const more = id === undefined ? {} : { id };
      ready.push({ kind: "event", type: event ?? "message", data, ...more });
    },
    onRetry: (ms) => ready.push({ kind: "retry", ms }),
    onError: ({ type }) => isTooLong ||= type === "max-buffer-size-exceeded",
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (isTooLong) {
      throw new RemoteError(`The server sent an event of more than ${limit} characters`);
    }
    yield* ready.splice(0);
  }
}

const FIELD_ROOM = 1024;
