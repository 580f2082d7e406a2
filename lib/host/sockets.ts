/** An open connection, as two streams of bytes. */
export interface Connection {
  /**
   * Reads into `buffer` what is there, at least one byte, and gives how many; undefined when the other
   * side has ended its stream. @throws when the connection broke or was closed.
   */
  read(buffer: Uint8Array): Promise<number | undefined>;
  /** Writes all of `bytes`, waiting until they are taken. @throws when the connection broke or is closed. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends our stream; the other side's goes on. */
  closeWrite(): Promise<void>;
  /** Closes both streams; what waits for them fails. Nothing happens the second time. */
  close(): void;
}

/** A place where others connect. */
export interface Listener {
  /** The next connection; undefined when it was closed. @throws when the system has no place for one. */
  accept(): Promise<Connection | undefined>;
  /** Takes no more connections, and removes what was made for it. */
  close(): Promise<void>;
}

/**
 * Listens on a unix socket at a path that is not there yet; only this user may connect, whatever the
 * rights of its folder. @throws when the path is taken, or longer than the system's 107 bytes.
 */
export async function listenUnix(path: string): Promise<Listener> {
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o600);
  let isClosed = false;
  return {
    accept: async () => {
      try {
        return connection(await listener.accept());
      } catch (error) {
        if (isClosed) return undefined;
        throw error;
      }
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      listener.close();
      await Deno.remove(path).catch(() => {}); // its folder may be gone already
    },
  };
}

/**
 * Connects to an IP address, written without brackets. No name is looked up: the address is the one that is
 * reached. @throws when nobody answers there, and the signal's reason as soon as that is aborted.
 */
export async function connectTcp(
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<Connection> {
  const hostname = address.includes(":") ? `[${address}]` : address;
  return connection(await Deno.connect({ hostname, port, signal }));
}

/**
 * The addresses of a name, at least one, in the order in which they should be tried. It asks the
 * system's own resolver (getaddrinfo), as every program of the machine does, so that `/etc/hosts`, a local
 * name service and the order of address families count; `Deno.resolveDns` would ask name servers alone.
 * @throws when there is no such name, or nobody to ask.
 */
export async function lookup(name: string): Promise<string[]> {
  // Loaded here, since it brings Deno's Node layer along, which no start of the program should pay for.
  const dns = await import("node:dns/promises");
  const found = await dns.lookup(name, { all: true });
  return found.map(({ address }) => address);
}

function connection(conn: Deno.TcpConn | Deno.UnixConn): Connection {
  let isClosed = false;
  return {
    read: async (buffer) => await conn.read(buffer) ?? undefined,
    write: async (bytes) => {
      for (let written = 0; written < bytes.length;) {
        written += await conn.write(bytes.subarray(written));
      }
    },
    closeWrite: () => conn.closeWrite(),
    close: () => {
      if (isClosed) return;
      isClosed = true;
      conn.close();
    },
  };
}
