import type { Entry } from "./grant.ts";

/** What a person's client named, beside the workspace. */
export const ADDED_ORIGIN = "the session's client";

const WHOLE_WORKSPACE = /^\$\{WORKSPACE\}(?:\/\.?)*$/;

/** Entries, each that is the whole workspace followed by the folders that a session works in besides. */
export function withAddedFolders(
  entries: readonly Entry[],
  added: readonly string[] = [],
): readonly Entry[] {
  return entries.flatMap((entry) =>
    isWholeWorkspace(entry.value)
      ? [
        entry,
        ...added.map((value) => ({ value, origin: `${entry.origin}, ${ADDED_ORIGIN}` })),
      ]
      : [entry]
  );
}

/** Whether an entry as it is written stands for all of the workspace. */
export function isWholeWorkspace(entry: string): boolean {
  return WHOLE_WORKSPACE.test(entry);
}
