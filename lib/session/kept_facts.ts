import type { Message, Text } from "../model/message.ts";
import { parseInput } from "../turn/call_tool.ts";
import { fitSaid } from "./fit_said.ts";
import { PINNED_HEAD, saidIn, SUMMARY_HEAD } from "./own_remarks.ts";

/** What a compaction keeps beside its summary, without asking any model: each list with the oldest first. */
export interface KeptFacts {
  /** What the person said, word for word; a text that is too long is cut, and says so. */
  readonly said: readonly string[];
  /** Files that calls named. */
  readonly files: readonly string[];
  /** The plan as it was last written, JSON text. */
  readonly plan?: string;
}

const SAID_HEAD = "[Said by the person before, word for word, a JSON text a line]";
const FILES_HEAD = "[Files that were worked on before]";
const PLAN_HEAD = "[The plan as it was last written]";

const PATH_ARGUMENTS = ["path", "file_path", "filePath", "file"];
const MAX_FILES = 50;

/** The message that stands for what was dropped. */
export function summaryMessage(
  summary: string,
  { said, files, plan }: KeptFacts,
  pinned: readonly string[],
  hooks?: string,
): Message {
  const lines = (head: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${head}\n${list.join("\n")}`];
  const texts = [
    `${SUMMARY_HEAD}${summary}`,
    ...lines(SAID_HEAD, said.map((text) => JSON.stringify(text))),
    ...lines(FILES_HEAD, files),
    ...(plan === undefined ? [] : [`${PLAN_HEAD}\n${plan}`]),
    ...lines(PINNED_HEAD, pinned),
    ...(hooks === undefined ? [] : [hooks]),
  ];
  return { role: "user", content: texts.map((text): Text => ({ type: "text", text })) };
}

/** What a person pinned, as it joins the history. */
export function pinnedMessage(text: string): Message {
  return { role: "user", content: [{ type: "text", text: `${PINNED_HEAD}\n${text}` }] };
}

/** True for a message that an earlier compaction made. */
export function isSummary(message: Message): boolean {
  if (message.role !== "user") return false;
  const [first] = message.content;
  return first?.type === "text" && first.text.startsWith(SUMMARY_HEAD);
}

/** The text of a summary that an earlier compaction made; undefined for any other message. */
export function summaryOf(message: Message): string | undefined {
  if (message.role !== "user" || !isSummary(message)) return undefined;
  const [first] = message.content;
  return first?.type === "text" ? first.text.slice(SUMMARY_HEAD.length) : undefined;
}

/**
 * The facts of messages that are about to be dropped, those that an earlier summary carries included.
 *
 * @param maxSaidTokens What the person said may take together: see {@linkcode fitSaid}.
 */
export function keptFacts(messages: readonly Message[], maxSaidTokens: number): KeptFacts {
  const said: string[] = [];
  const files = new Set<string>();
  let plan: string | undefined;
  for (const message of messages) {
    if (message.role === "user") {
      if (!isSummary(message)) {
        const text = saidIn(message);
        if (text !== "") said.push(text);
        continue;
      }
      const carried = carriedBy(message);
      said.push(...carried.said);
      carried.files.forEach((file) => files.add(file));
      plan = carried.plan ?? plan;
    }
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      if (part.type !== "call") continue;
      const input = parseInput(part.input) ?? {};
      for (const name of PATH_ARGUMENTS) {
        const path = input[name];
        if (typeof path === "string" && path !== "") files.add(path.replaceAll("\n", " "));
      }
      if (part.name.endsWith("__todo") && Array.isArray(input.todos)) {
        plan = JSON.stringify(input.todos);
      }
    }
  }
  return {
    said: fitSaid(said, maxSaidTokens),
    files: [...files].slice(-MAX_FILES),
    ...(plan === undefined ? {} : { plan }),
  };
}

function carriedBy(message: Message): KeptFacts {
  const texts = message.role === "user"
    ? message.content.flatMap((block) => block.type === "text" ? [block.text] : [])
    : [];
  const below = (head: string) =>
    texts.find((text) => text.startsWith(`${head}\n`))?.slice(head.length + 1);
  const plan = below(PLAN_HEAD);
  return {
    said: (below(SAID_HEAD)?.split("\n") ?? []).flatMap((line) => {
      try {
        return [String(JSON.parse(line))];
      } catch {
        return []; // it was cut
      }
    }),
    files: below(FILES_HEAD)?.split("\n") ?? [],
    ...(plan === undefined ? {} : { plan }),
  };
}
