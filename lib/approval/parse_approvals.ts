import { SkepError } from "../errors.ts";
import { nearest } from "../suggest.ts";
import { ACTIONS, type Rule, type Rules } from "./rules.ts";

const KEYS = [...ACTIONS, "command", "args"];

/**
 * Reads the value of `approvals:` in a persona's frontmatter or a policy file: a list of rules, or a
 * mapping of `rules` and `mode` (`plan`: the session only looks, until it is told otherwise). Each rule is `allow`, `ask` or `deny` with a pattern of tools, and what it takes of the call.
 *
 * @param value As YAML gave it; nothing at all is no rule.
 * @param source The file, for messages and for people.
 * @throws {SkepError} `CONFIG_INVALID`, naming the entry and what was wanted.
 *
 * @example
 * ```ts
 * import { parseApprovals } from "./parse_approvals.ts";
 *
 * const { rules } = parseApprovals([{ ask: "dev__shell", command: "git push *" }], "policy.yaml");
 * if (rules[0]?.action !== "ask") throw new Error("not read");
 * ```
 */
export function parseApprovals(value: unknown, source: string): Rules {
  if (value === undefined || value === null) return { source, rules: [] };
  const { rules = [], mode, ...others } = isMapping(value) ? value : { rules: value };
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalid(source, `approvals.${other}`, "the keys are rules and mode");
  }
  if (!Array.isArray(rules)) throw invalid(source, "approvals", "it must be a list of rules");
  if (mode !== undefined && mode !== "plan" && mode !== "normal") {
    throw invalid(source, "approvals.mode", "it is plan or normal");
  }
  return {
    source,
    rules: rules.map((entry, index) => parseRule(entry, index, source)),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** A rule that cannot be used, by its place in the list; -1 for the whole. */
export interface RuleProblem {
  readonly index: number;
  readonly error: SkepError;
}

/** All that {@linkcode parseApprovals} would refuse. */
export function approvalProblems(value: unknown, source: string): readonly RuleProblem[] {
  const rules = isMapping(value) ? value.rules : value;
  const list = Array.isArray(rules) ? rules : [];
  const others = isMapping(value) ? { ...value, rules: [] } : Array.isArray(value) ? [] : value;
  const each = list.map((entry, index) => [index, () => parseRule(entry, index, source)] as const);
  const whole = [-1, () => parseApprovals(list.length > 0 ? others : value, source)] as const;
  return [whole, ...each].flatMap(([index, parse]): RuleProblem[] => {
    try {
      parse();
      return [];
    } catch (error) {
      if (!(error instanceof SkepError)) throw error;
      return [{ index, error }];
    }
  });
}

function parseRule(entry: unknown, index: number, source: string): Rule {
  const at = `approvals[${index}]`;
  if (!isMapping(entry)) throw invalid(source, at, "it must be a mapping");
  for (const key of Object.keys(entry)) {
    if (KEYS.includes(key)) continue;
    const near = nearest(key, KEYS);
    const hint = near === undefined ? `the keys are ${KEYS.join(", ")}` : `did you mean "${near}"?`;
    throw invalid(source, `${at}.${key}`, hint);
  }
  const actions = ACTIONS.filter((action) => action in entry);
  const [action] = actions;
  if (action === undefined || actions.length > 1) {
    throw invalid(source, at, "it must have one of allow, ask and deny");
  }
  const { command, args = {} } = entry;
  if (!isMapping(args)) throw invalid(source, `${at}.args`, "it must map arguments to patterns");
  const patterns = Object.entries(args)
    .map(([name, each]) => [name, pattern(each, source, `${at}.args.${name}`)]);
  return {
    action,
    tool: pattern(entry[action], source, `${at}.${action}`),
    args: Object.fromEntries(patterns),
    ...(command === undefined ? {} : { command: pattern(command, source, `${at}.command`) }),
  };
}

function pattern(value: unknown, source: string, at: string): string {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  throw invalid(source, at, `it must be a pattern, not ${JSON.stringify(value) ?? "nothing"}`);
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(source: string, at: string, wanted: string): SkepError {
  return new SkepError("CONFIG_INVALID", `Cannot use ${at} in ${source}: ${wanted}`, { source });
}
