import { resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";

/** A prompt in the place of the persona's, and the variable that gave it. */
export interface OwnPrompt {
  readonly text: string;
  readonly source: string;
}

const NAMES = [
  ["SKEP_SYSTEM_PROMPT", "SKEP_SYSTEM_PROMPT_FILE"],
  ["BUZZ_AGENT_SYSTEM_PROMPT", "BUZZ_AGENT_SYSTEM_PROMPT_FILE"],
] as const;

/**
 * The prompt that the environment gives in the place of the persona's: `SKEP_SYSTEM_PROMPT`, or the file
 * that `SKEP_SYSTEM_PROMPT_FILE` names, then buzz-agent's two; undefined when none is set.
 *
 * @throws {SkepError} `CONFIG_INVALID` when a text and its file are both set, when the file cannot be read or
 * says nothing, and for a text that is over its bound.
 */
export async function ownPrompt(
  { env, files, cwd }: Pick<Host, "env" | "cwd"> & {
    readonly files: Pick<Host["files"], "readText">;
  },
  { maxSystemPromptBytes: limit }: Pick<Limits, "maxSystemPromptBytes">,
): Promise<OwnPrompt | undefined> {
  for (const [inWords, inFile] of NAMES) {
    const text = env(inWords) ?? "";
    const path = env(inFile)?.trim() ?? "";
    if (text.trim() !== "" && path !== "") {
      throw refused(inWords, `${inFile} is set, too: leave one of them out`);
    }
    if (text.trim() !== "") return checked({ text, source: inWords }, limit);
    if (path === "") continue;
    const what = `${inFile}="${path}"`;
    const read = await files.readText(resolve(cwd(), path), limit).catch((cause) => {
      throw refused(what, messageOf(cause), inFile, cause);
    });
    if (read.trim() === "") throw refused(what, "the file is empty", inFile);
    return { text: read, source: inFile };
  }
  return undefined;
}

function checked(prompt: OwnPrompt, limit: number): OwnPrompt {
  const bytes = new TextEncoder().encode(prompt.text).length;
  if (bytes <= limit) return prompt;
  throw refused(prompt.source, `it has ${bytes} bytes: the limit is ${limit}`);
}

function refused(what: string, why: string, source = what, cause?: unknown): SkepError {
  return new SkepError("CONFIG_INVALID", `Cannot use ${what}: ${why}`, { source }, { cause });
}
