import { isGranted, osOf, protectedPart } from "./is_granted.ts";
import type { Launch } from "./launch.ts";
import { isWithin } from "./paths.ts";

/**
 * True when a server itself has that access to a path, which is canonical: by its grant, and by what the
 * system shows it where that confines it. What is protected is written by nobody in a server's name.
 */
export function canReach(
  path: string,
  access: "read" | "write",
  { grant, confined }: Pick<Launch, "grant" | "confined">,
): boolean {
  if (!isGranted(access, path, grant)) return false;
  if (access === "write" && protectedPart(path, grant) !== undefined) return false;
  if (confined === undefined) return true;
  // A mount lies on top of those before it.
  const shown = confined.confinement.mounts
    .findLast((mount) => isWithin(path, mount.path, osOf(grant)));
  switch (shown?.type) {
    case "write":
      return true;
    case "read":
      return access === "read" && shown.source === undefined;
    default:
      return false;
  }
}
