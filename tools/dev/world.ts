/**
 * The slice of Deno that the tools use. `main.ts` passes the real one; whatever it refuses, the
 * process's own flags refused.
 */
export type World = Pick<
  typeof Deno,
  | "Command"
  | "chmod"
  | "chown"
  | "lstat"
  | "mkdir"
  | "open"
  | "permissions"
  | "readDir"
  | "readFile"
  | "readLink"
  | "readTextFile"
  | "realPath"
  | "remove"
  | "rename"
  | "resolveDns"
  | "stat"
  | "writeTextFile"
>;

/** What the system knows of a file. */
export type FileFacts = Awaited<ReturnType<World["stat"]>>;
