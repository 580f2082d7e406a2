import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { ModelChoice } from "../model/choices.ts";
import { EFFORTS } from "../model/effort.ts";
import type { Entry } from "./entry.ts";

/** The modes of a session, in ACP's words. */
export const MODES = [
  { id: "normal", name: "Normal", description: "Calls run as the rules and grants let them" },
  { id: "plan", name: "Plan", description: "Only calls that can change nothing are run" },
] as const;

/** The options of a session, by the ids that clients set them with. */
export const OPTION_IDS = { model: "model", effort: "thought_level", mode: "mode" } as const;

/** The value of an effort that nobody chose. */
export const NO_EFFORT = "default";

/** What a session can be set to, and what it is set to. */
export interface OptionsContext {
  readonly models: readonly ModelChoice[];
  /** Buzz-acp knows a model by its provider's name for it, as buzz-agent lists them. */
  readonly isBare: boolean;
}

/**
 * The options of a session: its model, how hard that thinks where it can be told, and its mode. Clients
 * show them in this order.
 */
export function sessionOptions(entry: Entry, context: OptionsContext): SessionConfigOption[] {
  const { currentModelId, availableModels } = sessionModels(entry, context);
  const efforts = entry.session.modelFacts?.efforts ?? [];
  const { effort } = entry;
  return [
    {
      type: "select",
      id: OPTION_IDS.model,
      name: "Model",
      category: "model",
      currentValue: currentModelId,
      options: availableModels.map(({ modelId, name }) => ({ value: modelId, name })),
    },
    ...(efforts.length === 0 ? [] : [{
      type: "select" as const,
      id: OPTION_IDS.effort,
      name: "Thinking",
      description: "How hard the model thinks before it answers",
      category: "thought_level",
      currentValue: effort !== undefined && efforts.includes(effort) ? effort : NO_EFFORT,
      options: [
        { value: NO_EFFORT, name: "Default", description: "As the settings have it" },
        ...EFFORTS.filter((each) => efforts.includes(each))
          .map((each) => ({ value: each, name: EFFORT_NAMES[each] })),
      ],
    }]),
    {
      type: "select",
      id: OPTION_IDS.mode,
      name: "Mode",
      category: "mode",
      currentValue: entry.session.mode,
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
  ];
}

const EFFORT_NAMES = {
  none: "None",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Very high",
  max: "Most",
} as const;

/** The models as buzz-agent lists them in the reply to `session/new`. */
export interface ModelList {
  readonly currentModelId: string;
  readonly availableModels: readonly { readonly modelId: string; readonly name: string }[];
}

/** The models of a session; its own is the first when it is not among them. */
export function sessionModels(
  { session }: Entry,
  { models, isBare }: OptionsContext,
): ModelList {
  const own = { id: session.modelId, name: session.modelId };
  const choices = models.some(({ id }) => id === own.id) ? models : [own, ...models];
  const prefix = `${own.id.split(":", 1)[0]}:`;
  const known = (id: string) => isBare && id.startsWith(prefix) ? id.slice(prefix.length) : id;
  return {
    currentModelId: known(own.id),
    availableModels: choices.map(({ id, name }) => ({ modelId: known(id), name })),
  };
}

/** The modes of a session, for clients that know no options. */
export function sessionModes({ session }: Entry): SessionModeState {
  return { currentModeId: session.mode, availableModes: [...MODES] };
}
