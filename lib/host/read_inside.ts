import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { sep } from "@std/path";

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
  const file = openPlain(path);
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

/** Opens without waiting, which a FIFO without a writer would make it do. */
function openPlain(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function readAll(
  file: number,
  path: string,
  size: number,
  maxBytes: number,
): Uint8Array<ArrayBuffer> {
  if (size > maxBytes) {
    throw new RangeError(`Cannot read "${path}" of ${size} bytes: the limit is ${maxBytes}`);
  }
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) return bytes.slice(0, length);
    length += read;
  }
  throw new RangeError(`Cannot read "${path}": it grew while it was read`);
}
