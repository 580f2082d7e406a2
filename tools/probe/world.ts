/** The slice of Deno that the bait takes. `main.ts` passes the real one. */
export type World = Pick<
  typeof Deno,
  | "Command"
  | "chmod"
  | "dlopen"
  | "listen"
  | "lstat"
  | "makeTempDir"
  | "mkdir"
  | "readDir"
  | "readTextFile"
  | "realPath"
  | "remove"
  | "symlink"
  | "writeTextFile"
>;
