/** One request, read to its end. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One connection's answer, written step by step. */
export interface HttpAnswer {
  /** Aborted once the client has gone away, or the server is closed. */
  readonly gone: AbortSignal;
  /** Starts the answer; its body follows in chunks. */
  start(status: number, headers: Readonly<Record<string, string>>): Promise<void>;
  chunk(bytes: Uint8Array): Promise<void>;
  /** Ends the body as it should. Without it the connection just breaks. */
  finish(): Promise<void>;
  /** True once the end of the body was sent. */
  readonly isFinished: boolean;
}

/** A server on loopback that can do what a proper one never does: stop anywhere. */
export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves one request a connection, which is closed when `answer` returns. `Deno.serve` would do for
 * proper answers; it cannot break a connection without reporting that as an error of its own.
 */
export function serveHttp(
  answer: (request: HttpRequest, answer: HttpAnswer) => Promise<void>,
): HttpServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closing = new AbortController();
  const open = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const connection of listener) {
      const served = serveOne(connection, answer, closing.signal).finally(() =>
        open.delete(served)
      );
      open.add(served);
    }
  })();
  return {
    port: listener.addr.port,
    close: async () => {
      listener.close();
      closing.abort();
      await accepting;
      await Promise.all(open);
    },
  };
}

async function serveOne(
  connection: Deno.TcpConn,
  answer: (request: HttpRequest, answer: HttpAnswer) => Promise<void>,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  closing.addEventListener("abort", leave);
  let watching: Promise<void> | undefined;
  try {
    const request = await readRequest(connection);
    watching = connection.read(new Uint8Array(1)).then(leave, leave);
    await answer(request, answerOn(connection, gone.signal));
  } catch (error) {
    // A client that left in the middle is what some tests are about.
    const isClientGone = error instanceof Deno.errors.BrokenPipe ||
      error instanceof Deno.errors.ConnectionReset;
    if (!gone.signal.aborted && !isClientGone) throw error;
  } finally {
    closing.removeEventListener("abort", leave);
    connection.close();
    await watching;
  }
}

async function readRequest(connection: Deno.TcpConn): Promise<HttpRequest> {
  let text = "";
  const buffer = new Uint8Array(64 * 1024);
  const more = async () => {
    const read = await connection.read(buffer);
    if (read === null) throw new Deno.errors.BrokenPipe("the client left within its request");
    // A byte a character, so that lengths are those of bytes; the decoder "latin1" is none of the kind.
    for (const byte of buffer.subarray(0, read)) text += String.fromCharCode(byte);
  };
  while (!text.includes("\r\n\r\n")) await more();
  const end = text.indexOf("\r\n\r\n") + 4;
  const [first = "", ...lines] = text.slice(0, end - 4).split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  const length = Number(headers["content-length"] ?? 0);
  while (text.length < end + length) await more();
  const body = Uint8Array.from(text.slice(end), (character) => character.charCodeAt(0));
  const [method = "", path = ""] = first.split(" ");
  return { method, path, headers, body: new TextDecoder().decode(body) };
}

function answerOn(connection: Deno.TcpConn, gone: AbortSignal): HttpAnswer {
  const encoder = new TextEncoder();
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  const writeText = (text: string) => write(encoder.encode(text));
  let isFinished = false;
  return {
    gone,
    get isFinished() {
      return isFinished;
    },
    start: async (status, headers) => {
      const all = { ...headers, "transfer-encoding": "chunked", connection: "close" };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      await writeText(`HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n`);
    },
    chunk: async (bytes) => {
      await writeText(`${bytes.length.toString(16)}\r\n`);
      await write(bytes);
      await writeText("\r\n");
    },
    finish: async () => {
      await writeText("0\r\n\r\n");
      isFinished = true;
    },
  };
}
