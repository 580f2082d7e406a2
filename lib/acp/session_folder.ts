import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { invalid } from "./params.ts";

/**
 * The canonical path of a folder that a client names for a session. A server is granted that path: by one
 * that goes through a link it would be denied its own files.
 *
 * @param what Names it in errors.
 * @throws {SkepError} `INVALID_PARAMS` when nothing is there, or no folder, or it cannot be looked at.
 */
export async function sessionFolder(
  cwd: string,
  method: string,
  { files }: { readonly files: Pick<Host["files"], "stat" | "realPath"> },
  what = "cwd",
): Promise<string> {
  const refused = (why: string) => invalid(method, `${what} ${JSON.stringify(cwd)} ${why}`);
  const found = await files.stat(cwd).catch((error) => {
    throw refused(`cannot be used: ${messageOf(error)}`);
  });
  if (found === undefined) throw refused("does not exist");
  if (!found.isDirectory) throw refused("is no folder");
  return await files.realPath(cwd);
}
