import { DatabaseSync } from "node:sqlite";
import type { Files } from "../host/files.ts";

/** Whether the first page of a database, which says what is where, can be read. */
export function hasHead(path: string): boolean {
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
 * Makes a copy of a database whose first page is lost, with that of a new one: all stores of a version have
 * their tables at the same places.
 *
 * @param model A new database on the disk, which no program has open.
 * @see https://www.sqlite.org/fileformat.html#the_database_header
 */
export async function copyWithHead(
  path: string,
  model: string,
  target: string,
  files: Pick<Files, "stat" | "readBytes" | "writeBytes">,
): Promise<void> {
  const whole = async (path: string) =>
    await files.readBytes(path, (await files.stat(path))?.bytes ?? 0);
  const [bytes, head] = [await whole(path), await whole(model)];
  const header = new DataView(head.buffer);
  const pageBytes = header.getUint16(16);
  header.setUint16(18, 0x0101); // it has no log of changes beside it
  header.setUint32(24, 1);
  header.setUint32(92, 0); // not as of that change: its length is taken from the file
  if (bytes.length > pageBytes) bytes.set(head.subarray(0, pageBytes));
  await files.writeBytes(target, bytes);
}
