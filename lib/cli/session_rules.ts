import { join } from "@std/path";
import type { ApprovalOptions } from "../approval/approvals.ts";
import { openKeptRules } from "../approval/kept_rules.ts";
import { parseApprovals } from "../approval/parse_approvals.ts";
import type { Rules } from "../approval/rules.ts";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Persona } from "../persona/persona.ts";
import {
  type HookSettings,
  mergeHooks,
  parseHooks,
  readHookSettings,
} from "../session/hook_settings.ts";
import type { SessionRequest } from "../session/session.ts";
import type { Settings } from "./settings.ts";

/** What a policy says that is about sessions, as YAML gave it. */
export interface SessionPolicy {
  readonly file: string;
  readonly approvals?: unknown;
  readonly hooks?: unknown;
}

/** What decides about the calls and the ends of a session's turns. */
export interface SessionRules {
  /** Those of the persona and those of the policy, each by itself. */
  readonly rules: readonly Rules[];
  /** What the environment and the policy let, together; a persona lets none. */
  readonly hooks: HookSettings;
  /** A turn that published nothing is reminded that people read only that. */
  readonly requiresReply: boolean;
}

/**
 * Reads the rules of sessions.
 *
 * @throws {SkepError} `CONFIG_INVALID`.
 */
export function sessionRules(
  { approvals, file }: Pick<Persona, "approvals" | "file">,
  policy: SessionPolicy | undefined,
  env: Host["env"],
): SessionRules {
  const own = policy === undefined ? [] : [parseApprovals(policy.approvals, policy.file)];
  return {
    rules: [parseApprovals(approvals, file), ...own],
    hooks: mergeHooks(
      readHookSettings(env),
      parseHooks(policy?.hooks, policy?.file ?? "the policy"),
    ),
    requiresReply: readToggle(["SKEP_REQUIRE_REPLY", "BUZZ_AGENT_REQUIRE_REPLY"], env),
  };
}

/**
 * What decides about the calls of one session. What a person allows for ever is kept in skep's state; where
 * nobody is asked, nothing is looked up.
 *
 * @throws {SkepError} `CONFIG_INVALID`.
 */
export async function approvalsOf(
  rules: readonly Rules[],
  { approver, cwd }: Pick<SessionRequest, "approver" | "cwd">,
  { file: persona }: Pick<Persona, "file">,
  { folders, limits }: Pick<Settings, "folders" | "limits">,
  { files }: Pick<Host, "files">,
): Promise<ApprovalOptions> {
  const isAsking = rules.some((each) => each.rules.some(({ action }) => action === "ask"));
  if (approver === undefined || !isAsking) return { rules, ...(approver && { approver }) };
  const path = join(folders.state, "approvals.json");
  const kept = await openKeptRules(path, { persona, cwd }, files, limits);
  return { rules, approver, kept: kept.rules, remember: kept.remember };
}

/** A number: 0 is off, any other is on. */
function readToggle(names: readonly string[], env: Host["env"]): boolean {
  const source = names.find((name) => env(name) !== undefined);
  const text = source === undefined ? "0" : env(source)?.trim() ?? "";
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text) !== 0;
  const message = `Cannot use ${source}="${text}": it must be 0 (off) or 1 (on)`;
  throw new SkepError("CONFIG_INVALID", message, { source: source ?? "" });
}
