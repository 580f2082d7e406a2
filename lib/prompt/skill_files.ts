import { join, sep } from "@std/path";
import type { Files } from "../host/files.ts";
import { SKILL_FILE } from "../persona/skill.ts";

/** The supporting files of a skill: their paths in its folder, with `/`, sorted. */
export interface SkillFileList {
  readonly paths: readonly string[];
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
  const entered = new Set([folder]);
  const waiting = [""];
  for (let inside; (inside = waiting.shift()) !== undefined;) {
    const names = await files.list(join(folder, inside)).catch(() => []); // gone, or not ours to read
    for (const name of names) {
      if (name === SKILL_FILE || name.startsWith(".")) continue;
      const path = inside === "" ? name : `${inside}/${name}`;
      const real = await files.realPath(join(folder, path)).catch(() => undefined);
      if (real === undefined || !real.startsWith(folder + sep)) continue;
      const facts = await files.stat(real);
      if (facts?.isFile) {
        if (paths.length >= maxFiles) return { paths: paths.sort(), isCut: true };
        paths.push(path);
      } else if (facts?.isDirectory && !entered.has(real)) {
        entered.add(real);
        if (await files.stat(join(real, SKILL_FILE)) === undefined) waiting.push(path);
      }
    }
  }
  return { paths: paths.sort(), isCut: false };
}
