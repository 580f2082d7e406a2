import type { ModelSettings } from "./settings.ts";
import type { ProviderFetch } from "./transport.ts";

/**
 * Fields of a request that may be added to it, as their providers spell them: how a reply is sampled,
 * routed and billed. None decides what runs or who keeps a conversation, as a provider's own tools,
 * plugins, connectors and stores would: those are under no grant.
 */
export const EXTRA_FIELDS: readonly string[] = [
  "top_p",
  "top_k",
  "min_p",
  "top_a",
  "topP",
  "topK",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "stop",
  "stop_sequences",
  "logit_bias",
  "service_tier",
  "verbosity",
  "provider",
  "route",
  "safetySettings",
  "chat_template_kwargs",
  "keep_alive",
  "options",
];

/** Those of some fields that may be added, and the names of the others. */
export function splitExtraFields(fields: Readonly<Record<string, unknown>>): {
  readonly sent: Readonly<Record<string, unknown>>;
  readonly others: readonly string[];
} {
  const isSent = (name: string) => EXTRA_FIELDS.includes(name);
  return {
    sent: Object.fromEntries(Object.entries(fields).filter(([name]) => isSent(name))),
    others: Object.keys(fields).filter((name) => !isSent(name)),
  };
}

/** Adds the settings' own fields to each request's body; what skep itself sends stays as it is. */
export function withExtraFields(
  send: ProviderFetch,
  { extraFields = {} }: Pick<ModelSettings, "extraFields">,
): ProviderFetch {
  const { sent } = splitExtraFields(extraFields);
  if (Object.keys(sent).length === 0) return send;
  return (url, init = {}) => {
    if (typeof init.body !== "string") return send(url, init);
    const body = JSON.stringify({ ...sent, ...JSON.parse(init.body) });
    return send(url, { ...init, body });
  };
}
