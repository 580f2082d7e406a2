import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Registry } from "../mcp/registry.ts";
import type { Persona } from "../persona/persona.ts";
import { findSkills } from "../prompt/find_skills.ts";
import { FolderHints } from "../prompt/folder_hints.ts";
import { readHints } from "../prompt/hints.ts";
import type { SkillShelf } from "../prompt/load_skill.ts";
import { missingTools } from "../prompt/missing_tools.ts";
import { type PromptParts, systemPrompt } from "../prompt/system_prompt.ts";
import { toolNotes } from "../prompt/tool_notes.ts";
import type { BuiltIn } from "../session/built_ins.ts";
import { loadSkillTools } from "../session/load_skill_tool.ts";
import type { SessionRequest } from "../session/session.ts";
import { ownPrompt } from "./own_prompt.ts";
import type { Settings } from "./settings.ts";

/** What the prompt of one session is made of, and the tools that belong to it. */
export interface PromptSources {
  readonly parts: PromptParts;
  /** The parts as the model gets them. */
  readonly system: string;
  readonly builtIns: readonly BuiltIn[];
  readonly shelf: SkillShelf;
  /** Absent when hints are off. */
  readonly folderHints?: FolderHints;
  /** What a person must be told of hints and skills. */
  readonly notices: readonly string[];
}

/**
 * Reads what a session's prompt needs beside the persona: hints and skills of the workspace and the home
 * folder, unless they are switched off. The skills of the persona's pack are always there.
 *
 * @throws {SkepError} `PERSONA_INVALID` when the prompt is over its bound; `INVALID_PARAMS` when that is the
 * client's; `CONFIG_INVALID` when that of the environment cannot be used.
 */
export async function promptSources(
  persona: Persona,
  { cwd, addedFolders, systemPrompt: clients, onNotice }: Pick<
    SessionRequest,
    "cwd" | "addedFolders" | "systemPrompt" | "onNotice"
  >,
  settings: Pick<Settings, "limits" | "hints">,
  host: Pick<Host, "files" | "env" | "platform" | "cwd">,
): Promise<PromptSources> {
  const { files } = host;
  const { limits } = settings;
  const areOn = settings.hints && persona.hints;
  const home = host.env(host.platform.os === "windows" ? "USERPROFILE" : "HOME");
  const workspace = await files.realPath(cwd);
  const places = { cwd: workspace, home: home === "" ? undefined : home, pack: persona.skills };
  const look = () =>
    areOn
      ? findSkills(places, files, limits)
      : Promise.resolve({ skills: persona.skills, notices: [] });
  const [hints, found] = await Promise.all([
    areOn ? readHints(workspace, places.home, files, limits) : { hints: [], notices: [] },
    look(),
  ]);
  const shelf = shelfOf(found.skills, async () => (await look()).skills);
  // A client's prompt, or the operator's, stands for all that the pack says.
  const own = clients === undefined
    ? await ownPrompt(host, limits)
    : { text: clients, source: "systemPrompt" };
  const spoken = own === undefined ? persona : { prompt: own.text, file: own.source };
  const parts = { persona: spoken, hints: hints.hints, skills: found.skills, addedFolders };
  return {
    parts,
    system: clients === undefined ? systemPrompt(parts, limits) : clientPrompt(parts, limits),
    builtIns: loadSkillTools(shelf, { files, limits }),
    shelf,
    ...(areOn ? { folderHints: new FolderHints(workspace, files, limits, onNotice) } : {}),
    notices: [...hints.notices, ...found.notices],
  };
}

/**
 * The same with which servers and tools are missing, and what the others say on how to use them, as far as
 * there is room in the prompt. It is settled once for a session: a provider caches the prompt.
 */
export function withToolNotes(
  sources: PromptSources,
  registry: Pick<Registry, "absences" | "instructions">,
  limits: Settings["limits"],
): PromptSources {
  const room = limits.maxSystemPromptBytes - byteLength(sources.system) - MARKS_BYTES;
  const missing = missingTools(registry.absences(), {
    maxMissingToolsBytes: Math.min(limits.maxMissingToolsBytes, room),
  });
  const left = room - byteLength(missing);
  const { text, notices } = toolNotes(registry.instructions(), {
    maxToolNotesBytes: Math.min(limits.maxToolNotesBytes, left),
  });
  const parts = { ...sources.parts, missingTools: missing, toolNotes: text };
  return {
    ...sources,
    parts,
    system: missing + text === "" ? sources.system : systemPrompt(parts, limits),
    notices: [...sources.notices, ...notices],
  };
}

/** What the marks around what is added may take, with those around each server's words. */
const MARKS_BYTES = 8 * 1024;

function shelfOf(
  first: SkillShelf["skills"],
  look: () => Promise<SkillShelf["skills"]>,
): SkillShelf {
  let skills = first;
  return {
    get skills(): SkillShelf["skills"] {
      return skills;
    },
    refresh: async () => skills = await look(),
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A fault of a client's prompt is the client's. */
function clientPrompt(parts: PromptParts, limits: Settings["limits"]): string {
  try {
    return systemPrompt(parts, limits);
  } catch (cause) {
    const method = "session/new";
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SkepError("INVALID_PARAMS", `${method}: ${why}`, { method }, { cause });
  }
}
