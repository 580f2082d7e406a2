import { literals, matches } from "./pattern.ts";
import { type Action, type ApprovalCall, type Rule, type Rules, stricter } from "./rules.ts";
import { programName, type ShellCommand, shellCommands } from "./shell_commands.ts";

/** What rules say of a call, and which of them said it. */
export interface Decision {
  readonly action: Action;
  /** A few words for people: the rule and its source. */
  readonly reason: string;
}

const DEFAULT: Decision = { action: "allow", reason: "no rule speaks of it" };

/**
 * What rules say of a call. In each source the most specific rule decides: one with patterns of the
 * call's arguments before one without, then the one that says more, then the stricter one. Of the
 * sources the strictest decides, so that a pack cannot loosen what the operator wrote. What no rule
 * speaks of is `unspoken`, by default allowed: the grant bounds it.
 *
 * Rules with `command` are asked about each command of a shell line; when the line cannot be read, and
 * one of them could forbid a part of it, the answer is `ask`.
 */
export function decide(
  sources: readonly Rules[],
  call: ApprovalCall,
  unspoken: Decision = DEFAULT,
): Decision {
  return sources.map((rules) => decideOne(rules, call, unspoken)).reduce(strictest, DEFAULT);
}

function decideOne({ rules, source }: Rules, call: ApprovalCall, unspoken: Decision): Decision {
  const best = (of: readonly Rule[]) => mostSpecific(of, source) ?? unspoken;
  const about = rules.filter((rule) => isAbout(rule, call) && hasArguments(rule, call));
  const plain = about.filter(({ command }) => command === undefined);
  const line = call.args.command;
  const byCommand = about.filter(({ command }) => command !== undefined);
  if (byCommand.length === 0 || typeof line !== "string") return best(plain);
  const commands = shellCommands(line);
  if (commands === undefined) {
    const whole = best(plain);
    if (byCommand.every(({ action }) => action === "allow")) return whole;
    return strictest(whole, {
      action: "ask",
      reason: `the commands of this line cannot be told for certain (rules of ${source})`,
    });
  }
  return commands.map((command) =>
    decideCommand(command, byCommand, source, (speaking) => best([...plain, ...speaking]))
  )
    .reduce(strictest, commands.length === 0 ? best(plain) : DEFAULT);
}

function decideCommand(
  command: ShellCommand,
  byCommand: readonly Rule[],
  source: string,
  best: (speaking: readonly Rule[]) => Decision,
): Decision {
  const said = best(byCommand.filter((rule) => speaksOf(rule, command)));
  if (!command.isCertain) {
    return said.action === "deny" ? { ...said, action: "ask" } : said;
  }
  const hidden = byCommand.find((rule) =>
    rule.action !== "allow" && !command.isExact &&
    !speaksOf(rule, command) && speaksOf({ ...rule, command: firstWord(rule) }, command)
  );
  if (hidden === undefined) return said;
  const reason = `only the shell knows what it comes to (${describe(hidden, source)})`;
  return strictest(said, { action: "ask", reason });
}

/** The rule's program with any arguments: what an argument comes to may be what it forbids. */
function firstWord({ command = "" }: Rule): string {
  return `${command.split(" ")[0] ?? ""} *`;
}

/**
 * A rule that forbids speaks of a program wherever it lies, whatever is set for it; one that allows of the one that
 * it names, with the variables that it names.
 */
function speaksOf({ command: pattern = "", action }: Rule, { words, sets }: ShellCommand): boolean {
  const [first = "", ...rest] = words;
  const whole = [...sets, ...words];
  const forms = action === "allow" ? [whole] : [whole, words, [programName(first), ...rest]];
  return forms.some((form) => {
    const text = form.join(" ");
    return matches(pattern, text) || (pattern.endsWith(" *") && pattern.slice(0, -2) === text);
  });
}

/** A name that is given away is no way around a rule: what forbids follows the tool, under whatever name. */
function isAbout({ tool: pattern, action }: Rule, { tool, names }: ApprovalCall): boolean {
  const { own = [], shared = [] } = names ?? {};
  return [tool, ...own, ...(action === "allow" ? [] : shared)].some((name) =>
    matches(pattern, name)
  );
}

function hasArguments({ args }: Rule, call: ApprovalCall): boolean {
  return Object.entries(args).every(([name, pattern]) => {
    const value = call.args[name];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text !== undefined && matches(pattern, text);
  });
}

function mostSpecific(rules: readonly Rule[], source: string): Decision | undefined {
  const [first] = rules.toSorted(bySpecificity);
  return first && { action: first.action, reason: describe(first, source) };
}

function bySpecificity(a: Rule, b: Rule): number {
  const [ofA, ofB] = [specificity(a), specificity(b)];
  const place = ofA.findIndex((value, index) => value !== ofB[index]);
  if (place >= 0) return ofB[place]! - ofA[place]!;
  return stricter(a.action, b.action) === a.action ? -1 : 1;
}

function specificity({ tool, command, args }: Rule): number[] {
  const patterns = [...Object.values(args), ...(command === undefined ? [] : [command])];
  const said = patterns.reduce((sum, pattern) => sum + literals(pattern), 0);
  return [patterns.length, said, tool.includes("*") ? 0 : 1, literals(tool)];
}

function describe({ action, tool, command, args }: Rule, source: string): string {
  const more = [
    ...(command === undefined ? [] : [`command: ${command}`]),
    ...Object.entries(args).map(([name, pattern]) => `${name}: ${pattern}`),
  ];
  return `${[`${action} ${tool}`, ...more].join(", ")} (${source})`;
}

function strictest(a: Decision, b: Decision): Decision {
  if (a === DEFAULT) return b;
  return stricter(a.action, b.action) === a.action ? a : b;
}
