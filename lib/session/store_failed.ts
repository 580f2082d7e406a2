import { messageOf, SkepError } from "../errors.ts";

const ELSEWHERE = "or set SKEP_STATE_DIR to another folder";

/** Words of SQLite's and of the system's, as people say them, and what to do. */
const WHY: readonly (readonly [RegExp, string])[] = [
  [/database or disk is full|No space left/, `the disk is full. Make room, ${ELSEWHERE}`],
  [
    /readonly database|Permission denied|Read-only file system/,
    `it may not be written to. Give yourself the right to write it and its folder, ${ELSEWHERE}`,
  ],
  [
    /unable to open database file|Not a directory|File exists|No such file/,
    `it cannot be opened. Look at what is in its place, ${ELSEWHERE}`,
  ],
  [/database is locked/, "another program keeps it busy. Try again when that has ended"],
  [/malformed|not a database|put aside/, "it is damaged"],
  [/database is not open/, "it is closed"],
];

/** Whether an error says that something may not be written. */
export function isUnwritable(error: unknown): boolean {
  return /readonly database|unable to open database file|Permission denied|Read-only file system/
    .test(messageOf(error));
}

/** What an error of the database's, or of a file beside it, is for everybody else. */
export function storeFailed(place: string, error: unknown): SkepError<"STORE_FAILED"> {
  const said = messageOf(error);
  const why = WHY.find(([pattern]) => pattern.test(said))?.[1] ?? said;
  const message = `Cannot use the sessions in ${place}: ${why}`;
  return new SkepError("STORE_FAILED", message, { place }, { cause: error });
}
