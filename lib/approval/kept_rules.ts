import { dirname } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import { parseApprovals } from "./parse_approvals.ts";
import type { Rule } from "./rules.ts";

/** Whom an "always" was said to: a persona, by its file, in one workspace. */
export interface KeptFor {
  readonly persona: string;
  readonly cwd: string;
}

/** What a person allowed for ever, beside a way to add to it. */
export interface KeptRules {
  readonly rules: readonly Rule[];
  remember(rules: readonly Rule[]): Promise<void>;
}

/** One entry of the file; its rules are written as those of a policy. */
interface Entry extends KeptFor {
  readonly approvals: readonly unknown[];
}

/**
 * Opens the file of what was allowed for ever: JSON, which a person may read and edit. One that is missing
 * holds nothing.
 *
 * @throws {SkepError} `CONFIG_INVALID` when it cannot be used.
 */
export async function openKeptRules(
  path: string,
  { persona, cwd }: KeptFor,
  files: Pick<Files, "readText" | "writeText" | "makeFolder" | "stat">,
  { maxConfigFileBytes }: { readonly maxConfigFileBytes: number },
): Promise<KeptRules> {
  const isOurs = (entry: Entry) => entry.persona === persona && entry.cwd === cwd;
  const read = async (): Promise<Entry[]> => {
    if (await files.stat(path) === undefined) return [];
    return parseEntries(await files.readText(path, maxConfigFileBytes), path);
  };
  const ours = (await read()).find(isOurs);
  return {
    rules: ours === undefined ? [] : parseApprovals(ours.approvals, path).rules,
    remember: async (rules) => {
      const entries = await read(); // another session may have added to it
      const before = entries.find(isOurs)?.approvals ?? [];
      const known = new Set(before.map((each) => JSON.stringify(each)));
      const added = rules.map(written).filter((each) => !known.has(JSON.stringify(each)));
      const entry: Entry = { persona, cwd, approvals: [...before, ...added] };
      const all = [...entries.filter((each) => !isOurs(each)), entry];
      await files.makeFolder(dirname(path));
      await files.writeText(path, `${JSON.stringify(all, undefined, 2)}\n`);
    },
  };
}

function written({ action, tool, command, args }: Rule): Record<string, unknown> {
  return { [action]: tool, ...(command === undefined ? {} : { command }), args };
}

function parseEntries(text: string, path: string): Entry[] {
  const invalid = (why: string, cause?: unknown) =>
    new SkepError("CONFIG_INVALID", `Cannot use ${path}: ${why}`, { source: path }, { cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`it is not JSON: ${messageOf(error)}`, error);
  }
  if (Array.isArray(value) && value.every(isEntry)) return value;
  throw invalid("it must be a list of {persona, cwd, approvals}");
}

function isEntry(value: unknown): value is Entry {
  const { persona, cwd, approvals } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof persona === "string" && typeof cwd === "string" && Array.isArray(approvals);
}
