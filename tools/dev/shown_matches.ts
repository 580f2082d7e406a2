import { shownName } from "./shown_name.ts";

const GAP = "--\n";

/**
 * What `rg --null` wrote, for a reader: a name that holds control characters, a line end too, as a JSON
 * string; else `path:line:text`, `path-line-text`, `path:count`, or a path a line.
 *
 * @param isList The output has names alone, a NUL behind each.
 */
export function shownMatches(output: string, isList: boolean): string {
  if (isList) return output.replaceAll(/([^\0]*)\0/g, (_, path: string) => `${shownName(path)}\n`);
  let shown = "";
  for (let at = 0; at < output.length;) {
    if (output.startsWith(GAP, at)) {
      shown += GAP;
      at += GAP.length;
      continue;
    }
    const nul = output.indexOf("\0", at);
    if (nul === -1) return shown + output.slice(at); // no name in front: said of a binary file
    const newline = output.indexOf("\n", nul);
    const end = newline === -1 ? output.length : newline + 1;
    const rest = output.slice(nul + 1, end);
    const [, mark = ":"] = /^\d+([:-])/.exec(rest) ?? [];
    shown += `${shownName(output.slice(at, nul))}${mark}${rest}`;
    at = end;
  }
  return shown;
}
