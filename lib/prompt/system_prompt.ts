import { SkepError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Persona } from "../persona/persona.ts";
import type { Skill } from "../persona/skill.ts";
import { type Hint, hintsSection } from "./hints_section.ts";
import { section, withoutMarks } from "./section.ts";
import { skillsSection } from "./skills_section.ts";

/** What a system prompt is made of. */
export interface PromptParts {
  readonly persona: Pick<Persona, "prompt" | "file" | "team">;
  /** The files of instructions that the workspace and the home folder have, in order. */
  readonly hints?: readonly Hint[];
  readonly skills?: readonly Skill[];
  /** Folders that the session works in beside its own. */
  readonly addedFolders?: readonly string[] | undefined;
  /** See {@linkcode missingTools}. */
  readonly missingTools?: string;
  /** See {@linkcode toolNotes}. */
  readonly toolNotes?: string;
}

/** One part of a system prompt, as it goes out. */
export interface PromptPart {
  readonly name:
    | "persona"
    | "team instructions"
    | "project hints"
    | "skills"
    | "folders"
    | "missing tools"
    | "tool notes";
  readonly text: string;
  readonly bytes: number;
}

const BETWEEN = "\n\n";

/**
 * The system prompt of a session: the persona's text, then its pack's instructions, the workspace's
 * hints, the list of skills, which tools are missing and what servers say of theirs, each in marks that no
 * other part can forge. The same parts always give the same text, so that a provider can cache it.
 *
 * @throws {SkepError} `PERSONA_INVALID` when it is over its bound.
 *
 * @example
 * ```ts
 * import { systemPrompt } from "./system_prompt.ts";
 *
 * const persona = { prompt: "You help.\n", file: "/p/a.persona.md" };
 * if (systemPrompt({ persona }, { maxSystemPromptBytes: 100 }) !== "You help.") throw new Error();
 * ```
 */
export function systemPrompt(
  parts: PromptParts,
  limits: Pick<Limits, "maxSystemPromptBytes">,
): string {
  const text = promptParts(parts).map((part) => part.text).join(BETWEEN);
  const bytes = byteLength(text);
  if (bytes <= limits.maxSystemPromptBytes) return text;
  const path = parts.persona.file;
  const message =
    `Cannot use a system prompt of ${bytes} bytes (${path}): the limit is ${limits.maxSystemPromptBytes}`;
  throw new SkepError("PERSONA_INVALID", message, { path });
}

/** The parts of a system prompt, in order, those that are empty left out. */
export function promptParts(
  { persona, hints = [], skills = [], addedFolders = [], missingTools = "", toolNotes = "" }:
    PromptParts,
): readonly PromptPart[] {
  const team = persona.team?.trim() ?? "";
  const texts: [PromptPart["name"], string][] = [
    ["persona", withoutMarks(persona.prompt.trim())],
    ["team instructions", team === "" ? "" : section("team_instructions", team)],
    ["project hints", hintsSection(hints)],
    ["skills", skillsSection(skills)],
    ["folders", foldersText(addedFolders)],
    ["missing tools", missingTools],
    ["tool notes", toolNotes],
  ];
  return texts.filter(([, text]) => text !== "")
    .map(([name, text]) => ({ name, text, bytes: byteLength(text) }));
}

function foldersText(folders: readonly string[]): string {
  if (folders.length === 0) return "";
  const names = folders.map((each) => JSON.stringify(each)).join(", ");
  return withoutMarks(
    `You work in the current folder, and in these as well: ${names}. ` +
      "Name what lies in them by absolute paths.",
  );
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
