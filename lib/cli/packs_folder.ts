import { isAbsolute, join } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";

/**
 * Where installed packs lie: `SKEP_PACKS_DIR`, else `skep/packs` in XDG's data folder. It is none of skep's own
 * folders, of which no server is granted anything: a pack's servers read their pack.
 *
 * @throws {SkepError} `CONFIG_INVALID` when the variable is no absolute path, or none tells where HOME is.
 */
export function packsFolder({ env, platform }: Pick<Host, "env" | "platform">): string {
  const own = env("SKEP_PACKS_DIR") ?? "";
  if (own !== "") return absolute("SKEP_PACKS_DIR", own);
  const data = env("XDG_DATA_HOME") ?? "";
  if (data !== "") return join(absolute("XDG_DATA_HOME", data), "skep", "packs");
  const home = env(platform.os === "windows" ? "USERPROFILE" : "HOME") ?? "";
  return join(absolute("HOME", home), ".local", "share", "skep", "packs");
}

function absolute(name: string, value: string): string {
  if (isAbsolute(value)) return value;
  const message = `Cannot use ${name}="${value}": it must be an absolute path`;
  throw new SkepError("CONFIG_INVALID", message, { source: name });
}
