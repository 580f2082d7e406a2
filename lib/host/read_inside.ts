import { closeSync, fstatSync } from "node:fs";
import { sep } from "@std/path";
import { openPlain, readAll } from "./read_plain.ts";

/** A file that was read, and where it really lies. */
export interface FileInside {
  /** Canonical. */
  readonly path: string;
  /** What it holds. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a file that must lie inside a folder once its links are followed. It is opened once: what is
 * checked is what was opened, so that a link that changes meanwhile leads nowhere. Something that is
 * no regular file, such as a FIFO, is refused and never waited for.
 *
 * The calls are synchronous: they are for the small files of packs, of which there may be hundreds, and a
 * thread for each step takes five times as long.
 *
 * @param folder Canonical.
 * @returns undefined when there is no such file.
 * @throws when it leads out of the folder, is longer than `maxBytes`, is no regular file or was replaced
 * while it was read.
 */
export function readInside(
  folder: string,
  path: string,
  maxBytes: number,
): FileInside | undefined {
  const file = openThere(path);
  if (file === undefined) return undefined;
  try {
    const opened = fstatSync(file);
    const real = Deno.realPathSync(path);
    if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
      throw new TypeError(`Cannot read "${path}": it leads out of ${folder}`);
    }
    const there = Deno.lstatSync(real);
    if (there.ino !== opened.ino || there.dev !== opened.dev) {
      throw new TypeError(`Cannot read "${path}": it was replaced while it was read`);
    }
    if (!opened.isFile()) throw new TypeError(`Cannot read "${path}": it is not a regular file`);
    return { path: real, bytes: readAll(file, path, opened.size, maxBytes) };
  } finally {
    closeSync(file);
  }
}

function openThere(path: string): number | undefined {
  try {
    return openPlain(path);
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isMissing) return undefined;
    throw error;
  }
}
