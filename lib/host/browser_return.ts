import { createServer, type Server } from "node:http";

/** The same words whatever came: what a request holds is not shown. */
const PAGE = "<!doctype html><title>skep</title><p>You can close this page and go back to skep.";

/** What a login page gave to the browser: fields of the address that it was sent back to. */
export type ReturnFields = Readonly<Record<string, string>>;

/**
 * Waits on loopback for a person's browser to come back from a login page. A request that does not hold
 * our `state` is somebody else's: it gets 400, and the person may still come.
 */
export class BrowserReturn implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #came: Promise<ReturnFields>;

  private constructor(server: Server, port: number, came: Promise<ReturnFields>) {
    this.#server = server;
    this.port = port;
    this.#came = came;
  }

  /**
   * Listens on a port of 127.0.0.1, or on any that is free.
   *
   * @throws {Error} when the port is taken.
   */
  static async open(state: string, wantedPort = 0): Promise<BrowserReturn> {
    const came = Promise.withResolvers<ReturnFields>();
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "/", "http://localhost");
      const isOurs = searchParams.get("state") === state;
      response.writeHead(isOurs ? 200 : 400, { "content-type": "text/html; charset=utf-8" });
      response.end(PAGE);
      if (isOurs) came.resolve(Object.fromEntries(searchParams));
    });
    const listening = Promise.withResolvers<void>();
    server.once("error", listening.reject);
    server.listen(wantedPort, "127.0.0.1", listening.resolve);
    await listening.promise;
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return new BrowserReturn(server, port, came.promise);
  }

  /** The fields that the browser came back with. */
  wait(): Promise<ReturnFields> {
    return this.#came;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }
}
