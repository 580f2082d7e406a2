import type { Mode, Rule } from "../approval/rules.ts";
import type { Effort } from "../model/effort.ts";
import type { Image, Message, Text, ToolResult, Usage } from "../model/message.ts";
import type { TurnStop } from "../turn/update.ts";

type Structured = Readonly<Record<string, unknown>>;

/** Something that happened in a session, as its journal has it. */
export type SessionRecord =
  /** The session was opened, for the first time or again. */
  | {
    readonly type: "opened";
    readonly skep: string;
    /** The client's own system prompt, when it gave one. */
    readonly system?: string;
    /** Where and with whom the session began: in its first record. */
    readonly cwd?: string;
    readonly persona?: string;
    /** The session that this one goes on from. */
    readonly parent?: string;
  }
  /** A prompt was taken: a turn begins. */
  | { readonly type: "prompt"; readonly turn: string; readonly content: readonly (Text | Image)[] }
  /** A message joins the history. `isHidden`: for the model alone. */
  | { readonly type: "message"; readonly message: Message; readonly isHidden?: true }
  /** Something was said to the running turn; its message follows when it joins the history. */
  | { readonly type: "steer"; readonly content: readonly (Text | Image)[] }
  /** A call goes to its server: from here on it may have taken effect. */
  | { readonly type: "call"; readonly callId: string; readonly tool: string }
  /** A call has its result, which joins the history with those of its message's other calls. */
  | {
    readonly type: "result";
    readonly result: ToolResult;
    /** The same for programs, as the client was shown it: no model gets it. Bounded as it is there. */
    readonly structured?: Structured;
  }
  | {
    readonly type: "usage";
    readonly usage: Usage;
    readonly model: string;
    readonly purpose: "turn" | "summary";
  }
  /** A person allowed something until the session's end. */
  | { readonly type: "approval"; readonly rules: readonly Rule[] }
  /** Something was chosen for what comes from now on. */
  | {
    readonly type: "chosen";
    readonly model?: string;
    /** Null: as the settings have it. */
    readonly effort?: Effort | null;
    readonly mode?: Mode;
  }
  /** A server was switched off, or on again, by a person. */
  | { readonly type: "switched"; readonly server: string; readonly isOff: boolean }
  /** What must be in every request was named by a person. */
  | { readonly type: "pinned"; readonly text: string }
  /** All calls of the last message are answered: by their results as they were recorded, or by these. */
  | {
    readonly type: "answers";
    readonly results: readonly (ToolResult | Pick<ToolResult, "callId" | "note">)[];
  }
  /** The session came from a file: what was allowed in it was allowed elsewhere, by whoever made the file. */
  | { readonly type: "imported" }
  /** A summary of the older part is asked for. */
  | { readonly type: "compacting" }
  /** What goes to the model from now on, instead of all before. */
  | {
    readonly type: "compacted";
    readonly how: "summary" | "results" | "trimmed";
    readonly droppedMessages: number;
    readonly history: readonly Message[];
  }
  /** The turn is over. `interrupted`: the session was opened again before it was. `error`: why it failed. */
  | {
    readonly type: "stop";
    readonly stop: TurnStop | "failed" | "interrupted";
    readonly error?: string;
  };

const TYPES: { readonly [Type in SessionRecord["type"]]: readonly string[] } = {
  opened: ["skep"],
  prompt: ["turn", "content"],
  message: ["message"],
  steer: ["content"],
  call: ["callId", "tool"],
  result: ["result"],
  answers: ["results"],
  usage: ["usage", "model", "purpose"],
  approval: ["rules"],
  chosen: [],
  switched: ["server", "isOff"],
  pinned: ["text"],
  imported: [],
  compacting: [],
  compacted: ["how", "droppedMessages", "history"],
  stop: ["stop"],
};

/** Records that are on the disk before anything follows from them. */
const DURABLE: readonly SessionRecord["type"][] = [
  "opened",
  "prompt",
  "steer",
  "call",
  "approval",
  "imported",
  "compacted",
  "stop",
];

/** Whether a record has to be on the disk before anything follows from it. */
export function isDurable({ type }: SessionRecord): boolean {
  return DURABLE.includes(type);
}

/** Whether what a reply said so far is in the record, or of no more use behind it. */
export function endsDraft({ type }: SessionRecord): boolean {
  return type === "prompt" || type === "message" || type === "answers" || type === "stop";
}

/**
 * Reads a record. One of a type that this program does not know, written by a newer one, is undefined.
 *
 * @throws {TypeError} when it is no record.
 */
export function parseRecord(body: string): SessionRecord | undefined {
  const value: unknown = JSON.parse(body);
  if (typeof value !== "object" || value === null || !("type" in value)) {
    throw new TypeError("it is no record");
  }
  const wanted = Object.hasOwn(TYPES, String(value.type))
    ? TYPES[value.type as SessionRecord["type"]]
    : undefined;
  if (wanted === undefined) return undefined;
  const missing = wanted.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw new TypeError(`a record ${value.type} has no ${missing}`);
  return value as SessionRecord;
}
