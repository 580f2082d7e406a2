import type { Host } from "../host/host.ts";

/** Variables that hold an identity's private key, or what goes with it where it is passed. */
export const IDENTITY_KEYS: readonly string[] = [
  "NOSTR_PRIVATE_KEY",
  "BUZZ_PRIVATE_KEY",
  "BUZZ_ACP_PRIVATE_KEY",
  "BUZZ_AUTH_TAG",
  "SKEP_PRIVATE_KEY",
];

/** Variables that hold the identity's keys or a model's: no server gets one, or its value, ever. */
export const KEY_VARIABLES: readonly string[] = [
  ...IDENTITY_KEYS,
  "BUZZ_API_TOKEN",
  "BUZZ_ACP_API_TOKEN",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "OPENAI_API_KEY",
  "OPENAI_COMPAT_API_KEY",
  "OPENROUTER_API_KEY",
  "DATABRICKS_TOKEN",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "OLLAMA_API_KEY",
  "LMSTUDIO_API_KEY",
  "LLAMACPP_API_KEY",
  "VLLM_API_KEY",
  "MISTRAL_API_KEY",
  "XAI_API_KEY",
];

/** A shorter value is no key: a local provider's `OPENAI_API_KEY=x` must not take `x` from everybody. */
const LEAST_KEY_LENGTH = 8;
/** Random text of this length and up counts as a secret by its looks. */
const LEAST_SECRET_LENGTH = 20;

/**
 * Why a variable may not pass to a server, or undefined when it may: its name is one of
 * {@linkcode KEY_VARIABLES}, or its value holds what one of them holds in the runtime's environment.
 *
 * @param others Variables besides these that the operator keeps a model's key in.
 */
export function keyReason(
  name: string,
  value: string | undefined,
  env: Host["env"],
  others: readonly string[] = [],
): string | undefined {
  const variables = [...KEY_VARIABLES, ...others];
  if (KEY_VARIABLES.includes(name.toUpperCase()) || others.includes(name)) {
    return "it names a key of the identity or a model, which no server gets";
  }
  const source = variables.find((each) => {
    const key = env(each);
    return key !== undefined && key.length >= LEAST_KEY_LENGTH && value?.includes(key);
  });
  return source === undefined
    ? undefined
    : `its value holds that of ${source}, which no server gets`;
}

/** The values of {@linkcode KEY_VARIABLES} that are set: what no server may ever see. */
export function keyValues(env: Host["env"]): string[] {
  return KEY_VARIABLES.map((name) => env(name) ?? "")
    .filter((value) => value.length >= LEAST_KEY_LENGTH);
}

/**
 * True when a variable's name or its value's shape is that of a secret: then it is redacted wherever
 * it would be shown.
 *
 * @example
 * ```ts
 * import { looksSecret } from "./keys.ts";
 *
 * if (!looksSecret("GH_TOKEN", "abc")) throw new Error("a token is a secret");
 * if (looksSecret("EDITOR", "vim")) throw new Error("an editor is none");
 * ```
 */
export function looksSecret(name: string, value: string): boolean {
  if (value === "") return false;
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  if (words.some((word) => /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/.test(word))) {
    return true;
  }
  if (
    words.some((word) =>
      /^(KEY|PAT|APIKEY|AUTH|AUTHORIZATION|COOKIE|NSEC|DSN|PASS|PWD)$/.test(word)
    )
  ) {
    return !/^[\w./\\:~-]*[/\\]/.test(value) || /:\/\//.test(value);
  }
  // A password in a URL.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*:[^/?#\s]*@/i.test(value)) return true;
  // What services and tools put in front of their keys.
  if (/^(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abp]-|AKIA|AIza|nsec1|npm_|eyJ)/.test(value)) {
    return true;
  }
  return isRandom(value);
}

/** One word with digits and letters well mixed, as nobody writes by hand. */
function isRandom(value: string): boolean {
  if (value.length < LEAST_SECRET_LENGTH || !/^[A-Za-z0-9+/=_-]+$/.test(value)) return false;
  if (/^[0-9a-f]+$/i.test(value)) return value.length >= 32;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(value));
  const switches = value.match(/[a-zA-Z](?=\d)|\d(?=[a-zA-Z])/g)?.length ?? 0;
  return kinds.length === 3 && switches >= 3;
}
