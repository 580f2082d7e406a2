import { messageOf } from "../errors.ts";
import type { Asked } from "./asked.ts";
import type { Bound } from "./bounds.ts";
import type { LaunchContext } from "./context.ts";
import { checkVariableName } from "./entries.ts";
import type { Cut } from "./grant.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { keyReason } from "./keys.ts";
import { judgePath, type PathRules } from "./path_rules.ts";

/** A secret with its value, which goes into the server's environment and nowhere else. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
  /** Where the value comes from, as it was asked for. */
  readonly from: string;
}

/**
 * Reads the secrets that a server asks for from their sources: `env:NAME` of the runtime's environment,
 * `file:/path` with the last line's end dropped.
 *
 * @throws {SkepError} `GRANT_INVALID`, which names the reference, when a source holds nothing or cannot be
 * read: a server must not start with an empty token.
 */
export async function resolveSecrets(
  asked: Asked["secrets"],
  server: string,
  context: Pick<LaunchContext, "host" | "limits" | "modelKeys">,
  rules: PathRules,
  bounds: readonly Bound[],
): Promise<{ readonly secrets: readonly Secret[]; readonly cut: readonly Cut[] }> {
  const secrets: Secret[] = [];
  const cut: Cut[] = [];
  for (const { name, value: source, origin } of asked) {
    const at = { server, entry: `secrets.${name}` };
    checkVariableName(name, { server, entry: "secrets" });
    const forbids = bounds.find(({ secrets }) => secrets?.includes(source) === false);
    const found = rules.ceiling.reach === "workspace"
      ? { reason: rules.ceiling.reason }
      : forbids !== undefined
      ? { reason: `${forbids.origin} does not allow ${source}` }
      : await readSource(source, context, rules, at);
    if ("reason" in found) {
      cut.push({ list: "secrets", value: name, reason: found.reason });
      continue;
    }
    if (/^\s*$/.test(found.value)) throw grantInvalid(at, source, "there is nothing in it");
    if (found.value.includes("\0")) throw grantInvalid(at, source, "what is in it holds a NUL");
    secrets.push({ name, value: found.value, origin, from: source });
  }
  return { secrets, cut };
}

async function readSource(
  source: string,
  { host, limits, modelKeys }: Pick<LaunchContext, "host" | "limits" | "modelKeys">,
  rules: PathRules,
  at: { readonly server: string; readonly entry: string },
): Promise<{ readonly value: string } | { readonly reason: string }> {
  const [, kind, place = ""] = /^(env|file):(.+)$/s.exec(source) ?? [];
  if (kind === "env") {
    const reason = keyReason(place, undefined, host.env, modelKeys?.variables);
    return reason === undefined ? { value: host.env(place) ?? "" } : { reason };
  }
  if (kind !== "file") throw grantInvalid(at, source, "it must be env:NAME or file:/path");
  const verdict = await judgePath(place, "read", rules, at);
  if ("reason" in verdict) return verdict;
  try {
    const text = await host.files.readText(verdict.path, limits.maxConfigFileBytes);
    return { value: text.replace(/\r?\n$/, "") };
  } catch (cause) {
    throw grantInvalid(at, source, `it cannot be read: ${messageOf(cause)}`);
  }
}
