import { messageOf } from "../errors.ts";

/** Whether SQLite says that a file is not as it was written, or that it is not in its place any more. */
export function isDamage(error: unknown): boolean {
  return /disk image is malformed|not a database|was put aside/.test(messageOf(error));
}
