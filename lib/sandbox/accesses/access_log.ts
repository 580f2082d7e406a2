import { dirname } from "@std/path";
import { messageOf, SkepError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import type { Limits } from "../../limits.ts";
import type { Redactor } from "../redact.ts";
import { type AccessRecord, recordLine } from "./access_record.ts";

/** What an {@linkcode AccessLog} takes of the world. */
export interface AccessLogOptions {
  readonly world: Pick<Host, "nowMs"> & {
    readonly files: Pick<Host["files"], "append" | "makeFolder" | "stat">;
  };
  readonly limits: Pick<Limits, "maxAccessLogBytes">;
  /** Takes secrets out of each value. */
  readonly redact: Redactor;
  /** Told once when the log can no longer be written. */
  readonly onNotice: (text: string) => void;
}

/** The access log of one session: a file of one {@linkcode AccessRecord} a line, of a bounded length. */
export class AccessLog {
  readonly path: string;
  readonly #options: AccessLogOptions;
  #bytes: number;
  #isClosed: boolean;
  #pending = "";
  #writing: Promise<void> | undefined;

  private constructor(path: string, bytes: number, options: AccessLogOptions) {
    this.path = path;
    this.#options = options;
    this.#bytes = bytes;
    this.#isClosed = bytes > options.limits.maxAccessLogBytes;
  }

  /**
   * Begins a log, or goes on with one of a session that is resumed.
   *
   * @throws {SkepError} `CONFIG_INVALID` when it cannot be written: whoever wants a log wants no session without.
   */
  static async open(path: string, options: AccessLogOptions): Promise<AccessLog> {
    const { files } = options.world;
    try {
      await files.makeFolder(dirname(path));
      await files.append(path, "");
      const { bytes = 0 } = await files.stat(path) ?? {};
      return new AccessLog(path, bytes, options);
    } catch (cause) {
      const message = `Cannot log accesses to ${path}, as SKEP_LOG_ACCESS=1 wants it: ${
        messageOf(cause)
      }`;
      throw new SkepError("CONFIG_INVALID", message, { source: "SKEP_LOG_ACCESS" }, { cause });
    }
  }

  /** Adds a record; one that does not fit ends the log with a line that says so. */
  add(record: Omit<AccessRecord, "at">): void {
    if (this.#isClosed) return;
    const { redact, limits: { maxAccessLogBytes } } = this.#options;
    const line = recordLine({ at: this.#now(), ...record, value: redact(record.value) });
    const bytes = new TextEncoder().encode(line).length;
    this.#isClosed = this.#bytes + bytes > maxAccessLogBytes;
    this.#pending += this.#isClosed
      ? recordLine({ at: this.#now(), cutOffAtBytes: maxAccessLogBytes })
      : line;
    this.#bytes += bytes;
    this.#writing ??= this.#write();
  }

  /** Resolves when all that was added is written. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    await Promise.resolve(); // what comes at once is written at once
    try {
      while (this.#pending !== "") {
        const text = this.#pending;
        this.#pending = "";
        await this.#options.world.files.append(this.path, text);
      }
    } catch (error) {
      this.#isClosed = true;
      this.#options.onNotice(`Accesses are no longer logged to ${this.path}: ${messageOf(error)}`);
    } finally {
      this.#writing = undefined;
    }
  }

  #now(): string {
    return new Date(this.#options.world.nowMs()).toISOString();
  }
}
