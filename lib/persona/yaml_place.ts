import type { Place } from "./problems.ts";

/** Lines of a block, of which an enclosing list's dashes are blanked out. */
interface Block {
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
}

/**
 * Where a key of YAML in block form stands, by its path such as `mcp_servers[0].env.A`; undefined for one
 * that is not found, as inside `{…}`. It looks at indentation alone, which is enough to point at a line.
 */
export function yamlPlace(yaml: string, path: string): Place | undefined {
  const lines = yaml.split("\n");
  let block: Block = { lines, from: 0, to: lines.length };
  let place: Place | undefined;
  for (const step of path.match(/[^.[\]]+|\[\d+\]/g) ?? []) {
    const found = step.startsWith("[")
      ? item(block, Number(step.slice(1, -1)))
      : entry(block, step);
    if (found === undefined) return undefined;
    place = { line: found.line + 1, column: found.column + 1 };
    block = found.inner;
  }
  return place;
}

type Found = { readonly line: number; readonly column: number; readonly inner: Block };

function entry(block: Block, key: string): Found | undefined {
  const column = indentOf(block);
  for (let line = block.from; line < block.to; line++) {
    const text = block.lines[line]!;
    const isKey = [`${key}:`, `"${key}":`, `'${key}':`].some((each) =>
      text.startsWith(each, column)
    );
    if (isKey && indent(text) === column) {
      // A list may stand under its key without being indented.
      const to = end(block, line, (at, inner) => at < column || (at === column && inner !== "-"));
      return { line, column, inner: { ...block, from: line + 1, to } };
    }
  }
  return undefined;
}

function item(block: Block, index: number): Found | undefined {
  const column = indentOf(block);
  let seen = -1;
  for (let line = block.from; line < block.to; line++) {
    const text = block.lines[line]!;
    if (indent(text) !== column || !/^-(\s|$)/.test(text.slice(column))) continue;
    if (++seen < index) continue;
    const lines = block.lines.with(line, `${" ".repeat(column + 1)}${text.slice(column + 1)}`);
    const to = end(block, line, (at) => at <= column);
    const inner = { lines, from: line, to };
    return { line, column: indent(lines[line]!) ?? column, inner };
  }
  return undefined;
}

/** The line after `line` where its block is over. */
function end(block: Block, line: number, isOver: (at: number, first: string) => boolean): number {
  for (let next = line + 1; next < block.to; next++) {
    const text = block.lines[next]!;
    const at = indent(text);
    if (at !== undefined && isOver(at, text[at]!)) return next;
  }
  return block.to;
}

function indentOf({ lines, from, to }: Block): number {
  for (let line = from; line < to; line++) {
    const at = indent(lines[line]!);
    if (at !== undefined) return at;
  }
  return 0;
}

/** Undefined for a blank line or a comment. */
function indent(text: string): number | undefined {
  const at = text.search(/\S/);
  return at === -1 || text[at] === "#" ? undefined : at;
}
