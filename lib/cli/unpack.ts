import { join } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";

/** What a compiled program carries for its children, beside its own code. */
const CARRIED = ["personas", "tools", "servers"];

/**
 * Copies what a compiled program carries to a folder of the cache, once, and gives that folder: only
 * the program itself can see the files inside it, and its children need them too. The folder is named by
 * the content's digest, so that two versions do not meet.
 *
 * @param embedded The folder inside the program.
 * @throws {SkepError} `DEFECT` when the program carries no manifest.
 */
export async function unpack(
  embedded: string,
  cache: string,
  { files }: Pick<Host, "files">,
): Promise<string> {
  const text = await files.readText(
    join(embedded, "manifest.json"),
    LIMITS.maxConfigFileBytes.value,
  );
  const { digest } = JSON.parse(text) as { digest?: unknown };
  if (typeof digest !== "string" || !/^[0-9a-f]{64}$/.test(digest)) {
    throw new SkepError("DEFECT", `Cannot use ${embedded}/manifest.json: it has no digest`, {});
  }
  const target = join(cache, "program", digest);
  if ((await files.stat(join(target, "manifest.json")))?.isFile) return target;
  await files.makeFolder(join(cache, "program"));
  const half = `${target}.${crypto.randomUUID()}`;
  try {
    for (const name of CARRIED) await copy(join(embedded, name), join(half, name), files);
    await files.writeText(join(half, "manifest.json"), text); // last: it says that all is there
    await files.rename(half, target).catch(async (error) => {
      // Another start was quicker, and has made the same.
      if (!(await files.stat(join(target, "manifest.json")))?.isFile) throw error;
    });
    return target;
  } finally {
    await files.remove(half);
  }
}

async function copy(from: string, to: string, files: Host["files"]): Promise<void> {
  await files.makeFolder(to);
  for (const name of await files.list(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if ((await files.stat(source))?.isDirectory) await copy(source, target, files);
    else {
      const bytes = await files.readBytes(source, LIMITS.maxProgramFileBytes.value);
      await files.writeBytes(target, bytes);
    }
  }
}
