// What the tests of packs share: files of a pack on the disk, and what is told of them.
import { dirname, join } from "@std/path";
import { consentOf } from "../lib/cli/consent.ts";
import { grantSources } from "../lib/cli/grant_sources.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import { findPersona } from "../lib/persona/find.ts";
import { fromRepo, tempFolder } from "./harness.ts";
import { placeText, type Problems } from "../lib/persona/problems.ts";

/** The least persona file there can be. */
export const PERSONA = "---\nname: a\ndisplay_name: A\ndescription: d\n---\nHello";
/** The manifest of a pack that has it. */
export const MANIFEST = { id: "x", name: "X", version: "1", personas: ["agents/a.persona.md"] };

/** A pack of that one persona. */
export function packOf(manifest: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return {
    ".plugin/plugin.json": JSON.stringify({ ...MANIFEST, ...manifest }),
    "agents/a.persona.md": PERSONA,
  };
}

/** The text of a SKILL.md. */
export function skillText(name: string, description = "d", body = "Body"): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

/** Writes files below a folder. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}

/** A folder with files, removed at the end. */
export async function folderWith(
  files: Readonly<Record<string, string>>,
): Promise<{ path: string } & AsyncDisposable> {
  const folder = await tempFolder();
  await writeFiles(folder.path, files);
  return folder;
}

/** Problems as lines, the folder written as PACK. */
export function told({ all }: Problems, folder: string): string[] {
  return all.map((problem) => {
    const { severity, part, reason } = problem;
    const about = part === undefined ? "" : `${part}: `;
    return `${severity} ${placeText(problem)}: ${about}${reason}`.replaceAll(folder, "PACK");
  });
}

let state: string | undefined;

/** Variables with which what the servers and scripts of a persona ask for was accepted, as a person would. */
export async function accepted(persona: string): Promise<Record<string, string>> {
  if (state === undefined) {
    const path = state = await Deno.makeTempDir({ prefix: "skep-test-state-" });
    addEventListener("unload", () => Deno.removeSync(path, { recursive: true }));
  }
  const host = denoHost();
  const root = fromRepo(".");
  const found = await findPersona(persona, join(root, "personas"), root, host.files);
  const world = { host, limits: DEFAULT_LIMITS, root, workspace: root };
  const sources = await grantSources(found.persona, new Map(), world);
  const folders = { config: state, cache: state, state };
  const settings = { cwd: root, folders, limits: DEFAULT_LIMITS, persona };
  const consent = await consentOf(sources, settings, join(root, "packs"), host);
  for (const source of sources) await consent.accept(source);
  return { SKEP_STATE_DIR: state };
}
