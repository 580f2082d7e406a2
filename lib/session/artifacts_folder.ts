import { join } from "@std/path";

/** Where the artifacts of a kept session are, in the folder of its store. */
export function artifactsFolder(store: string, id: string): string {
  return join(store, "artifacts", id);
}
