import { isAbsolute, join } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";

/** The folders that skep keeps things in, each absolute, each 0700 once made. */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/**
 * Where the folders are: `SKEP_CONFIG_DIR` and its kin, else `skep` in the XDG folders, else in their
 * defaults below HOME.
 *
 * @throws {SkepError} `CONFIG_INVALID` when a variable is no absolute path, or none tells where HOME is.
 * @see XDG base directories, https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function foldersOf(env: Host["env"], os: Host["platform"]["os"]): Folders {
  const home = env(os === "windows" ? "USERPROFILE" : "HOME");
  const folder = (own: string, xdg: string, ...below: string[]) => {
    const chosen = absolute(own, env(own));
    if (chosen !== undefined) return chosen;
    const base = absolute(xdg, env(xdg));
    if (base !== undefined) return join(base, "skep");
    if (home !== undefined && isAbsolute(home)) return join(home, ...below, "skep");
    const message =
      `Cannot tell where skep keeps its files: set HOME, or ${own}, to an absolute path`;
    throw new SkepError("CONFIG_INVALID", message, { source: "HOME" });
  };
  return {
    config: folder("SKEP_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"),
    state: folder("SKEP_STATE_DIR", "XDG_STATE_HOME", ".local", "state"),
    cache: folder("SKEP_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
  };
}

function absolute(name: string, value: string | undefined): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (isAbsolute(value)) return value;
  const message = `Cannot use ${name}="${value}": it must be an absolute path`;
  throw new SkepError("CONFIG_INVALID", message, { source: name });
}
