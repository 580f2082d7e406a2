import type {} from "@silvia-odwyer/photon-node/photon_rs.js";
import { fileURLToPath } from "node:url";
import type { World } from "../world.ts";
import { ImageRefused } from "./read_image.ts";
import {
  type Resized,
  resizeInWorker,
  type ResizeRequest,
  type ResizerParts,
} from "./resize_in_worker.ts";

/** After an image of more pixels its worker is ended. */
const KEPT_WORKER_PIXELS = 1024 * 1024;

/**
 * Makes images smaller in a worker of its own, so that nothing else waits for it. The worker is started
 * when it is first needed. One that fails or takes too long is ended, since a panic leaves photon's
 * memory as it was in the middle of its work; the next image gets a new one.
 */
export class Resizer implements Disposable {
  #worker: Worker | undefined;
  /** Images are taken one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly world: Pick<World, "readFile" | "readTextFile">) {}

  /**
   * Unpacks an image and makes it smaller where it must be.
   *
   * @throws {ImageRefused} when it cannot be unpacked, or not in that time.
   */
  async resize(
    request: ResizeRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Resized["image"]> {
    const turn = this.#last.then(() => this.#ask(request, timeoutMs, signal));
    this.#last = turn.catch(() => {}); // whoever asked is told
    return (await turn).image;
  }

  [Symbol.dispose](): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #ask(request: ResizeRequest, timeoutMs: number, signal: AbortSignal): Promise<Resized> {
    signal.throwIfAborted();
    const worker = this.#worker ??= await this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Resized>();
    const late = () => reject(new ImageRefused(`it takes more than ${timeoutMs} ms to unpack`));
    const timer = setTimeout(late, timeoutMs);
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    worker.onmessage = ({ data }: MessageEvent<Resized | string>) => {
      if (typeof data === "string") reject(new ImageRefused(told(data)));
      else resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new ImageRefused(`it cannot be unpacked (${event.message})`));
    };
    worker.postMessage(request);
    try {
      const resized = await promise;
      // Its memory grows with an image and never shrinks.
      const { width, height } = request.facts;
      if (width * height > KEPT_WORKER_PIXELS) this[Symbol.dispose]();
      return resized;
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  async #start(): Promise<Worker> {
    const parts = await loadParts(this.world);
    const code = `(${resizeInWorker.toString()})()`;
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(code)}`, {
      type: "module",
    });
    worker.postMessage(parts);
    return worker;
  }
}

/** A panic of photon says no more than that; so does an error of wasm. */
function told(message: string): string {
  return /^it /.test(message) ? message : `it cannot be unpacked (${message})`;
}

const PACKAGE = "@silvia-odwyer/photon-node/";

/**
 * Photon as bytes. From source it is imported, which takes no grant; the specifier is computed, so that
 * a bundle does not swallow it: there both files lie beside it, in the server's own read grant.
 */
async function loadParts(
  { readFile, readTextFile }: Pick<World, "readFile" | "readTextFile">,
): Promise<ResizerParts> {
  try {
    if (import.meta.url.endsWith(".ts")) {
      const [glue, wasm] = await Promise.all([
        import(`${PACKAGE}photon_rs.js`, { with: { type: "text" } }),
        import(`${PACKAGE}photon_rs_bg.wasm`, { with: { type: "bytes" } }),
      ]);
      return { glue: glue.default, wasm: wasm.default };
    }
    const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const [glue, wasm] = await Promise.all([
      readTextFile(beside("photon_rs.js")),
      readFile(beside("photon_rs_bg.wasm")),
    ]);
    return { glue, wasm };
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new ImageRefused(`this server has nothing to unpack images with (${reason})`);
  }
}
