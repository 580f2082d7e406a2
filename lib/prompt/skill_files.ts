import { join, sep } from "@std/path";
import type { Files } from "../host/files.ts";
import { SKILL_FILE } from "../persona/skill.ts";

/** The supporting files of a skill: their paths in its folder, with `/`, sorted. */
export interface SkillFileList {
  readonly paths: readonly string[];
  /** What cannot be loaded, each with the reason: links that lead out or nowhere, and what is no file. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  /** There are more than the bound. */
  readonly isCut: boolean;
}

/**
 * Lists the files below a skill's folder, SKILL.md aside. A folder that is a skill of its own is not
 * entered, and no link that leads out of the folder, or back into it, is followed.
 *
 * @param folder Canonical.
 */
export async function listSkillFiles(
  folder: string,
  files: Pick<Files, "list" | "stat" | "realPath">,
  maxFiles: number,
): Promise<SkillFileList> {
  const paths: string[] = [];
  const leftOut: { readonly path: string; readonly reason: string }[] = [];
  const entered = new Set([folder]);
  const waiting = [""];
  for (let inside; (inside = waiting.shift()) !== undefined;) {
    const names = await files.list(join(folder, inside)).catch(() => []); // gone, or not ours to read
    for (const name of names) {
      if (name === SKILL_FILE || name.startsWith(".")) continue;
      const path = inside === "" ? name : `${inside}/${name}`;
      const real = await files.realPath(join(folder, path)).catch(() => undefined);
      const isInside = real?.startsWith(folder + sep) ?? false;
      const facts = isInside && real !== undefined ? await files.stat(real) : undefined;
      if (paths.length + leftOut.length >= maxFiles && !facts?.isDirectory) {
        return { paths: paths.sort(), leftOut, isCut: true };
      }
      if (real === undefined) leftOut.push({ path, reason: "it is a link that leads nowhere" });
      else if (real === folder) leftOut.push({ path, reason: "it is a link back to the skill" });
      else if (!isInside) {
        leftOut.push({ path, reason: "it is a link that leads out of the skill" });
      } else if (facts?.isFile) paths.push(path);
      else if (facts?.isDirectory) {
        if (entered.has(real)) continue;
        entered.add(real);
        if (await files.stat(join(real, SKILL_FILE)) === undefined) waiting.push(path);
      } else leftOut.push({ path, reason: "it is neither a file nor a folder" });
    }
  }
  return { paths: paths.sort(), leftOut, isCut: false };
}
