import { dirname, join } from "@std/path";
import { messageOf } from "../errors.ts";
import { decodeText } from "../host/decode_text.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { cutText } from "./cut_text.ts";
import type { Hint } from "./hints_section.ts";

/** What looking for hints takes of the files. */
export type HintFiles = Pick<Files, "readInside" | "realPath" | "lstat">;
/** The bounds of hints. */
export type HintLimits = Pick<Limits, "maxHintsBytes" | "maxConfigFileBytes">;

/** The hints of a workspace, and what a person should know of those that are not whole. */
export interface FoundHints {
  readonly hints: readonly Hint[];
  readonly notices: readonly string[];
}

/** The file that holds instructions for agents. @see https://agents.md */
export const HINT_FILE = "AGENTS.md";

/**
 * Reads the AGENTS.md of the home folder, and of each folder from the root of the git repository down to
 * `cwd`; outside of a repository of `cwd` alone. One that is a link must lead into the home folder or the
 * repository. All together are bounded: the file that crosses the bound is cut, which is marked.
 *
 * @param cwd Canonical.
 * @param home Undefined where there is none.
 */
export async function readHints(
  cwd: string,
  home: string | undefined,
  files: HintFiles,
  limits: HintLimits,
): Promise<FoundHints> {
  const root = await gitRoot(cwd, files) ?? cwd;
  const chain = foldersBetween(root, cwd).map((folder) => ({ folder, root }));
  const real = home === undefined ? undefined : await files.realPath(home).catch(() => undefined);
  const isInChain = chain.some(({ folder }) => folder === real);
  const places = real === undefined || isInChain ? chain : [{ folder: real, root: real }, ...chain];
  return await readHintFiles(places, files, limits, limits.maxHintsBytes);
}

/** Reads the AGENTS.md of each folder, in order, up to a number of bytes together. */
export async function readHintFiles(
  places: readonly { readonly folder: string; readonly root: string }[],
  files: Pick<HintFiles, "readInside">,
  { maxConfigFileBytes }: Pick<HintLimits, "maxConfigFileBytes">,
  maxBytes: number,
): Promise<FoundHints> {
  const hints: Hint[] = [];
  const notices: string[] = [];
  let left = maxBytes;
  for (const { folder, root } of places) {
    const path = join(folder, HINT_FILE);
    try {
      const found = await files.readInside(root, path, maxConfigFileBytes);
      if (found === undefined) continue;
      const text = decodeText(found.bytes);
      if (text.trim() === "") continue;
      if (left <= 0) {
        notices.push(`${path} is left out: the hints before it have ${maxBytes} bytes, the limit`);
        continue;
      }
      const cut = cutText(text.replaceAll("\r\n", "\n"), left);
      if (cut.bytes < cut.allBytes) {
        notices.push(`${path} is cut: ${cut.bytes} of its ${cut.allBytes} bytes fit`);
        left = 0;
      } else left -= cut.bytes;
      hints.push({ path, text: cut.text });
    } catch (error) {
      notices.push(`${path} is left out: ${messageOf(error)}`);
    }
  }
  return { hints, notices };
}

/** The nearest folder, `cwd` itself included, that has an entry `.git`. */
export async function gitRoot(
  cwd: string,
  files: Pick<Files, "lstat">,
): Promise<string | undefined> {
  for (let folder = cwd;; folder = dirname(folder)) {
    const found = await files.lstat(join(folder, ".git")).catch(() => undefined);
    if (found !== undefined) return folder; // one that may not be looked at is none
    if (dirname(folder) === folder) return undefined;
  }
}

/** The folders from `top` down to `bottom`, which lies in it or is it. */
export function foldersBetween(top: string, bottom: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = bottom;; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === top || dirname(folder) === folder) return folders;
  }
}
