import {
  configure,
  type Entry,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
} from "@zip.js/zip.js";
import { messageOf } from "../errors.ts";
import { checkContent, type ContentLimits, type PackEntry, refused } from "./pack_content.ts";
import { MANIFEST_PATH, PLUGIN_PATH } from "./pack.ts";

/** One moment for all entries, so that the same pack gives the same archive. */
const MOMENT = new Date(1980, 0, 1, 0, 0, 0);
const [PLAIN, PROGRAM] = [0o100644, 0o100755];
const KIND_BITS = 0o170000;
const FILE_BITS = 0o100000;
const FOLDER_BITS = 0o040000;
const EXECUTABLE = 0o111;

// A worker for files of some kilobytes takes longer than they do, and needs more permissions.
configure({ useWebWorkers: false });

/** A zip archive of a pack's files: the same files give the same bytes. */
export async function writeArchive(entries: readonly PackEntry[]): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    lastModDate: MOMENT,
    extendedTimestamp: false,
    msDosCompatible: false,
    level: 9,
  });
  for (const { path, bytes, isExecutable } of entries) {
    await writer.add(path, new Uint8ArrayReader(bytes), {
      unixMode: isExecutable ? PROGRAM : PLAIN,
    });
  }
  return await writer.close();
}

/**
 * The files of a pack's zip archive. A pack may lie one folder deep in it, which is left out.
 *
 * @param where The archive's path, for messages.
 * @throws {SkepError} `PERSONA_INVALID` for what is no zip archive, or an ambiguous one; for a path that leads
 * out, a link, an encrypted entry, a name that is there twice; past a bound, also when an entry unpacks to
 * more than it says.
 */
export async function readArchive(
  bytes: Uint8Array<ArrayBuffer>,
  where: string,
  limits: ContentLimits,
): Promise<readonly PackEntry[]> {
  if (bytes.length > limits.maxPackArchiveBytes) {
    const reason = `it has ${bytes.length} bytes, the limit is ${limits.maxPackArchiveBytes}`;
    throw refused(where, reason);
  }
  const reader = new ZipReader(new Uint8ArrayReader(bytes), {
    checkAmbiguity: true,
    checkOverlappingEntry: true,
    checkSignature: true,
  });
  try {
    const all = await readEntries(reader, where, limits);
    // What the archive says of itself is checked before anything is unpacked.
    checkContent(
      all.map(({ filename, uncompressedSize }) => (
        { path: filename, bytes: { length: uncompressedSize } }
      )),
      where,
      limits,
    );
    const entries: PackEntry[] = [];
    for (const entry of all) entries.push(await unpack(entry, where));
    return withoutTopFolder(entries);
  } catch (error) {
    if (error instanceof Error && error.name === "SkepError") throw error;
    throw refused(where, `it is no zip archive that can be read: ${messageOf(error)}`, error);
  } finally {
    await reader.close();
  }
}

type FileEntry = Extract<Entry, { readonly directory: false }>;

async function readEntries(
  reader: ZipReader<unknown>,
  where: string,
  { maxPackFiles }: ContentLimits,
): Promise<readonly FileEntry[]> {
  const found: FileEntry[] = [];
  for await (const entry of reader.getEntriesGenerator()) {
    const { filename, unixMode = 0 } = entry;
    const kind = unixMode & KIND_BITS;
    const name = JSON.stringify(filename);
    if (entry.encrypted) throw refused(where, `its entry ${name} is encrypted`);
    if (entry.symlink || (kind !== 0 && kind !== FILE_BITS && kind !== FOLDER_BITS)) {
      throw refused(where, `its entry ${name} is a link or a device: a pack has plain files alone`);
    }
    if (entry.directory) {
      checkContent([{ path: filename.replace(/\/$/, ""), bytes: { length: 0 } }], where, {
        maxPackArchiveBytes: 0,
        maxPackFileBytes: 0,
        maxPackFiles: 1,
      });
      continue;
    }
    if (found.push(entry) > maxPackFiles) {
      throw refused(where, `it has over ${maxPackFiles} files, the limit`);
    }
  }
  return found;
}

async function unpack(entry: FileEntry, where: string): Promise<PackEntry> {
  const { filename, uncompressedSize, unixMode = 0 } = entry;
  const bytes = new Uint8Array(uncompressedSize);
  let length = 0;
  const sink = new WritableStream<Uint8Array>({
    write: (chunk) => {
      if (length + chunk.length > uncompressedSize) {
        const reason =
          `its entry "${filename}" unpacks to more than the ${uncompressedSize} bytes it says`;
        throw refused(where, reason);
      }
      bytes.set(chunk, length);
      length += chunk.length;
    },
  });
  await entry.getData(sink);
  if (length !== uncompressedSize) {
    const reason =
      `its entry "${filename}" unpacks to ${length} bytes, not the ${uncompressedSize} it says`;
    throw refused(where, reason);
  }
  return { path: filename, bytes, isExecutable: (unixMode & EXECUTABLE) !== 0 };
}

function withoutTopFolder(entries: readonly PackEntry[]): readonly PackEntry[] {
  const isManifest = ({ path }: PackEntry) => path === MANIFEST_PATH || path === PLUGIN_PATH;
  const [top = ""] = entries[0]?.path.split("/") ?? [];
  const isOneDeep = !entries.some(isManifest) &&
    entries.every(({ path }) => path.startsWith(`${top}/`));
  return isOneDeep
    ? entries.map((entry) => ({ ...entry, path: entry.path.slice(top.length + 1) }))
    : entries;
}
