import { type Hold, hold } from "./hold.ts";
import type { FileInside } from "./read_inside.ts";

/** What is known of one file without opening it. */
export interface FileFacts {
  /** A regular file. */
  readonly isFile: boolean;
  /** A folder. */
  readonly isDirectory: boolean;
  /** A link; only `lstat` sees one. */
  readonly isSymlink: boolean;
  /** Its length. */
  readonly bytes: number;
  /** Permission bits, such as 0o600; undefined where the system has none. */
  readonly mode: number | undefined;
  /** When it was written last, in milliseconds since 1970; absent where the system does not tell. */
  readonly writtenMs?: number;
}

/** Which file it is that has a name, and when the system last noted a change of it or, in a folder, of its names. */
export interface FileIdentity {
  /** A link, which is not followed. */
  readonly isSymlink: boolean;
  /** Another one for another file, though it has the same name. */
  readonly id: string;
  /** Milliseconds since 1970, a whole second. No program can set it, as it can the time of writing. */
  readonly changedMs: number;
}

/** Files and folders, as the runtime sees them. Paths are absolute. */
export interface Files {
  /** The text of a UTF-8 file of at most `maxBytes`. @throws when it is missing, longer, or not UTF-8. */
  readText(path: string, maxBytes: number): Promise<string>;
  /**
   * The bytes of a regular file of at most `maxBytes`. Anything else there, such as a FIFO, is never waited for.
   * @throws when it is missing, longer, or no regular file.
   */
  readBytes(path: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * A file of at most `maxBytes` that lies inside `folder`, which is canonical, once its links are followed:
   * opened once, and checked by what was opened. Undefined when there is none. @throws for any other file.
   */
  readInside(folder: string, path: string, maxBytes: number): Promise<FileInside | undefined>;
  /** Replaces a file in one step, through a temporary one beside it. `mode` is 0o600 unless given. */
  writeText(path: string, text: string, mode?: number): Promise<void>;
  /** Makes a new file in a folder that nobody else writes. `mode` is 0o600 unless given. */
  writeBytes(path: string, bytes: Uint8Array, mode?: number): Promise<void>;
  /** Adds text to the end of a file, which is made with 0o600 where there is none. */
  append(path: string, text: string): Promise<void>;
  /** Facts of the file that `path` leads to, links followed; undefined when there is none. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Facts of `path` itself, a link not followed; undefined when there is none. */
  lstat(path: string): Promise<FileFacts | undefined>;
  /** Which file it is that `path` names; undefined when there is none, or the system does not tell. */
  identity(path: string): Promise<FileIdentity | undefined>;
  /** The canonical path: absolute, every link resolved. @throws when it does not exist. */
  realPath(path: string): Promise<string>;
  /** Names in a folder, sorted. @throws when it cannot be read. */
  list(path: string): Promise<string[]>;
  /** Makes a folder and its parents, mode 0o700. */
  makeFolder(path: string): Promise<void>;
  /** Makes a new private folder (0o700) below the system's temporary one; its name starts with `prefix`. */
  makeTempFolder(prefix: string): Promise<string>;
  /** Copies a file with its permission bits. @throws when it cannot be read, or written there. */
  copy(from: string, to: string): Promise<void>;
  /** Sets the permission bits of a file or folder. @throws when it is somebody else's. */
  setMode(path: string, mode: number): Promise<void>;
  /** Gives a file or folder another name. @throws when a folder that is not empty has that name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a folder with all below it; nothing happens when it is missing. */
  remove(path: string): Promise<void>;
  /** Removes a folder that has nothing in it; any other stays. */
  removeEmptyFolder(path: string): Promise<void>;
  /** Takes a hold on a file or folder, which nobody else has when it is exclusive; undefined when it was replaced meanwhile. */
  hold(path: string, isExclusive?: boolean): Promise<Hold | undefined>;
}

/** {@linkcode Files} over Deno. */
export function denoFiles(): Files {
  return {
    readText,
    readBytes,
    // Loaded when it is used: it brings Deno's Node layer along, for which no start should wait.
    readInside: async (...args) => (await import("./read_inside.ts")).readInside(...args),
    writeText,
    writeBytes: (path, bytes, mode = 0o600) =>
      Deno.writeFile(path, bytes, { mode, createNew: true }),
    append: (path, text) => Deno.writeTextFile(path, text, { append: true, mode: 0o600 }),
    stat: (path) => facts(Deno.stat(path)),
    lstat: (path) => facts(Deno.lstat(path)),
    identity,
    realPath: (path) => Deno.realPath(path),
    list: async (path) => (await Array.fromAsync(Deno.readDir(path), (entry) => entry.name)).sort(),
    makeFolder: (path) => Deno.mkdir(path, { recursive: true, mode: 0o700 }),
    makeTempFolder: async (prefix) => Deno.realPath(await Deno.makeTempDir({ prefix })),
    copy: (from, to) => Deno.copyFile(from, to),
    setMode: (path, mode) => Deno.chmod(path, mode),
    rename: (from, to) => Deno.rename(from, to),
    remove,
    removeEmptyFolder,
    hold,
  };
}

async function readBytes(path: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { isFile } = await Deno.stat(path);
  if (!isFile) throw new TypeError(`Cannot read "${path}": it is not a regular file`);
  // What is there may be another thing by now, which must not be waited for: Deno's own open would.
  return (await import("./read_plain.ts")).readPlain(path, maxBytes);
}

async function readText(path: string, maxBytes: number): Promise<string> {
  const bytes = await readBytes(path, maxBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TypeError(`Cannot read "${path}": it is not UTF-8 text`, { cause });
  }
}

async function writeText(path: string, text: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await Deno.writeTextFile(temporary, text, { mode, createNew: true });
    await Deno.rename(temporary, path);
  } catch (error) {
    await remove(temporary);
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    await openFolders(path); // what a server left there, or a module cache, may be closed to its owner
    await Deno.remove(path, { recursive: true });
  }
}

async function openFolders(path: string): Promise<void> {
  if (!(await Deno.lstat(path)).isDirectory) return;
  await Deno.chmod(path, 0o700);
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) await openFolders(`${path}/${name}`);
  }
}

async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path); // refuses a folder that is not empty
  } catch {
    // It is gone, or somebody uses it: then it is theirs.
  }
}

async function facts(pending: Promise<Deno.FileInfo>): Promise<FileFacts | undefined> {
  try {
    const { isFile, isDirectory, isSymlink, size, mode, mtime } = await pending;
    return {
      isFile,
      isDirectory,
      isSymlink,
      bytes: size,
      mode: mode === null ? undefined : mode & 0o7777,
      ...(mtime !== null && { writtenMs: mtime.getTime() }),
    };
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isMissing) return undefined;
    throw error;
  }
}

async function identity(path: string): Promise<FileIdentity | undefined> {
  try {
    const { isSymlink, dev, ino, ctime } = await Deno.lstat(path);
    if (ino === null || ctime === null) return undefined;
    return { isSymlink, id: `${dev}:${ino}`, changedMs: ctime.getTime() };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
