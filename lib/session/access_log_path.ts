import { join } from "@std/path";

/** Where the access log of a session is, in the folder of its store. */
export function accessLogPath(store: string, id: string): string {
  return join(store, "accesses", `${id}.jsonl`);
}
