import type { Host } from "../host/host.ts";
import { invalid } from "./params.ts";

/**
 * Holds the folder of `session/new` against the disk.
 *
 * @throws {SkepError} `INVALID_PARAMS` when nothing is there, or no folder.
 */
export async function checkCwd(
  cwd: string,
  { files }: { readonly files: Pick<Host["files"], "stat"> },
): Promise<void> {
  const found = await files.stat(cwd);
  if (found?.isDirectory) return;
  const problem = found === undefined ? "does not exist" : "is no folder";
  throw invalid("session/new", `cwd ${JSON.stringify(cwd)} ${problem}`);
}
