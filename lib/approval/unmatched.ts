import { nearest } from "../suggest.ts";
import { matches } from "./pattern.ts";
import type { Rule, Rules } from "./rules.ts";

/** A tool as rules speak of it. */
export interface KnownTool {
  readonly name: string;
  /** Other names that rules may have for it. */
  readonly others?: readonly string[];
  /** The names of its arguments; absent: it may take any. */
  readonly args?: readonly string[];
}

/** What rules are held against. */
export interface KnownNames {
  readonly tools: readonly KnownTool[];
  /** Servers whose tools are not all known, as of one that did not start: any name may be theirs. */
  readonly unread: readonly string[];
}

/**
 * Rules that can speak of no call as things stand, which is a slip most likely: a sentence for each, with
 * the rule and why.
 *
 * @param isOfMany True for rules that are for other sessions too, such as a policy's: one about a server that
 * is not there is as it should be.
 */
export function unmatchedRules(
  { rules, source }: Rules,
  known: KnownNames,
  isOfMany: boolean,
): string[] {
  return rules.flatMap((rule, index) => {
    const why = whyUnmatched(rule, known, isOfMany);
    const said = `approvals[${index}] of ${source} (${rule.action}: ${rule.tool})`;
    return why === undefined ? [] : [`${said} speaks of no call: ${why}`];
  });
}

function whyUnmatched(
  { tool, command, args }: Rule,
  { tools, unread }: KnownNames,
  isOfMany: boolean,
): string | undefined {
  if (unread.some((server) => mayBeOf(tool, server))) return undefined;
  const meant = tools.filter(({ name, others = [] }) =>
    [name, ...others].some((each) => matches(tool, each))
  );
  if (meant.length === 0) {
    const servers = new Set(tools.map(({ name }) => name.split("__")[0]!));
    const isElsewhere = tool.includes("__") && ![...servers].some((each) => mayBeOf(tool, each));
    if (isOfMany && isElsewhere) return undefined;
    const near = nearest(tool, tools.map(({ name }) => name));
    return `there is no such tool${near === undefined ? "" : `; did you mean ${near}?`}`;
  }
  const wanted = [...(command === undefined ? [] : ["command"]), ...Object.keys(args)];
  const missing = wanted.find((arg) => meant.every((each) => each.args?.includes(arg) === false));
  if (missing === undefined) return undefined;
  return `no tool that it names takes an argument "${missing}"`;
}

/** Where servers are known and their tools are not: the rules that no tool of any of them can match, and why. */
export function rulesOfNoServer(
  { rules }: Pick<Rules, "rules">,
  servers: readonly string[],
  builtIns: readonly string[],
): { readonly index: number; readonly why: string }[] {
  return rules.flatMap(({ action, tool }, index) => {
    const isOfOne = servers.some((server) => mayBeOf(tool, server)) ||
      builtIns.some((name) => matches(tool, name));
    if (isOfOne) return [];
    const there = servers.length === 0 ? "there is none" : `there are ${servers.join(", ")}`;
    return [{ index, why: `${action}: ${tool} is about no server: ${there}` }];
  });
}

/** True when a tool of that server may have a name that the pattern stands for. */
function mayBeOf(pattern: string, server: string): boolean {
  const head = `${server}__`;
  const [start = ""] = pattern.split("*");
  return start.startsWith(head) || (pattern.includes("*") && head.startsWith(start));
}
