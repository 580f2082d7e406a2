import { looksSecret } from "./keys.ts";
import { secretParts } from "./mask_text.ts";
import type { ServerSpec } from "./spec.ts";

/** Takes the secrets of one server out of a text. */
export type Redactor = (text: string) => string;

/** A {@linkcode Redactor} that tells all that it looks for, so that {@linkcode StreamRedactor} can do the same in pieces. */
export type ExactRedactor = Redactor & {
  /** Each text that is taken out, the longest first. */
  readonly forms: readonly string[];
};

/** A shorter value is none that could be told from ordinary text. */
const LEAST_LENGTH = 8;
/** The same of one line of many: shorter ones are ordinary in files. */
const LEAST_LINE_LENGTH = 16;

/**
 * A {@linkcode Redactor} for some secrets. Each exact value becomes `[secret NAME]`, as it is and as JSON
 * writes it; of one with several lines or words, as a key in a file or in a header, also each line or word
 * that is long, since texts are told by the line. What merely looks like a secret stays (T91), and so do values of fewer than 8
 * characters.
 *
 * @example
 * ```ts
 * import { redactor } from "./redact.ts";
 *
 * const redact = redactor([["TOKEN", "t0ken-12345"]]);
 * if (redact("GET /?key=t0ken-12345") !== "GET /?key=[secret TOKEN]") throw new Error("it is shown");
 * ```
 */
export function redactor(secrets: Iterable<readonly [name: string, value: string]>): ExactRedactor {
  const names = new Map<string, string>();
  for (const [name, value] of secrets) {
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  }
  // The longest first: one value may begin another.
  const forms = [...names.keys()].sort((a, b) => b.length - a.length);
  if (forms.length === 0) return Object.assign((text: string) => text, { forms });
  const pattern = patternOf(forms);
  const redact = (text: string) =>
    text.replaceAll(pattern, (value) => `[secret ${names.get(value)}]`);
  return Object.assign(redact, { forms });
}

/**
 * Takes the secrets out of a text that comes in pieces, as its redactor would of the whole: an end that may
 * be the beginning of a secret is held back until it is known.
 */
export class StreamRedactor {
  readonly #redact: ExactRedactor;
  #held = "";

  constructor(redact: ExactRedactor) {
    this.#redact = redact;
  }

  /** What can be told after this piece, without secrets. */
  take(piece: string): string {
    const text = this.#held + piece;
    const end = heldFrom(text, this.#redact.forms);
    this.#held = text.slice(end);
    return this.#redact(text.slice(0, end));
  }

  /** Forgets what is held back: another text begins. */
  reset(): void {
    this.#held = "";
  }
}

/**
 * The names of a server's variables whose values are secrets: those with a source of their own, and those
 * among what its owner wrote into `env`, or proxies, that look like one. Other variables hold paths and settings.
 */
export function secretNames(
  environment: Readonly<Record<string, string>>,
  declared: readonly string[],
  own: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(environment).filter(([name, value]) => {
    if (declared.includes(name)) return true;
    return (Object.hasOwn(own, name) || /_proxy$/i.test(name)) && looksSecret(name, value);
  }).map(([name]) => name);
}

/**
 * The secrets of a server: the values of its secret variables, and what stands in longer texts of its entry: variables
 * of the runtime's that look like one, and parts that do.
 */
export function secretsOf(
  { env, filled = {} }: Pick<ServerSpec, "env" | "filled">,
  names: readonly string[],
  values: Readonly<Record<string, string>>,
): (readonly [name: string, value: string])[] {
  return [
    ...names.map((name) => [name, values[name] ?? ""] as const),
    ...Object.entries(filled).filter(([name, value]) => looksSecret(name, value)),
    ...Object.entries(env).flatMap(([name, value]) =>
      secretParts(value).map((part) => [name, part] as const)
    ),
  ];
}

/** Where the end of a text begins that may go on as a secret, also where it is a shorter one already; its length if none. */
function heldFrom(text: string, forms: readonly string[]): number {
  const [longest] = forms;
  if (longest === undefined) return text.length;
  const pattern = patternOf(forms);
  for (let at = 0;;) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const last = match?.index ?? text.length - 1;
    for (let start = Math.max(at, text.length - longest.length + 1); start <= last; start++) {
      const end = text.slice(start);
      if (forms.some((form) => form.length > end.length && form.startsWith(end))) return start;
    }
    if (match === null) return text.length;
    at = match.index + match[0].length;
  }
}

function patternOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.map((form) => RegExp.escape(form)).join("|"), "g");
}

function formsOf(value: string): string[] {
  const lines = value.trim().split(value.includes("\n") ? /\r?\n/ : / +/);
  const words = lines.filter((line) =>
    line.length >= LEAST_LINE_LENGTH && /^[^\s-]\S*$/.test(line)
  );
  return [value, value.trim(), ...words]
    .flatMap((each) => [each, JSON.stringify(each).slice(1, -1)])
    .filter((each) => each.length >= LEAST_LENGTH);
}
