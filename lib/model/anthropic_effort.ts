import { type Effort, fitted, type FittedEffort, nearestEffort } from "./effort.ts";

/** How a request tells a Claude model to think; empty when it says nothing of it. */
export interface ClaudeThinking {
  /** Tokens that it may think, of those that it may give out. */
  readonly budgetTokens?: number;
  /** The model itself decides how much it thinks, within this effort. */
  readonly effort?: Effort;
  /** One line for people when it is not what was asked for. */
  readonly notice?: string;
}

/** Least tokens that the API takes as a budget, and that must be left for the answer beside one. */
const LEAST_BUDGET_TOKENS = 1024;
const BUDGET_TOKENS: Readonly<Partial<Record<Effort, number>>> = {
  low: 1024,
  medium: 8192,
  high: 32_768,
  xhigh: 32_768,
  max: 32_768,
};

const ADAPTIVE: readonly Effort[] = ["low", "medium", "high", "max"];
const XHIGH: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

/**
 * How a Claude model is told to think, by its name, whatever stands before it (`databricks-`,
 * `us.anthropic.`). Models up to 4.5 take a budget of tokens, later ones an effort; Claude 3 but for 3.7
 * does not think, and a name that is no Claude's gets nothing.
 *
 * @see https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking
 */
export function claudeThinking(
  model: string,
  wanted: Effort,
  maxOutputTokens: number,
): ClaudeThinking {
  const family = familyOf(model);
  if (wanted === "none") return {};
  if (family === "none") return withoutBlanks(fitted(model, wanted, undefined));
  if (family === "xhigh") return withoutBlanks(fitted(model, wanted, nearestEffort(wanted, XHIGH)));
  if (family === "adaptive") {
    // Of its two neighbours here, max costs far more than somebody bargained for.
    const nearest = wanted === "xhigh" ? "high" : nearestEffort(wanted, ADAPTIVE);
    return withoutBlanks(fitted(model, wanted, nearest));
  }
  const level = wanted === "minimal" ? "low" : wanted;
  const budgetTokens = Math.min(BUDGET_TOKENS[level] ?? 0, maxOutputTokens - LEAST_BUDGET_TOKENS);
  if (budgetTokens < LEAST_BUDGET_TOKENS) {
    const left = `of ${maxOutputTokens} output tokens too few are left to think in`;
    return { notice: `${model} is not told to think: ${left}` };
  }
  return { budgetTokens };
}

function withoutBlanks({ effort, ...notice }: FittedEffort): ClaudeThinking {
  return effort === undefined ? notice : { effort, ...notice };
}

/** What a model's name says of its kind of thinking; `xhigh` is adaptive with one level more. */
function familyOf(model: string): "none" | "budget" | "adaptive" | "xhigh" {
  const name = model.toLowerCase();
  const start = name.indexOf("claude-");
  if (start === -1) return "none";
  const rest = name.slice(start + "claude-".length).replaceAll(".", "-");
  if (/^3-7(?!\d)/.test(rest)) return "budget";
  if (/^mythos-preview/.test(rest)) return "adaptive";
  const match = /^(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?/.exec(rest);
  if (match === null) return "none";
  const [, kind, major, minor = "0"] = match;
  const version = Number(major) * 100 + Number(minor);
  if (version < 406) return "budget";
  return version >= (kind === "opus" ? 407 : 500) ? "xhigh" : "adaptive";
}
