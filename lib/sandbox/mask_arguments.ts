import { looksSecret } from "./keys.ts";
import { MASK, maskText } from "./mask_text.ts";

/** Variables, paths and flags: what begins like this is none of a service's keys. */
const NO_SECRET = /^(\$\{|[/.~-]|file:|npm:|jsr:)/;

/**
 * The words of a command line as they may be shown and recorded: what looks like a secret is `[secret]`, as
 * the value of a flag, of `NAME=`, of a header, or by itself, and what {@linkcode maskText} masks in any text.
 *
 * @example
 * ```ts
 * import { maskArguments } from "./mask_arguments.ts";
 *
 * const [, , token] = maskArguments(["sh", "--token", "abc"]);
 * if (token !== "[secret]") throw new Error("it is shown");
 * ```
 */
export function maskArguments(words: readonly string[]): string[] {
  return words.map((word, place) => {
    const before = words[place - 1] ?? "";
    const [, flag = ""] = /^--?([\w-]+)$/.exec(before) ?? [];
    return maskText(maskWord(word, flag));
  });
}

function maskWord(word: string, flag: string): string {
  const [, name = "", between = "", value = ""] = /^-{0,2}([\w-]+)(=|: *)(.+)$/s.exec(word) ?? [];
  if (name !== "" && !/^\/\//.test(value)) {
    const isHeader = between !== "=" && /^(proxy-)?authorization$/i.test(name);
    const masked = isHeader ? MASK : masks(name, value);
    return masked === value ? word : word.slice(0, word.length - value.length) + masked;
  }
  return masks(flag, word);
}

function masks(name: string, value: string): string {
  if (NO_SECRET.test(value) || value.includes("[secret")) return value;
  const url = value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:)[^/?#\s]*(?=@)/i, `$1${MASK}`);
  if (url !== value) return url;
  return looksSecret(name, value) ? MASK : value;
}
