import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { Image, Text } from "../model/message.ts";
import type { Session } from "../session/session.ts";

type Content = readonly (Text | Image)[];

/** What a prompt asks for: something of skep's own, or a turn. */
export type Asked =
  /** `focus`: what the summary is to keep above all. */
  | { readonly kind: "compact"; readonly focus?: string }
  /** Skep's own command, with what it does not take: why it is not run. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "turn"; readonly content: Content };

const COMPACT: AvailableCommand = {
  name: "compact",
  description: "Makes the history that the model gets shorter: its older part becomes a summary",
  input: { hint: "what the summary is to keep above all" },
};

/**
 * What a person can call for by `/NAME` in a session: `compact`, and its skills. The `offline` interpreter
 * reads `/NAME` as a tool's name, and can follow no skill.
 */
export function availableCommands(
  session: Pick<Session, "skills" | "modelId">,
): AvailableCommand[] {
  return [
    COMPACT,
    ...callable(session).map(({ name, description }) => ({
      name,
      description: description.replaceAll(/\s+/g, " ").trim(),
      input: { hint: "what to use it for" },
    })),
  ];
}

/**
 * Reads a prompt that may begin with a command. Its words stay as they were typed. That the first is a
 * skill's name is said behind them, and the model loads the skill itself: so its text comes as a tool's
 * result, ranked by its origin, and not as the person's own words.
 */
export function readCommand(content: Content, session: Pick<Session, "skills" | "modelId">): Asked {
  const [first, ...others] = content;
  if (first?.type !== "text" || !first.text.startsWith("/")) return { kind: "turn", content };
  const name = /^\/(\S+)/.exec(first.text)?.[1];
  if (name === COMPACT.name) {
    if (others.length > 0) {
      return { kind: "refused", why: `/${COMPACT.name} takes text alone: nothing was done` };
    }
    const focus = first.text.slice(`/${COMPACT.name}`.length).trim();
    return { kind: "compact", ...(focus && { focus }) };
  }
  if (!callable(session).some((skill) => skill.name === name)) return { kind: "turn", content };
  const meaning = `[/${name} is a skill: load it with load_skill first, and do as it says.]`;
  return {
    kind: "turn",
    content: [{ type: "text", text: `${first.text}\n\n${meaning}` }, ...others],
  };
}

/** The skills whose names can be typed as one word, and are no command of skep's own. */
function callable(session: Pick<Session, "skills" | "modelId">): ReturnType<Session["skills"]> {
  if (session.modelId === "offline") return [];
  return session.skills().filter(({ name }) => name !== COMPACT.name && !/\s/.test(name));
}
