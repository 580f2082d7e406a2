import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * The bytes of a regular file. It is opened without waiting and checked by what was opened: anything else that
 * somebody put in its place, such as a FIFO without a writer, is refused and never waited for.
 *
 * The calls are synchronous: a thread that hangs in one could not be ended, and the files are small.
 *
 * @throws when it is missing, with the errors of Deno; longer than `maxBytes`; no regular file; or grew meanwhile.
 */
export function readPlain(path: string, maxBytes: number): Uint8Array<ArrayBuffer> {
  const file = openPlain(path);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new TypeError(`Cannot read "${path}": it is not a regular file`);
    return readAll(file, path, facts.size, maxBytes);
  } finally {
    closeSync(file);
  }
}

/** Opens without waiting, which a FIFO without a writer would make it do. @throws the errors of Deno. */
export function openPlain(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw asDenoError(error, path);
  }
}

function asDenoError(cause: unknown, path: string): unknown {
  const { code } = cause as { code?: unknown };
  const at = `open "${path}"`;
  switch (code) {
    case "ENOENT":
      return new Deno.errors.NotFound(`No such file or directory: ${at}`, { cause });
    case "ENOTDIR":
      return new Deno.errors.NotADirectory(`Not a directory: ${at}`, { cause });
    case "EACCES":
    case "EPERM":
      return new Deno.errors.PermissionDenied(`Permission denied: ${at}`, { cause });
    case "ELOOP":
      return new Deno.errors.FilesystemLoop(`Too many links: ${at}`, { cause });
    case "ENXIO": // a socket, or a device that is not there
      return new TypeError(`Cannot read "${path}": it is not a regular file`, { cause });
    default:
      return cause;
  }
}

/** Reads an opened file to its end. @throws when it is longer than `maxBytes`, or grew while it was read. */
export function readAll(
  file: number,
  path: string,
  size: number,
  maxBytes: number,
): Uint8Array<ArrayBuffer> {
  if (size > maxBytes) {
    throw new RangeError(`Cannot read "${path}" of ${size} bytes: the limit is ${maxBytes}`);
  }
  // One byte more than there should be: a file that grew meanwhile shows itself.
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
  }
  throw new RangeError(`Cannot read "${path}": it grew while it was read`);
}
