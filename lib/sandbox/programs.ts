import { join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { isAbsolutePath, isWithin, type Os } from "./paths.ts";

/** PATH where the runtime has none: where systems keep their programs. */
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";
const USUAL_EXTENSIONS = ".EXE;.COM;.BAT;.CMD";

/**
 * The base PATH of servers: the runtime's, without its relative folders and those in `writable`, where
 * a server could plant a program that is found before the real one.
 */
export function basePath(
  host: Pick<LaunchContext["host"], "env" | "platform">,
  writable: readonly string[],
): string {
  const { os } = host.platform;
  const separator = os === "windows" ? ";" : ":";
  return (host.env("PATH") || (os === "windows" ? "" : USUAL_PATH)).split(separator)
    .filter((folder) => isAbsolutePath(folder, os))
    .filter((folder) => !writable.some((each) => isWithin(folder, each, os)))
    .join(separator);
}

/**
 * The absolute path of a program: itself when absolute, else the first of that name in the folders of
 * `path`; undefined when there is none. Links are not followed: the name a program is called by
 * matters to some. On Windows the extensions of PATHEXT are tried in their order.
 */
export async function findProgram(
  name: string,
  path: string,
  host: Pick<LaunchContext["host"], "env" | "files" | "platform">,
): Promise<string | undefined> {
  const { os } = host.platform;
  const isPath = isAbsolutePath(name, os);
  if (!isPath && /[\\/]/.test(name)) return undefined;
  const folders = path.split(os === "windows" ? ";" : ":").filter((folder) => folder !== "");
  const places = isPath ? [name] : folders.map((folder) => join(folder, name));
  const endings = programEndings(name, os, host.env("PATHEXT"));
  for (const candidate of places.flatMap((each) => endings.map((ending) => each + ending))) {
    // A folder that this user may not look into has no program for them.
    const facts = await host.files.stat(candidate).catch(() => undefined);
    const isProgram = facts?.isFile && (facts.mode === undefined || (facts.mode & 0o111) !== 0);
    if (isProgram) return candidate;
  }
  return undefined;
}

/** What may follow a program's name on disk, in order. */
export function programEndings(name: string, os: Os, pathExt: string | undefined): string[] {
  if (os !== "windows") return [""];
  const known = (pathExt || USUAL_EXTENSIONS).split(";").filter((each) => each.startsWith("."));
  const isNamed = known.some((each) => name.toLowerCase().endsWith(each.toLowerCase()));
  return isNamed ? [""] : known;
}
