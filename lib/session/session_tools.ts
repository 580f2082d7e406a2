import type { Approvals } from "../approval/approvals.ts";
import type { Registry } from "../mcp/registry.ts";
import type { TurnTools } from "../turn/run.ts";
import { type Admit, withAdmission } from "./admission.ts";
import { withBuiltIns } from "./built_ins.ts";
import { findToolTool } from "./find_tool_tool.ts";
import type { SessionParts } from "./open_session.ts";
import { planMode } from "./plan_mode.ts";
import { readArtifactTool } from "./read_artifact_tool.ts";
import type { SessionHooks } from "./session_hooks.ts";
import { withFolderHints } from "./with_folder_hints.ts";

/** What decides about the calls of a session, beside their grants. */
export interface CallChecks {
  readonly approvals: Approvals;
  /** Absent: nobody's hooks are called. */
  readonly hooks: SessionHooks | undefined;
  readonly isPlanning: () => boolean;
}

/**
 * The tools of a session: its servers' and its own. Before a call runs, the mode, the hooks and the
 * rules are asked, in this order, so that nobody is asked about what is not run anyway.
 */
export function sessionTools(
  { registry, builtIns: others, artifacts, folderHints, limits }: SessionParts,
  { approvals, hooks, isPlanning }: CallChecks,
): TurnTools {
  const builtIns = [
    ...others,
    findToolTool(registry),
    ...(artifacts === undefined ? [] : [readArtifactTool(artifacts, limits)]),
  ];
  const served = withFolderHints(withBuiltIns(registry, builtIns), folderHints);
  const own = builtIns.map(({ definition }) => definition.name);
  const checks = [
    planMode(isPlanning, own, registry),
    hooks?.beforeCall,
    byRules(approvals, registry),
  ];
  return withAdmission(
    hooks === undefined ? served : { ...served, review: hooks.review },
    checks.filter((check) => check !== undefined),
  );
}

function byRules(approvals: Approvals, registry: Pick<Registry, "namesOf">): Admit {
  return async ({ id: callId, name: tool }, args, signal) => {
    const verdict = await approvals.check(
      { callId, tool, args, names: registry.namesOf(tool) },
      signal,
    );
    return verdict.isAllowed ? undefined : `${tool} was not run: ${verdict.reason}`;
  };
}
