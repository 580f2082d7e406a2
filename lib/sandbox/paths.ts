import { basename, dirname, join } from "@std/path";
import type { Host } from "../host/host.ts";

/** The operating system whose rules a path follows. */
export type Os = Host["platform"]["os"];

/** True for a path that names the same file from every folder: `/x`, on Windows `C:\x` and `\\host\x`. */
export function isAbsolutePath(path: string, os: Os): boolean {
  return os === "windows" ? /^([A-Za-z]:[\\/]|[\\/]{2}[^\\/])/.test(path) : path.startsWith("/");
}

/**
 * True when `path` is `folder` or lies below it, by their text: both absolute and normal. On Windows
 * `\` and `/` are one, and case does not count; on macOS neither does case, as on most of its disks.
 */
export function isWithin(path: string, folder: string, os: Os): boolean {
  return relativeTo(path, folder, os) !== undefined;
}

/** What leads from `folder` down to `path`, with `/` between; `""` for the folder itself, undefined when outside. */
export function relativeTo(path: string, folder: string, os: Os): string | undefined {
  const plain = (text: string) =>
    (os === "windows" ? text.replaceAll("\\", "/") : text).replace(/\/+$/, "");
  const fold = (text: string) => os === "windows" || os === "darwin" ? text.toLowerCase() : text;
  const [inner, outer] = [plain(path), plain(folder)];
  if (fold(inner) === fold(outer)) return "";
  return fold(inner).startsWith(fold(outer) + "/") ? inner.slice(outer.length + 1) : undefined;
}

/**
 * The canonical form of an absolute path, links resolved; what does not exist yet is kept as written
 * below its nearest folder that does. `known` keeps what was found out about folders, for the next path.
 */
export async function canonicalPath(
  path: string,
  host: { readonly files: Pick<Host["files"], "realPath" | "lstat"> },
  known: Map<string, Promise<string>> = new Map(),
): Promise<string> {
  if (await host.files.lstat(path) !== undefined) return await host.files.realPath(path);
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = known.get(parent) ?? canonicalPath(parent, host, known);
  known.set(parent, folder);
  return join(await folder, basename(path));
}
