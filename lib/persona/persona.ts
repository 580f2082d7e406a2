import type { Limits } from "../limits.ts";
import type { Permissions, ServerSpec } from "../sandbox/spec.ts";
import type { Settled } from "./defaults.ts";
import type { Hooks } from "./hooks.ts";
import type { Skill } from "./skill.ts";

/** A server that an entry switches off. */
export interface SwitchedOff {
  readonly name: string;
  /** Absolute path of the file with the entry. */
  readonly where: string;
}

/** A persona as a session uses it: its pack's defaults merged in, its servers listed. */
export interface Persona {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Absolute path of the pack's folder. */
  readonly pack: string;
  /** Absolute path of the persona's own file. */
  readonly file: string;
  /** The persona's own text. */
  readonly prompt: string;
  /** Its pack's instructions, for all of its personas. */
  readonly team?: string;
  /** `provider:model`, when the pack asks for one. */
  readonly model?: string;
  readonly avatar?: string;
  readonly version?: string;
  readonly servers: readonly ServerSpec[];
  readonly serversOff: readonly SwitchedOff[];
  /** Those of its pack. */
  readonly skills: readonly Skill[];
  readonly hooks: Hooks;
  /** The most that anything it starts may be granted. */
  readonly permissions?: Permissions;
  /** Rules about calls that a person decides, as written. */
  readonly approvals?: unknown;
  /** What `${NAME}` stands for in its servers' arguments and variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Sources of secrets, for servers whose `env` asks for one. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Bounds of the program that it lowers for itself. */
  readonly limits: Partial<Limits>;
  /** Whether the workspace's AGENTS.md files and skills are read. */
  readonly hints: boolean;
  /** Its own settings over its pack's over the built-in ones. */
  readonly settings: Settled;
  /** Who set each of them, by its spelling in files: `persona`, `pack defaults` or `built-in`. */
  readonly origins: Readonly<Record<string, string>>;
  /** The agent program that should play it; here it is always skep. */
  readonly runtime?: string;
}
