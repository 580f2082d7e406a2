import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type ExitStatus, type Process, stopProcess } from "../host/process.ts";
import type { Limits } from "../limits.ts";
import type { WriteLog } from "./server_log.ts";
import { Stderr } from "./stderr.ts";
import { PipeTransport } from "./transport.ts";
import { within } from "./within.ts";

/** What a {@linkcode ServerProcess} is bounded by and reports to. */
export interface ServerProcessOptions {
  readonly limits: Limits;
  readonly world: Pick<Host, "sleep">;
  readonly log: WriteLog;
  /** Takes the server's secrets out of a text. */
  readonly redact: (text: string) => string;
}

/**
 * A server's child process from its start to its end, which comes by itself, by a fault of the
 * transport or by {@linkcode ServerProcess.stop}. Whatever ends it, nothing of its group is left.
 */
export class ServerProcess {
  readonly transport: PipeTransport;
  /**
   * Resolves when the child and its group are gone and every waiting request is settled, with the
   * reason as the rest of a sentence about the server: `exited with code 1; the end of its stderr: …`.
   */
  readonly ended: Promise<string>;

  readonly #process: Process;
  readonly #log: WriteLog;
  readonly #stopped = Promise.withResolvers<string>();

  /** @param process A child that was just started. */
  constructor(process: Process, { limits, world, log, redact }: ServerProcessOptions) {
    this.#process = process;
    this.#log = log;
    this.transport = new PipeTransport(process, { limits, onNoise: (line) => log("noise", line) });
    const stderr = new Stderr(
      process.stderr,
      limits.maxServerLogBytes,
      (line) => log("stderr", line),
      redact,
    );
    this.ended = this.#live(process, stderr, limits.stopServerMs, world);
  }

  /** Kills what the child started within a span; see {@linkcode Process.endStarted}. */
  endStarted(span: Parameters<Process["endStarted"]>[0]): Promise<number> {
    return this.#process.endStarted(span);
  }

  /** Stops the child and its group; the reason is given to whoever waits for it. Resolves as `ended` does. */
  stop(reason: string): Promise<string> {
    this.#stopped.resolve(reason);
    return this.ended;
  }

  async #live(
    process: Process,
    stderr: Stderr,
    stepMs: number,
    world: Pick<Host, "sleep">,
  ): Promise<string> {
    const exited = process.exited.then(describe);
    const first = await Promise.race([this.#stopped.promise, exited, this.transport.ended]);
    let reason = typeof first === "string" ? first : first.reason;
    if (typeof first !== "string" && !first.isFault) {
      // How a child exits that closed a pipe says more than that it did.
      reason = await within(exited, stepMs, world.sleep) ?? reason;
    }
    try {
      await stopProcess(process, () => this.transport.closeInput(), stepMs, world);
    } catch (error) {
      // Some other user's process, say. Whoever waits for its answers must not wait for ever.
      this.#log("health", `cannot be stopped: ${messageOf(error)}`);
    }
    // What the pipes still hold is read to its end, unless someone outside the group keeps them open.
    await within(Promise.all([this.transport.drained, stderr.ended]), stepMs, world.sleep);
    stderr.stop();
    await this.transport.close();
    return stderr.tail === "" ? reason : `${reason}; the end of its stderr: ${stderr.tail}`;
  }
}

function describe({ code, signal }: ExitStatus): string {
  return signal === undefined ? `exited with code ${code}` : `was ended by ${signal}`;
}
