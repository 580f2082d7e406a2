import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import { MANIFEST_PATH, PLUGIN_PATH } from "../persona/pack.ts";
import type { Persona } from "../persona/persona.ts";
import { EXTENSION } from "../persona/plugin_manifest.ts";
import { GRANTS_LOCK } from "../sandbox/accept/grants_lock.ts";
import { isWithin } from "../sandbox/paths.ts";

/** What makes a pack what it is, where its folder holds other things too. */
const PARTS = [
  ".plugin",
  ".mcp.json",
  "instructions.md",
  "agents",
  "skills",
  "hooks",
  PLUGIN_PATH,
  "mcp.json",
  EXTENSION,
  GRANTS_LOCK,
];

/**
 * The files and folders of the persona in use that no server may change: its pack; of one that is a
 * workspace or holds it the parts that make it one; the persona's own file where there is no pack.
 */
export async function packFiles(
  { pack, file }: Persona,
  workspace: string,
  { files, platform }: Pick<Host, "files" | "platform">,
): Promise<string[]> {
  const manifests = [MANIFEST_PATH, PLUGIN_PATH].map((path) => files.stat(join(pack, path)));
  const isPack = (await Promise.all(manifests)).some((facts) => facts !== undefined);
  if (!isPack) return [file];
  if (!isWithin(workspace, pack, platform.os)) return [pack];
  return [file, ...PARTS.map((part) => join(pack, part))];
}
