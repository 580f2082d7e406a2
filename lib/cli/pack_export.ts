import { resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { contentDigest, readContent } from "../persona/pack_content.ts";
import type { Invocation } from "./flags.ts";
import { readGivenPack } from "./read_given_pack.ts";
import { readSettings } from "./settings.ts";

/**
 * `skep pack export PACK [FILE]`: a pack as one zip file. The same pack gives the same bytes, and its digest is
 * printed. A file that is there is replaced with `--replace` alone.
 *
 * @throws {SkepError} `PERSONA_INVALID` for a pack that has an error, or files that cannot move.
 */
export async function run(
  [path = "", file]: readonly string[],
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const { cwd, isJson, limits } = await readSettings(invocation, host);
  const { files } = host;
  const { pack, problems } = await readGivenPack(path, cwd, host, limits);
  problems.throwFirst();
  const { folder, manifest: { id, version } } = pack!;
  const entries = await readContent(folder, files, limits);
  const { writeArchive } = await import("../persona/pack_archive.ts");
  const archive = await writeArchive(entries);
  const target = resolve(cwd, file ?? `${id}-${version.replaceAll(/[^\w.-]/g, "_")}.zip`);
  if (await files.lstat(target) !== undefined) {
    if (!invocation.has("replace")) {
      const message = `Cannot write ${target}: it is there already; give --replace to replace it`;
      throw new SkepError("USAGE", message, { argument: target });
    }
    await files.remove(target);
  }
  await files.writeBytes(target, archive, 0o644).catch((cause) => {
    const message = `Cannot write ${target}: ${messageOf(cause)}`;
    throw new SkepError("USAGE", message, { argument: target }, { cause });
  });
  const digest = await contentDigest(entries);
  await host.print(
    isJson
      ? `${
        JSON.stringify({ file: target, digest, files: entries.length, bytes: archive.length })
      }\n`
      : `${target}\n${digest}\n`,
  );
  return 0;
}
