import { createHash } from "node:crypto";
import { join } from "@std/path";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { elideEnd } from "../mcp/elide.ts";
import type { Image, Text } from "../model/message.ts";

/** What results of a session were too long for, kept whole, by id. */
export interface ArtifactStore {
  /** How many there are. */
  readonly size: number;
  /** Keeps a text or an image and gives its id at once; it is written behind that, and what is there is not again. */
  put(content: Text | Image): string;
  /**
   * What was kept under an id; undefined when there is no such, or no more.
   *
   * @throws when its file could not be written, cannot be read, or is not as it was written.
   */
  get(id: string): Promise<Text | Image | undefined>;
  /** Resolves when everything so far is written, or could not be. */
  flush(): Promise<void>;
  /** Removes all of it, for good. */
  remove(): Promise<void>;
}

type World = Pick<Files, "list" | "makeFolder" | "readBytes" | "writeBytes" | "remove">;
type Bounds = Pick<Limits, "maxArtifacts" | "maxArtifactBytes">;

interface Entry {
  readonly path: string;
  readonly mediaType: string;
  /** The hash in its file's name; absent in names of an older skep. */
  readonly hash?: string;
  /** Settles when the file is there. */
  readonly written: Promise<void>;
}

/** Its id, the hash of its content, what it is. What was cut off while it was written has no such name. */
const NAME = /^(a[1-9]\d{0,8})(?:-([0-9a-f]{64}))?\.([a-z0-9+.-]{1,16})$/;

/** Whether a file of that name is an artifact. */
export function isArtifactName(name: string): boolean {
  return NAME.test(name);
}

/** Whether that is the content of an artifact's file of that name; names of an older skep tell of none. */
export function isArtifactContent(name: string, bytes: Uint8Array): boolean {
  const hash = NAME.exec(name)?.[2];
  return hash === undefined || hash === hashOf(bytes);
}

/**
 * Opens the artifacts of one session: a file each in a folder of its own, which nobody else may read (0600
 * in 0700), named after the id that the model has and the SHA-256 of its content: `a1-….txt`, `a2-….png`.
 * What an earlier run left in the folder is there again; the folder is made with the first artifact.
 *
 * @param folder Absolute, and used for nothing else.
 * @throws when the folder is there and cannot be read.
 */
export async function openArtifacts(
  folder: string,
  files: World,
  limits: Bounds,
): Promise<ArtifactStore> {
  const names = await files.list(folder).catch((error) => {
    if (error instanceof Error && error.name === "NotFound") return [];
    throw error;
  });
  const found = names.flatMap((name): [string, Entry][] => {
    const [, id, hash, extension] = NAME.exec(name) ?? [];
    if (id === undefined) return [];
    const mediaType = extension === "txt" ? "text/plain" : `image/${extension}`;
    const known = { path: join(folder, name), mediaType, written: Promise.resolve() };
    return [[id, { ...known, ...(hash === undefined ? {} : { hash }) }]];
  });
  found.sort(([a], [b]) => numberOf(a) - numberOf(b));
  return new FileArtifacts(folder, files, limits, new Map(found));
}

class FileArtifacts implements ArtifactStore {
  readonly #folder: string;
  readonly #files: World;
  readonly #limits: Bounds;
  /** The oldest first. */
  readonly #entries: Map<string, Entry>;
  readonly #removals = new Set<Promise<void>>();
  #last: number;

  constructor(folder: string, files: World, limits: Bounds, entries: Map<string, Entry>) {
    this.#folder = folder;
    this.#files = files;
    this.#limits = limits;
    this.#entries = entries;
    this.#last = Math.max(0, ...[...entries.keys()].map(numberOf));
  }

  get size(): number {
    return this.#entries.size;
  }

  put(content: Text | Image): string {
    const isText = content.type === "text";
    const mediaType = isText ? "text/plain" : content.mediaType;
    const bytes = isText ? this.#bounded(content.text) : pixels(content);
    const hash = hashOf(bytes);
    for (const [known, entry] of this.#entries) {
      if (entry.hash !== hash || entry.mediaType !== mediaType) continue;
      this.#entries.delete(known); // the one that was used last is the last to go
      this.#entries.set(known, entry);
      return known;
    }
    const id = `a${++this.#last}`;
    const extension = isText ? "txt" : mediaType.replace("image/", "");
    const path = join(this.#folder, `${id}-${hash}.${extension}`);
    const written = this.#write(path, bytes);
    const entry = { path, mediaType, hash, written };
    this.#entries.set(id, entry);
    written.catch(() => { // told to whoever asks for it; the next one of this content is written again
      if (this.#entries.get(id) === entry) this.#entries.set(id, { path, mediaType, written });
    });
    for (const oldest of [...this.#entries.keys()].slice(0, -this.#limits.maxArtifacts)) {
      this.#forget(oldest);
    }
    return id;
  }

  async get(id: string): Promise<Text | Image | undefined> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const { path, mediaType, hash, written } = entry;
    await written;
    const bytes = await this.#files.readBytes(path, this.#limits.maxArtifactBytes);
    if (hash !== undefined && hashOf(bytes) !== hash) {
      throw new TypeError(`It is damaged: ${path} is not as it was written`);
    }
    return mediaType === "text/plain"
      ? { type: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) }
      : { type: "image", mediaType, data: bytes.toBase64() };
  }

  async flush(): Promise<void> {
    const writing = [...this.#entries.values()].map(({ written }) => written);
    await Promise.allSettled([...writing, ...this.#removals]);
  }

  async remove(): Promise<void> {
    await this.flush();
    this.#entries.clear();
    await this.#files.remove(this.#folder);
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const limit = this.#limits.maxArtifactBytes;
    if (bytes.length > limit) {
      throw new RangeError(`It was not kept: it has ${bytes.length} bytes, the limit is ${limit}`);
    }
    await this.#files.makeFolder(this.#folder);
    await this.#files.writeBytes(path, bytes);
  }

  #bounded(text: string): Uint8Array {
    return new TextEncoder().encode(elideEnd(text, this.#limits.maxArtifactBytes, "\n[cut off]"));
  }

  #forget(id: string): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    const removal = entry?.written.then(() => this.#files.remove(entry.path)).catch(() => {});
    if (removal === undefined) return;
    this.#removals.add(removal);
    removal.finally(() => this.#removals.delete(removal));
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function pixels({ data }: Image): Uint8Array {
  return Uint8Array.fromBase64(data);
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}
