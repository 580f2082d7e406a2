import { join } from "@std/path";
import { createSocket } from "node:dgram";
import type { Libc } from "./libc.ts";
import type { World } from "./world.ts";

/** Sockets of this machine that nobody is to reach. */
export class BaitSockets {
  readonly tcpPort: number;
  readonly udpPort: number;
  /** Path of a unix socket outside the workspace. */
  readonly socket: string;
  /** An abstract name, its NUL left out. */
  readonly abstract: string;
  readonly #arrivals: Record<string, () => number>;
  readonly #close: (() => void)[];

  private constructor(
    ports: { tcpPort: number; udpPort: number },
    names: { socket: string; abstract: string },
    arrivals: Record<string, () => number>,
    close: (() => void)[],
  ) {
    this.tcpPort = ports.tcpPort;
    this.udpPort = ports.udpPort;
    this.socket = names.socket;
    this.abstract = names.abstract;
    this.#arrivals = arrivals;
    this.#close = close;
  }

  /** Opens them; those by path in `folder`, and as `socket` and `datagrams` in `workspace`. */
  static async open(
    unique: string,
    folder: string,
    workspace: string,
    world: World,
    libc: Libc,
  ): Promise<BaitSockets> {
    const tcp = world.listen({ hostname: "127.0.0.1", port: 0 });
    let connections = 0;
    const accepting = (async () => {
      for await (const connection of tcp) {
        connections++;
        connection.close();
      }
    })();
    accepting.catch(() => {}); // it ends with the listener
    const udp = createSocket("udp4");
    let datagrams = 0;
    udp.on("message", () => datagrams++);
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    const names = { socket: join(folder, "socket"), abstract: `skep-probe-${unique}` };
    const raw = {
      "after-no-unix-connection": libc.listen(names.socket, "stream"),
      "after-no-workspace-connection": libc.listen(join(workspace, "socket"), "stream"),
      "after-no-abstract-connection": libc.listen(`\0${names.abstract}`, "stream"),
      "after-no-unix-datagram": libc.listen(join(workspace, "datagrams"), "datagrams"),
      "after-no-abstract-datagram": libc.listen(`\0${names.abstract}-datagrams`, "datagrams"),
    };
    const takeAll = (read: () => number, reset: () => void) => () => {
      const count = read();
      reset();
      return count;
    };
    return new BaitSockets(
      { tcpPort: tcp.addr.port, udpPort: udp.address().port },
      names,
      {
        "after-no-tcp-connection": takeAll(() => connections, () => connections = 0),
        "after-no-udp-datagram": takeAll(() => datagrams, () => datagrams = 0),
        ...Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, each.arrivals])),
      },
      [
        () => tcp.close(),
        () => udp.close(),
        ...Object.values(raw).map((each) => each.close),
      ],
    );
  }

  /** What arrived since the last look, a sentence each. */
  check(): Record<string, string[]> {
    return Object.fromEntries(
      Object.entries(this.#arrivals).map(([name, arrivals]) => {
        const count = arrivals();
        return [name, count === 0 ? [] : [`${count} arrived`]];
      }),
    );
  }

  close(): void {
    for (const close of this.#close) close();
  }
}
