import { splitExtraFields } from "../model/extra_fields.ts";
import type { Persona } from "./persona.ts";

/** Fields that mean something in channels alone. */
const FOR_CHANNELS = ["subscribe", "triggers", "respond_to", "thread_replies", "broadcast_replies"];

/**
 * The fields that a persona or its pack sets and that nothing reads in a chat or under ACP, as files spell
 * them: those for channels, a runtime that is not skep, and options that no provider is sent.
 */
export function unusedFields(
  { origins, runtime, settings }: Pick<Persona, "origins" | "runtime" | "settings">,
): readonly string[] {
  const set = FOR_CHANNELS.filter((field) =>
    origins[field] !== undefined && origins[field] !== "built-in"
  );
  const options = splitExtraFields(settings.provider ?? {}).others;
  return [
    ...set,
    ...options.map((name) => `provider.${name}`),
    ...(runtime === undefined || runtime === "skep" ? [] : ["runtime"]),
  ];
}
