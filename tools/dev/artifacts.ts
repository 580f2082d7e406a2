import { join } from "@std/path";
import type { Limits } from "../../lib/limits.ts";
import type { World } from "./world.ts";

/** Files of a session that hold what was too long for a result. The oldest go when there are too many. */
export class Artifacts {
  readonly #kept: string[] = [];
  #count = 0;

  /** @param folder Made when the first one is opened. */
  constructor(
    private readonly folder: string,
    private readonly limits: Pick<Limits, "maxArtifacts" | "maxArtifactBytes">,
    private readonly world: Pick<World, "mkdir" | "open" | "remove">,
  ) {}

  /**
   * Opens a new one for writing, readable by nobody else.
   *
   * @throws What the system says when it cannot be made.
   */
  async open(): Promise<Artifact> {
    await this.world.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, `${String(++this.#count).padStart(6, "0")}.txt`);
    // A server of the same session that crashed may have left one of that name.
    const options = { write: true, create: true, truncate: true, mode: 0o600 };
    const file = await this.world.open(path, options);
    this.#kept.push(path);
    if (this.#kept.length > this.limits.maxArtifacts) {
      await this.world.remove(this.#kept.shift()!).catch(() => {}); // a command may have removed it
    }
    return new Artifact(path, file, this.limits.maxArtifactBytes);
  }
}

/** One file that is being written. */
export class Artifact implements Disposable {
  #written = 0;
  #isWhole = true;

  constructor(
    readonly path: string,
    private readonly file: Awaited<ReturnType<World["open"]>>,
    private readonly maxBytes: number,
  ) {}

  /** False when something did not fit, or could not be written. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Appends bytes, up to the bound. */
  async write(bytes: Uint8Array): Promise<void> {
    const part = bytes.subarray(0, this.maxBytes - this.#written);
    if (part.length < bytes.length) this.#isWhole = false;
    try {
      for (let at = 0; at < part.length;) at += await this.file.write(part.subarray(at));
      this.#written += part.length;
    } catch {
      this.#isWhole = false; // a full disk: what the caller keeps itself is still there
      this.#written = this.maxBytes;
    }
  }

  [Symbol.dispose](): void {
    this.file.close();
  }
}
