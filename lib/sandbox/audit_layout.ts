/** A line of an audit before it is laid out. */
export interface AuditLine {
  readonly text: string;
  /** Who asked for what the text says. */
  readonly asker?: string;
  /** Where the next line begins, when it is too long for a terminal. */
  readonly hang?: number;
  readonly tone?: "title" | "danger" | "caution";
}

/** Where an audit is shown. */
export interface AuditLook {
  /** How wide the terminal is; absent: it is none, and no line is broken. */
  readonly columns?: number;
  readonly isColored: boolean;
}

/** A terminal that is narrower than this breaks lines itself. */
const LEAST_COLUMNS = 40;
/** What an asker may take of a line at most. */
const ASKER_SHARE = 0.4;

const STYLES = { title: "\u001b[1m", danger: "\u001b[31m", caution: "\u001b[33m" } as const;
const DIM = "\u001b[2m";
const PLAIN = "\u001b[0m";

/**
 * Lines as they are printed. On a terminal they are broken at its width, with a hanging indent, and who asked is a
 * column of its own; elsewhere it stands in brackets behind the text. Colours are for a terminal alone: titles are
 * bold, dangers red, cautions yellow, and who asked is dim.
 */
export function layOut(lines: readonly AuditLine[], { columns, isColored }: AuditLook): string[] {
  const styled = (text: string, style: string | undefined) =>
    isColored && style !== undefined ? `${style}${text}${PLAIN}` : text;
  const styleOf = ({ tone }: AuditLine) => tone === undefined ? undefined : STYLES[tone];
  if (columns === undefined) {
    return lines.map((line) =>
      styled(line.asker === undefined ? line.text : `${line.text}  (${line.asker})`, styleOf(line))
    );
  }
  const width = Math.max(columns, LEAST_COLUMNS);
  const asked = lines.filter(({ asker }) => asker !== undefined);
  const widest = (of: (line: AuditLine) => string) =>
    Math.max(0, ...asked.map((line) => of(line).length));
  const room = Math.min(widest(({ asker = "" }) => asker), Math.floor(width * ASKER_SHARE));
  const left = Math.min(widest(({ text }) => text), width - room - 2);
  return lines.flatMap((line) => {
    const { text, asker, hang = 4 } = line;
    if (asker === undefined) {
      return wrap(text, width, hang).map((each) => styled(each, styleOf(line)));
    }
    const [cells, askers] = [wrap(text, left, hang), wrap(asker, width - left - 2, 0)];
    const count = Math.max(cells.length, askers.length);
    return Array.from({ length: count }, (_, place) => {
      const by = askers[place];
      const cell = cells[place] ?? "";
      return by === undefined ? cell : `${cell.padEnd(left)}  ${styled(by, DIM)}`;
    });
  });
}

/** Breaks a text at spaces, else behind commas, else where the line ends. Lines after the first are indented. */
function wrap(text: string, width: number, hang: number): string[] {
  const lines: string[] = [];
  const indent = Math.min(hang, width - LEAST_COLUMNS / 4);
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const comma = rest.lastIndexOf(",", width - 1) + 1;
    const cut = space > indent ? space : comma > indent ? comma : width;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = " ".repeat(Math.max(indent, 0)) + rest.slice(cut).trimStart();
  }
  return [...lines, rest];
}
