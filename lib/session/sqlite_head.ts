import { DatabaseSync } from "node:sqlite";
import type { Files } from "../host/files.ts";
import { mendInteriorPages } from "./sqlite_pages.ts";

/** Whether the first page of a database, which says what is where, can be read. */
function hasHead(path: string): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.prepare("SELECT key FROM sessions LIMIT 0").all();
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/**
 * Makes a copy of a database in which what leads to its rows can be read again: its first page is that of a
 * new one, if it is lost, as all stores of a version have their tables at the same places; pages that lead to
 * others are made again from the map of pages. Does nothing where all that is sound.
 *
 * @param model A new database on the disk, which no program has open.
 * @returns whether there is a copy.
 * @see https://www.sqlite.org/fileformat.html#the_database_header
 */
export async function copyMended(
  path: string,
  model: string,
  target: string,
  files: Pick<Files, "stat" | "readBytes" | "writeBytes">,
): Promise<boolean> {
  const whole = async (path: string) =>
    await files.readBytes(path, (await files.stat(path))?.bytes ?? 0);
  const bytes = await whole(path);
  const isHeadLost = !hasHead(path);
  if (isHeadLost) putHead(bytes, await whole(model));
  if (mendInteriorPages(bytes) === 0 && !isHeadLost) return false;
  standAlone(bytes);
  await files.writeBytes(target, bytes);
  return true;
}

function putHead(bytes: Uint8Array, model: Uint8Array): void {
  const pageBytes = new DataView(model.buffer, model.byteOffset).getUint16(16);
  if (bytes.length > pageBytes) bytes.set(model.subarray(0, pageBytes));
}

function standAlone(bytes: Uint8Array): void {
  if (bytes.length < 100) return;
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  header.setUint16(18, 0x0101); // it has no log of changes beside it
  header.setUint32(24, 1);
  header.setUint32(92, 0); // not as of that change: its length is taken from the file
}
