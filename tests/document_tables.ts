// The tables of the documents that the code knows: `deno task docs` writes them, tests/docs_test.ts compares them.
import { COMMANDS } from "../lib/cli/commands.ts";
import { EXIT_MEANINGS } from "../lib/cli/exit_codes.ts";
import { type Limit, LIMITS } from "../lib/limits.ts";
import { fromRepo } from "./harness.ts";

/** Where each table stands. */
const DOCUMENTS: Readonly<Record<string, readonly TableName[]>> = {
  "README.md": ["commands", "exit_codes"],
  "docs/limits.md": ["limits"],
};

type TableName = keyof typeof TABLES;

/** Each table by the name that its markers have. */
const TABLES = {
  commands: () =>
    table(
      ["command", "does"],
      COMMANDS.map(({ usage, summary }) => [code(`skep ${usage}`), summary]),
    ),
  exit_codes: () => table(["exit code", "says"], Object.entries(EXIT_MEANINGS)),
  limits: () =>
    table(
      ["variable", "default", "bounds", "past it"],
      Object.values<Limit>(LIMITS).filter(isShown).map((limit) => [
        code(limit.override[0]!),
        amount(limit),
        limit.reason,
        limit.past,
      ]),
    ),
} as const;

/** Each document that holds tables, with them written anew. @throws when a table has no markers. */
export function documentsWithTables(): { path: string; text: string; written: string }[] {
  return Object.entries(DOCUMENTS).map(([path, names]) => {
    const text = Deno.readTextFileSync(fromRepo(path));
    return { path, text, written: names.reduce(withTable, text) };
  });
}

function withTable(written: string, name: TableName): string {
  const [begin, end] = [`<!-- table ${name} -->\n`, `<!-- end ${name} -->`];
  const [at, after] = [written.indexOf(begin), written.indexOf(end)];
  if (at === -1 || after < at) throw new Error(`There is no table ${name} between its markers`);
  return `${written.slice(0, at)}${begin}\n${TABLES[name]()}\n\n${written.slice(after)}`;
}

/** Those that have a setting, and are no waits: nobody but a developer of skep moves those. */
function isShown({ override, unit }: Limit): boolean {
  return override.length > 0 && unit !== "ms";
}

/** A number of bytes in the largest unit that divides it; any other with its unit. */
function amount({ value, unit }: Limit): string {
  if (unit !== "bytes") return `${value} ${unit}`;
  for (const [size, name] of [[2 ** 20, "MiB"], [2 ** 10, "KiB"]] as const) {
    if (value % size === 0) return `${value / size} ${name}`;
  }
  return `${value} bytes`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const [first, ...others] = cells;
  return [line(first!), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join(
    "\n",
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  for (const { path, written } of documentsWithTables()) {
    await Deno.writeTextFile(fromRepo(path), written);
  }
}
