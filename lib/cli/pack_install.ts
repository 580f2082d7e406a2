import { dirname, join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { installPack } from "../persona/installed_packs.ts";
import { readPack } from "../persona/pack.ts";
import {
  contentDigest,
  type PackEntry,
  readContent,
  writeContent,
} from "../persona/pack_content.ts";
import { placeText } from "../persona/problems.ts";
import type { Invocation } from "./flags.ts";
import { packsFolder } from "./packs_folder.ts";
import { programRoot } from "./program_root.ts";
import { readSettings, type Settings } from "./settings.ts";

/**
 * `skep pack install FILE|DIR [--digest DIGEST]`: puts a pack into the folder of installed packs, by its id, and
 * into the lock file there. Nothing of it runs, and none of its servers starts until
 * somebody accepts their grants. One that is there gives way with `--replace` alone.
 *
 * @throws {SkepError} `PERSONA_INVALID` for an archive or a pack that is refused, or another digest.
 */
export async function run(
  [path = ""]: readonly string[],
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const settings = await readSettings(invocation, host);
  const { cwd, isJson, limits } = settings;
  const source = resolve(cwd, path);
  const entries = await readSource(source, host, settings);
  const digest = await contentDigest(entries);
  const wanted = invocation.value("digest");
  if (wanted !== undefined && wanted !== digest) {
    const message = `Cannot install ${source}: its digest is ${digest}, and not ${wanted}`;
    throw new SkepError("PERSONA_INVALID", message, { path: source });
  }
  const { id, version, personas, notices } = await check(entries, source, host, settings);
  const packs = packsFolder(host);
  const shipped = await host.files.list(join(await programRoot(host), "personas"));
  const isReplacing = invocation.has("replace");
  const lock = { version, from: source };
  const made = await installPack(
    id,
    entries,
    lock,
    packs,
    host.files,
    limits,
    isReplacing,
    shipped,
  );
  for (const notice of notices) host.warn(notice);
  await host.print(
    isJson
      ? `${JSON.stringify({ id, version, ...made, personas })}\n`
      : `${id} ${version}\n${made.folder}\n${made.digest}\n`,
  );
  if (!isJson) {
    const name = personas.length === 1 ? id : `${id}#${personas[0]}`;
    host.warn(
      `Look at what its servers ask for, and accept it: skep audit --accept --persona ${name}`,
    );
    host.warn(`Then talk to it: skep chat --persona ${name}`);
  }
  return 0;
}

async function readSource(
  source: string,
  { files }: Pick<Host, "files">,
  { limits }: Pick<Settings, "limits">,
): Promise<readonly PackEntry[]> {
  const unusable = (reason: string, cause?: unknown) =>
    new SkepError("PERSONA_INVALID", `Cannot install ${source}: ${reason}`, { path: source }, {
      cause,
    });
  if (await files.stat(source) === undefined) throw unusable("there is no such file or folder");
  const real = await files.realPath(source).catch((cause) => {
    throw unusable(messageOf(cause), cause);
  });
  if ((await files.stat(real))?.isDirectory) return await readContent(real, files, limits);
  const found = await files.readInside(dirname(real), real, limits.maxPackArchiveBytes)
    .catch((cause) => {
      throw unusable(messageOf(cause), cause);
    });
  if (found === undefined) throw unusable("it is gone");
  const { readArchive } = await import("../persona/pack_archive.ts");
  return await readArchive(found.bytes, source, limits);
}

/** Looks at the pack where nobody else can reach it. */
async function check(
  entries: readonly PackEntry[],
  source: string,
  { files }: Pick<Host, "files">,
  { limits }: Pick<Settings, "limits">,
): Promise<{ id: string; version: string; personas: string[]; notices: string[] }> {
  const folder = await files.makeTempFolder("skep-pack-");
  try {
    await writeContent(folder, entries, files);
    const { pack, problems } = await readPack(folder, files, limits);
    const lines = problems.all.map((problem) => ({
      ...problem,
      text: `${placeText(problem).replace(`${folder}/`, "")}: ${problem.reason}`,
    }));
    const fatal = lines.find(({ severity, part }) => severity === "error" && part === undefined);
    if (fatal !== undefined || pack === undefined) {
      const message = `Cannot install ${source}: ${fatal?.text ?? "it is no pack"}`;
      throw new SkepError("PERSONA_INVALID", message, { path: source });
    }
    const { manifest: { id, version }, personas } = pack;
    return {
      id,
      version,
      personas: personas.map(({ name }) => name),
      notices: lines.map(({ text }) => text),
    };
  } finally {
    await files.remove(folder);
  }
}
