import { type Effort, fitted, type FittedEffort, nearestEffort } from "./effort.ts";

/**
 * GPT's generation, with its minor version or a date, and whether it is a pro model. A number that is
 * followed by a letter, as in `4o`, is part of another name.
 */
const GPT = /(?:^|[^a-z0-9])gpt-?(\d+)(?:[.-](\d+)(?![a-z0-9]))?(?=[^a-z0-9]|$)(.*)/;

/** From here on a number behind `gpt-5-` is a year or a date, and no minor version. */
const LEAST_DATE = 100;

const BY_MINOR: Readonly<Record<number, readonly Effort[]>> = {
  1: ["none", "low", "medium", "high"],
  4: ["none", "low", "medium", "high", "xhigh"],
  5: ["none", "low", "medium", "high", "xhigh"],
  6: ["none", "low", "medium", "high", "xhigh", "max"],
};

/**
 * The efforts that a model of OpenAI's takes, told by its name in whatever spelling and behind whatever
 * prefix; undefined for a model that is not known.
 */
export function openAIEfforts(model: string): readonly Effort[] | undefined {
  const name = model.toLowerCase();
  const match = GPT.exec(name);
  if (match === null) {
    return /(?:^|[^a-z0-9])o[134](?=[^a-z0-9]|$)/.test(name)
      ? ["low", "medium", "high"]
      : undefined;
  }
  const [, generation, number, rest = ""] = match;
  if (generation !== "5") return undefined;
  const minor = number === undefined || Number(number) >= LEAST_DATE ? undefined : Number(number);
  if (minor !== undefined) return BY_MINOR[minor];
  return /^-pro(?=[^a-z0-9]|$)/.test(rest) ? ["high"] : ["minimal", "low", "medium", "high"];
}

/**
 * The effort as an OpenAI-shaped request carries it. A model that is not known gets what was asked
 * for, save `max`, which most servers do not know.
 *
 * @param supported What a catalog says, for a model whose name says nothing.
 */
export function fitOpenAIEffort(
  model: string,
  wanted: Effort,
  supported?: readonly Effort[],
): FittedEffort {
  const known = openAIEfforts(model) ?? supported;
  if (known !== undefined) return fitted(model, wanted, nearestEffort(wanted, known));
  return fitted(model, wanted, wanted === "max" ? "xhigh" : wanted);
}

/** Tells whether a model of OpenAI's thinks before it answers, by its name. */
export function isOpenAIReasoner(model: string): boolean {
  return /(?:^|[^a-z0-9])(?:gpt-?(?:[5-9]|\d\d)|o\d)(?=[^a-z0-9]|$)/.test(model.toLowerCase());
}
