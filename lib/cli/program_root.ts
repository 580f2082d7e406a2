import { dirname, join } from "@std/path";
import { fileURLToPath } from "node:url";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { foldersOf } from "./folders.ts";
import { unpack } from "./unpack.ts";

/**
 * The folder that holds what skep brings along: `personas`, `tools` and, from a bundle, `servers`. It
 * is the nearest one above this module that has `personas`, which is right from source and from
 * `dist`; a compiled program unpacks its own to the cache.
 *
 * @throws {SkepError} `DEFECT` when the installation is not whole.
 */
export async function programRoot(
  host: Pick<Host, "files" | "env" | "platform" | "isStandalone">,
  module: string = import.meta.url,
): Promise<string> {
  let folder = dirname(fileURLToPath(module));
  while (!(await host.files.stat(join(folder, "personas")))?.isDirectory) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new SkepError("DEFECT", `Cannot find the folder "personas" above ${module}`, {});
    }
    folder = parent;
  }
  if (!host.isStandalone) return folder;
  return await unpack(folder, foldersOf(host.env, host.platform.os).cache, host);
}
