import type { World } from "./world.ts";

/** What Deno has no function for. */
export interface Libc {
  /** Sets an extended attribute. False where the file system keeps none. */
  setAttribute(path: string, name: string, value: string): boolean;
  /** An extended attribute's value, undefined when there is none. */
  attribute(path: string, name: string): string | undefined;
  /** Opens a unix socket and binds it: to a path, or to an abstract name that starts with a NUL. */
  listen(address: string, kind: "stream" | "datagrams"): RawSocket;
  /** Makes a piece of System V's shared memory; gives its number, or -1. */
  shareMemory(): number;
  unshareMemory(id: number): void;
  close(): void;
}

/** A socket that is looked at now and then. */
export interface RawSocket {
  /** How many connections or datagrams came since the last look. */
  arrivals(): number;
  close(): void;
}

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const IPC_PRIVATE = 0;
const IPC_CREAT = 0o1000;
const IPC_RMID = 0;
const BACKLOG = 16;
const ADDRESS_BYTES = 110; // struct sockaddr_un
const BUFFER_BYTES = 256;

/** The C library of this process. @throws without `--allow-ffi`. */
export function openLibc(world: Pick<World, "dlopen">): Libc {
  const { symbols, close } = world.dlopen("libc.so.6", {
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
    listen: { parameters: ["i32", "i32"], result: "i32" },
    accept: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
    recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
    close: { parameters: ["i32"], result: "i32" },
    shmget: { parameters: ["i32", "usize", "i32"], result: "i32" },
    shmctl: { parameters: ["i32", "i32", "buffer"], result: "i32" },
    setxattr: { parameters: ["buffer", "buffer", "buffer", "usize", "i32"], result: "i32" },
    getxattr: { parameters: ["buffer", "buffer", "buffer", "usize"], result: "isize" },
  });
  return {
    setAttribute: (path, name, value) => {
      const bytes = new TextEncoder().encode(value);
      return symbols.setxattr(text(path), text(name), bytes, BigInt(bytes.length), 0) === 0;
    },
    attribute: (path, name) => {
      const bytes = new Uint8Array(BUFFER_BYTES);
      const length = Number(symbols.getxattr(text(path), text(name), bytes, BigInt(BUFFER_BYTES)));
      return length < 0 ? undefined : new TextDecoder().decode(bytes.subarray(0, length));
    },
    listen: (address, kind) => {
      const type = kind === "stream" ? SOCK_STREAM : SOCK_DGRAM;
      const descriptor = symbols.socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      const name = new TextEncoder().encode(address);
      const bytes = new Uint8Array(ADDRESS_BYTES);
      new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
      bytes.set(name, 2);
      const isBound = symbols.bind(descriptor, bytes, 2 + name.length) === 0 &&
        (kind === "datagrams" || symbols.listen(descriptor, BACKLOG) === 0);
      if (!isBound) throw new Error(`Cannot listen at ${JSON.stringify(address)}`);
      const takeOne = (): boolean => {
        if (kind === "datagrams") {
          return Number(symbols.recv(descriptor, new Uint8Array(1), 1n, 0)) >= 0;
        }
        const connection = symbols.accept(descriptor, null, null);
        if (connection >= 0) symbols.close(connection);
        return connection >= 0;
      };
      return {
        arrivals: () => {
          let count = 0;
          while (takeOne()) count++;
          return count;
        },
        close: () => void symbols.close(descriptor),
      };
    },
    shareMemory: () => symbols.shmget(IPC_PRIVATE, BigInt(BUFFER_BYTES), IPC_CREAT | 0o600),
    unshareMemory: (id) => void symbols.shmctl(id, IPC_RMID, null),
    close,
  };
}

function text(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${value}\0`);
}
