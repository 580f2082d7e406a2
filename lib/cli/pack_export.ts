import { dirname, join, relative, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { MANIFEST_PATH, type Pack } from "../persona/pack.ts";
import {
  contentDigest,
  type ContentLimits,
  type PackEntry,
  readContent,
} from "../persona/pack_content.ts";
import type { Invocation } from "./flags.ts";
import { readGivenPack } from "./read_given_pack.ts";
import { readSettings } from "./settings.ts";

const NO_VERSION = "0.0.0";
/** Files of variables: they hold keys, and no pack reads one. */
const VARIABLES = /(^|\/)\.env(\.[^/]*)?$/;

/**
 * `skep pack export PACK [FILE]`: a pack as one zip file. Files of variables (`.env`) are left out, which is told;
 * a persona file alone becomes a pack of what it names. The same pack gives the same bytes, and its digest is
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
  const { pack, problems, named } = await readGivenPack(path, cwd, host, limits);
  if (named !== undefined) {
    const message =
      `skep pack export takes a whole pack, or a persona file alone: leave out "#${named}"`;
    throw new SkepError("USAGE", message, { argument: path });
  }
  problems.throwFirst();
  const { manifest: { id, version } } = pack!;
  const all = (await files.stat(resolve(cwd, path)))?.isFile
    ? await lonePack(pack!, host, limits)
    : await readContent(pack!.folder, files, limits);
  const entries = all.filter((entry) => !VARIABLES.test(entry.path));
  for (const entry of all.filter((each) => !entries.includes(each))) {
    host.warn(`${entry.path} is left out: a file of variables may hold keys`);
  }
  const { writeArchive } = await import("../persona/pack_archive.ts");
  const archive = await writeArchive(entries);
  const target = resolve(
    cwd,
    file ?? `${id}-${(version || NO_VERSION).replaceAll(/[^\w.-]/g, "_")}.zip`,
  );
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

/** The files that a persona file alone names, and the manifest that makes them a pack. */
async function lonePack(
  { folder, manifest: { id, name, version }, personas, skills }: Pack,
  { files }: Pick<Host, "files">,
  limits: ContentLimits,
): Promise<readonly PackEntry[]> {
  const [persona] = personas;
  const inside = (path: string) => relative(folder, path).replaceAll("\\", "/");
  const file = inside(persona!.file);
  const scripts = Object.values(persona!.hooks).map(({ script }) => join(folder, script));
  // A script loads what lies beside it.
  const named = scripts.map((path) => dirname(path) === folder ? path : dirname(path));
  const avatar = persona!.avatar;
  if (avatar !== undefined && !avatar.includes("://")) named.push(join(folder, avatar));
  named.push(...(skills.get(persona!.name) ?? []).map((skill) => skill.folder));
  const entries = await readContent(folder, files, limits, [file, ...named.map(inside)]);
  const manifest = { id, name, version: version || NO_VERSION, personas: [file] };
  const bytes = new TextEncoder().encode(`${JSON.stringify(manifest, undefined, 2)}\n`);
  return [{ path: MANIFEST_PATH, bytes, isExecutable: false }, ...entries];
}
