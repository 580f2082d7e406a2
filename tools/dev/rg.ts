import { relative } from "@std/path";
import { rgScript } from "./command_scripts.ts";
import { bashFailed, locate, workFolder } from "./paths.ts";
import { runSearch, type SearchResult } from "./run_search.ts";
import { shownMatches } from "./shown_matches.ts";
import { defineTool, failed, type Tool, type ToolContext } from "./tool.ts";

/** Longer lines are cut: what a minified file has on one would fill the result. */
const MAX_COLUMNS = 400;
const MODES = ["lines", "files", "count", "list"] as const;

/** Searches files for a regular expression. */
export const rg: Tool = defineTool({
  name: "rg",
  description: "Searches files with ripgrep: what .gitignore and .ignore leave out, hidden and " +
    "binary files are skipped. Prefer it to grep and find. mode `lines` gives path:line:text, " +
    "`files` the files that match, `count` the lines that match in each, `list` just lists files.",
  schema: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "A regular expression; not needed to list" },
      path: { type: "string", description: "A file or folder, instead of all of workdir" },
      mode: { type: "string", description: "What to give; lines when left out", enum: MODES },
      glob: {
        type: "array",
        description: "Only files like these: *.ts, src/**; !*.md leaves out",
        items: { type: "string" },
      },
      type: { type: "string", description: "Only files of this type, such as ts, py, rust" },
      context: { type: "integer", description: "Lines around each match", minimum: 0 },
      ignore_case: { type: "boolean", description: "Upper and lower case are the same" },
      fixed: { type: "boolean", description: "The pattern is plain text" },
      word: { type: "boolean", description: "Only whole words" },
      hidden: { type: "boolean", description: "Hidden files too" },
      no_ignore: { type: "boolean", description: "Ignored files too" },
      workdir: { type: "string", description: "A folder, instead of the working directory" },
    },
    required: [],
    additionalProperties: false,
  },
  annotations: {
    title: "Search files",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async ({ pattern, path, mode = "lines", workdir, ...options }, context, signal) => {
    if (pattern === undefined && mode !== "list") throw failed(context, "pattern is missing");
    const texts = [pattern ?? "", ...(options.glob ?? [])];
    if (texts.some((text) => text.includes("\0"))) {
      throw failed(context, "Cannot search for a NUL character");
    }
    const folder = await workFolder(workdir, context);
    const args = [
      ...[
        "--no-config",
        "--color=never",
        "--no-heading",
        "--line-number",
        "--with-filename",
        "--null",
      ],
      ...["--sort=path", "--no-require-git", `--max-columns=${MAX_COLUMNS}`],
      "--max-columns-preview",
      ...(options.ignore_case ? ["--ignore-case"] : []),
      ...(options.fixed ? ["--fixed-strings"] : []),
      ...(options.word ? ["--word-regexp"] : []),
      ...(options.hidden ? ["--hidden", "--glob=!.git"] : []),
      ...(options.no_ignore ? ["--no-ignore"] : []),
      ...(options.context === undefined ? [] : [`--context=${options.context}`]),
      ...(options.type === undefined ? [] : [`--type=${options.type}`]),
      ...(options.glob ?? []).map((glob) => `--glob=${glob}`),
      ...MODE_FLAGS[mode],
      ...(mode === "list" ? [] : [`--regexp=${pattern}`]),
      "--",
      ...(path === undefined ? [] : [await shownPath(path, workdir, folder, context)]),
    ];
    const isList = mode === "list" || mode === "files";
    const found = await run(args, folder, isList ? NUL : NEWLINE, context, signal);
    return { text: render({ ...found, text: shownMatches(found.text, isList) }, mode, context) };
  },
});

const NUL = 0;
const NEWLINE = 0x0a;

const MODE_FLAGS = {
  lines: [],
  files: ["--files-with-matches"],
  count: ["--count"],
  list: ["--files"],
} as const satisfies Record<(typeof MODES)[number], readonly string[]>;

async function shownPath(
  path: string,
  workdir: string | undefined,
  folder: string,
  context: ToolContext,
): Promise<string> {
  const target = await locate(path, workdir, "read", context);
  return relative(folder, target) || ".";
}

async function run(
  args: readonly string[],
  folder: string,
  lineEnd: number,
  context: ToolContext,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { limits, world, ownCommand } = context;
  const bounds = {
    lineEnd,
    maxLines: limits.maxSearchLines,
    maxBytes: limits.maxSearchBytes,
    timeoutMs: limits.searchTimeoutMs,
  };
  try {
    return await runSearch(rgScript(ownCommand("rg")), args, folder, bounds, world, signal);
  } catch (error) {
    throw bashFailed("search", error, context);
  }
}

function render(
  { text, stderr, code, cut }: SearchResult,
  mode: (typeof MODES)[number],
  context: ToolContext,
): string {
  const { maxSearchLines, maxSearchBytes, searchTimeoutMs } = context.limits;
  const problem = stderr.trim();
  if (text === "" && cut === undefined) {
    if (code !== 1 && problem !== "") throw failed(context, `Cannot search: ${problem}`);
    const note = problem === "" ? "" : `\n[${problem}]`;
    return `${mode === "list" ? "No files" : "No matches"}${note}`;
  }
  const notes: string[] = [];
  const advice = "narrow the pattern, the glob or the path";
  if (cut === "time") notes.push(`ended after ${searchTimeoutMs} ms, there may be more: ${advice}`);
  if (cut === "lines") notes.push(`the first ${maxSearchLines} lines, there are more: ${advice}`);
  if (cut === "bytes") notes.push(`the first ${maxSearchBytes} bytes, there are more: ${advice}`);
  if (problem !== "") notes.push(problem);
  return text + notes.map((note) => `[${note}]`).join("\n");
}
