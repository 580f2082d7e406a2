import type { Connection, Listener } from "../host/sockets.ts";

/** Two ends of a connection in memory, for the unit tests of this folder. A write waits until it is read. */
export function connectionPair(): [Connection, Connection] {
  const [there, back] = [new Pipe(), new Pipe()];
  return [end(back, there), end(there, back)];
}

/** A listener in memory, with a way to connect to it. */
export class TestListener implements Listener {
  isClosed = false;
  readonly #waiting: Connection[] = [];
  #wake = Promise.withResolvers<void>();

  connect(): Connection {
    const [client, served] = connectionPair();
    this.#waiting.push(served);
    this.#wake.resolve();
    return client;
  }

  async accept(): Promise<Connection | undefined> {
    while (this.#waiting.length === 0 && !this.isClosed) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
    return this.#waiting.shift();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.#wake.resolve();
    return Promise.resolve();
  }
}

/** A connection that gives these texts, one a read, then its end; what is written to it is lost. */
export function scripted(...texts: string[]): Connection {
  const chunks = texts.map(bytesOf);
  return {
    read: (buffer) => {
      const chunk = chunks.shift();
      if (chunk === undefined) return Promise.resolve(undefined);
      const taken = chunk.subarray(0, buffer.length);
      if (taken.length < chunk.length) chunks.unshift(chunk.subarray(taken.length));
      buffer.set(taken);
      return Promise.resolve(taken.length);
    },
    write: () => Promise.resolve(),
    closeWrite: () => Promise.resolve(),
    close: () => {},
  };
}

/** All that comes from a connection until its end, each byte as one character. */
export async function readAll(connection: Connection): Promise<string> {
  const buffer = new Uint8Array(1000);
  let text = "";
  for (let count; (count = await connection.read(buffer)) !== undefined;) {
    text += Array.from(buffer.subarray(0, count), (byte) => String.fromCharCode(byte)).join("");
  }
  return text;
}

/** Reads until `text` has come, and gives all that did. */
export async function readUntil(connection: Connection, text: string): Promise<string> {
  const buffer = new Uint8Array(1);
  let read = "";
  while (!read.includes(text)) {
    const count = await connection.read(buffer);
    if (count === undefined) throw new Error(`The connection ended after ${JSON.stringify(read)}`);
    read += String.fromCharCode(...buffer.subarray(0, count));
  }
  return read;
}

/** Text as bytes, a character each. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

class Pipe {
  #bytes: Uint8Array = new Uint8Array();
  #state: "open" | "ended" | "broken" = "open";
  #changed = Promise.withResolvers<void>();

  async read(buffer: Uint8Array): Promise<number | undefined> {
    while (this.#bytes.length === 0 && this.#state === "open") await this.#changed.promise;
    if (this.#state === "broken") throw new Error("the connection is closed");
    if (this.#bytes.length === 0) return undefined;
    const taken = this.#bytes.subarray(0, buffer.length);
    buffer.set(taken);
    this.#bytes = this.#bytes.slice(taken.length);
    this.#change();
    return taken.length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#state !== "open") throw new Error("the connection is closed");
    this.#bytes = Uint8Array.from([...this.#bytes, ...bytes]);
    this.#change();
    while (this.#bytes.length > 0 && this.#state === "open") await this.#changed.promise;
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#change();
  }

  break(): void {
    this.#state = "broken";
    this.#change();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function end(incoming: Pipe, outgoing: Pipe): Connection {
  return {
    read: (buffer) => incoming.read(buffer),
    write: (bytes) => outgoing.write(bytes),
    closeWrite: () => Promise.resolve(outgoing.end()),
    close: () => {
      incoming.break();
      outgoing.end();
    },
  };
}
