import { type Effort, EFFORTS } from "../model/effort.ts";
import type { Fields } from "./fields.ts";
import { withoutAbsent } from "./without_absent.ts";
import { isPublicKey } from "./public_key.ts";

/** Which messages wake the agent. */
export interface Triggers {
  /** Those that mention it. */
  readonly mentions: boolean;
  /** Those that contain one of these, whatever their case. */
  readonly keywords: readonly string[];
  /** All of the channels it is subscribed to. */
  readonly allMessages: boolean;
}

/** Whose messages may wake the agent: a rule, or public keys. */
export type RespondTo = (typeof RESPOND_TO)[number] | readonly string[];

/** What a pack may set for all its personas, and a persona for itself. Absent: not said. */
export interface Defaults {
  /** `provider:model`. */
  readonly model?: string;
  /** How hard the model is to think. */
  readonly thinking?: Effort;
  /** Options for the model's provider, as written. */
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly temperature?: number;
  readonly maxContextTokens?: number;
  /** Channels to listen to. */
  readonly subscribe?: readonly string[];
  readonly triggers?: Triggers;
  readonly respondTo?: RespondTo;
  /** Whether to answer in a thread. */
  readonly threadReplies?: boolean;
  /** Whether an answer in a thread is shown in its channel as well. */
  readonly broadcastReplies?: boolean;
}

/** The fields of {@linkcode Defaults} as files spell them. */
export const DEFAULT_FIELDS: readonly string[] = [
  "model",
  "thinking",
  "provider",
  "temperature",
  "max_context_tokens",
  "subscribe",
  "triggers",
  "respond_to",
  "reply",
  "thread_replies",
  "broadcast_replies",
];

/** How a file spells a field of {@linkcode Defaults}. */
export const SPELLING: Readonly<Record<keyof Defaults, string>> = {
  model: "model",
  thinking: "thinking",
  provider: "provider",
  temperature: "temperature",
  maxContextTokens: "max_context_tokens",
  subscribe: "subscribe",
  triggers: "triggers",
  respondTo: "respond_to",
  threadReplies: "thread_replies",
  broadcastReplies: "broadcast_replies",
};

/** {@linkcode Defaults} once all has been merged in: what must be known is. */
export type Settled = Defaults & Required<Pick<Defaults, keyof typeof BUILT_IN>>;

/** What holds when neither the persona nor its pack says anything. */
const BUILT_IN = {
  triggers: { mentions: true, keywords: [], allMessages: false },
  threadReplies: true,
  broadcastReplies: false,
} satisfies Defaults;

const RESPOND_TO = ["owner-only", "allowlist", "anyone", "nobody"] as const;
/** A public key of Nostr, in hex or as npub. */
const MODEL = /^[^\s:]+(:\S(.*\S)?)?$/;

/** Reads {@linkcode Defaults} from a manifest's `defaults`, or from a persona. */
export function readDefaults(fields: Fields): Defaults {
  const provider = fields.fields("provider");
  const replies = readReplies(fields);
  return withoutAbsent({
    model: readModel(fields),
    thinking: fields.word("thinking", EFFORTS),
    provider: provider &&
      Object.fromEntries(provider.keys().map((key) => [key, provider.raw(key)])),
    temperature: readTemperature(fields),
    maxContextTokens: fields.count("max_context_tokens"),
    subscribe: readSubscribe(fields),
    triggers: readTriggers(fields),
    respondTo: readRespondTo(fields),
    ...replies,
  });
}

/**
 * A persona's own settings over its pack's over the built-in ones. Each field is taken whole: triggers
 * are not mixed, and an empty list counts as said.
 */
export function mergeDefaults(own: Defaults, pack: Defaults): Settled {
  return { ...BUILT_IN, ...pack, ...own };
}

/** Where each settled field comes from, by its spelling. */
export function originsOf(own: Defaults, pack: Defaults): Readonly<Record<string, string>> {
  const settled = Object.keys(mergeDefaults(own, pack)) as (keyof Defaults)[];
  return Object.fromEntries(settled.map((field) => [
    SPELLING[field],
    field in own ? "persona" : field in pack ? "pack defaults" : "built-in",
  ]));
}

function readModel(fields: Fields): string | undefined {
  const model = fields.text("model")?.trim();
  if (model === undefined || MODEL.test(model)) return model;
  fields.error("model", `"model" must be PROVIDER:MODEL, not ${JSON.stringify(model)}`);
  return undefined;
}

function readTemperature(fields: Fields): number | undefined {
  const value = fields.number("temperature");
  if (value === undefined || (value >= 0 && value <= 2)) return value;
  fields.error("temperature", `"temperature" must be from 0 to 2, not ${value}`);
  return undefined;
}

function readSubscribe(fields: Fields): readonly string[] | undefined {
  const channels = fields.raw("subscribe") === undefined ? undefined : fields.texts("subscribe");
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  const bad = channels?.find((name) => /^#?\s*$|[\x00-\x1f\x7f]/.test(name));
  if (bad !== undefined) {
    fields.error("subscribe", `${JSON.stringify(bad)} in "subscribe" is no name of a channel`);
  }
  return channels;
}

function readTriggers(fields: Fields): Triggers | undefined {
  const isOldName = isMapping(fields.raw("respond_to"));
  const given = fields.fields(isOldName ? "respond_to" : "triggers");
  if (isOldName && fields.raw("triggers") !== undefined) {
    fields.error("respond_to", `"triggers" and "respond_to" are one field: leave one out`);
  }
  given?.checkKeys(["mentions", "keywords", "all_messages"]);
  const isEmpty = (given?.raw("keywords") !== undefined && given.texts("keywords") || [])
    .some((each) => each.trim() === "");
  if (isEmpty) given?.error("keywords", '"" in "keywords" is no keyword: every message has it');
  return given && {
    mentions: given.flag("mentions") ?? BUILT_IN.triggers.mentions,
    keywords: given.texts("keywords") ?? BUILT_IN.triggers.keywords,
    allMessages: given.flag("all_messages") ?? BUILT_IN.triggers.allMessages,
  };
}

/** As a mapping, `respond_to` is the old name of `triggers`. */
function readRespondTo(fields: Fields): RespondTo | undefined {
  const value = fields.raw("respond_to");
  if (value === undefined || isMapping(value)) return undefined;
  if (!Array.isArray(value)) return fields.word("respond_to", RESPOND_TO);
  const keys = fields.texts("respond_to") ?? [];
  const bad = keys.find((key) => !isPublicKey(key));
  if (bad !== undefined) {
    const wanted = "a public key: 64 digits of hex, or npub1… with its checksum";
    fields.error("respond_to", `${JSON.stringify(bad)} in "respond_to" must be ${wanted}`);
  }
  return keys;
}

/** `reply: { thread, broadcast }`, or the two fields that it stands for. */
function readReplies(fields: Fields): Pick<Defaults, "threadReplies" | "broadcastReplies"> {
  const reply = fields.fields("reply");
  reply?.checkKeys(["thread", "broadcast"]);
  const either = (inner: string, outer: string) => {
    const [short, long] = [reply?.flag(inner), fields.flag(outer)];
    if (short !== undefined && long !== undefined) {
      fields.error(outer, `"reply.${inner}" and "${outer}" are one field: leave one out`);
    }
    return short ?? long;
  };
  return withoutAbsent({
    threadReplies: either("thread", "thread_replies"),
    broadcastReplies: either("broadcast", "broadcast_replies"),
  });
}

function isMapping(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
