import type { ToolDefinition } from "../model/message.ts";

/** A word of a query says most where it stands in a tool's name. */
const IN_NAME = 4;

/**
 * The tools that fit a query, the best one first: those whose name or description
 * has its words. Case does not matter, nor do the ends of words.
 */
export function findTools(
  query: string,
  tools: readonly ToolDefinition[],
): ToolDefinition[] {
  const words = [...new Set(wordsOf(query))];
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, words) }));
  return scored.filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function scoreOf({ name, description }: ToolDefinition, words: readonly string[]): number {
  const [inName, inText] = [wordsOf(name), wordsOf(description)];
  return words.reduce((score, word) => {
    if (inName.some((each) => isAlike(each, word))) return score + IN_NAME;
    return inText.some((each) => isAlike(each, word)) ? score + 1 : score;
  }, 0);
}

/** `issue` and `issues`, `create` and `creating`: one begins the other, short words are whole. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && (long.startsWith(short) || long.startsWith(short.slice(0, -1)));
}

function wordsOf(text: string): string[] {
  return text.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
