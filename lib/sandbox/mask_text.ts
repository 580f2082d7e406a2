import { looksSecret } from "./keys.ts";

/** What stands in a secret's place. */
export const MASK = "[secret]";

/** What of a text is a credential by what stands before it, or by its own shape: the second group. */
const SHAPES: readonly RegExp[] = [
  // A scheme of HTTP's, as in a header.
  /(\bBearer\s+)([^\s"',;[\]]+)/gi,
  /(\b[Bb]asic\s+)([A-Za-z0-9+/_-]+[A-Z0-9=][A-Za-z0-9+/_=-]*)(?![^\s"',;])/g,
  /(\bToken\s+)((?=[^\s"',;]*\d)[A-Za-z0-9._~+/=-]{8,})/gi,
  // A password in a URL.
  /([a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:)([^/?#\s[\]]+)(?=@)/gi,
  // What services put in front of their keys.
  /((?<![A-Za-z0-9]))((?:gh[posur]_|github_pat_|glpat-|xox[abpr]-|AIza|nsec1|sk_live_|sk_test_)[A-Za-z0-9_-]{6,})/g,
  /((?<![A-Za-z0-9]))((?:sk-[A-Za-z0-9_-]{16,})|AKIA[A-Z0-9]{12,}|npm_[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_.-]{16,})/g,
];
const URL_TEXT = /[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi;

/**
 * A text in which what looks like a credential is `[secret]`, wherever it stands: behind `Bearer`, `Basic` and `Token`,
 * as the password, the user, a part of the path or a parameter of a URL, and by the shapes of services' keys.
 *
 * @example
 * ```ts
 * import { maskText } from "./mask_text.ts";
 *
 * if (maskText("Bearer ghp_abcdef123456") !== "Bearer [secret]") throw new Error("it is shown");
 * ```
 */
export function maskText(text: string): string {
  return replaceSecrets(text, () => MASK);
}

/** What {@linkcode maskText} masks in a text. */
export function secretParts(text: string): string[] {
  const parts: string[] = [];
  replaceSecrets(text, (part) => {
    parts.push(part);
    return MASK;
  });
  return parts;
}

function replaceSecrets(text: string, replace: (secret: string) => string): string {
  const shaped = SHAPES.reduce(
    (left, shape) =>
      left.replaceAll(shape, (_, before: string, secret: string) => before + replace(secret)),
    text,
  );
  return shaped.replaceAll(URL_TEXT, (url) => maskUrl(url, replace));
}

/** Names and random words between the marks of a URL. */
function maskUrl(url: string, replace: (secret: string) => string): string {
  const [, scheme = "", rest = ""] = /^([^:]*:\/\/)(.*)$/s.exec(url) ?? [];
  const named = rest.replaceAll(
    /([?&#])([^=&#]+)=([^&#]+)/g,
    (whole, mark: string, name: string, value: string) =>
      isMasked(value) || !looksSecret(name, value) ? whole : `${mark}${name}=${replace(value)}`,
  );
  const words = named.replaceAll(
    /(^|[/])([^/?&=#@[\]]{8,})(?=[/?#@]|$)/g,
    (whole, mark: string, word: string) => looksSecret("", word) ? mark + replace(word) : whole,
  );
  return scheme + words;
}

function isMasked(value: string): boolean {
  return value.includes("[secret") || value.startsWith("${");
}
