/** A `${…}` in a text. */
export interface Reference {
  /** As written. */
  readonly whole: string;
  /** Between the braces. */
  readonly inner: string;
  /** The variable's name; `env:` in front of it is none of it. */
  readonly name: string;
  /** What follows `:-`. */
  readonly fallback?: string;
}

const MARK = /\$\$\{|\$\{([^}]*)(\}?)/g;
const PARTS = /^(?:env:)?([^:]*)(?::-([\s\S]*))?$/;

/**
 * A text with something in place of each of its references; `$${` is a `${` that means nothing. What is no whole
 * reference ({@linkcode referenceProblem}) stays.
 */
export function replaceReferences(text: string, replace: (found: Reference) => string): string {
  return text.replaceAll(MARK, (whole, inner: string | undefined, end: string | undefined) => {
    if (inner === undefined) return "${";
    return end === "" ? whole : replace(referenceOf(whole, inner));
  });
}

/** The reference that is all of a text; undefined when it is anything else. */
export function wholeReference(text: string): Reference | undefined {
  const inner = /^\$\{([^}]*)\}$/.exec(text)?.[1];
  return inner === undefined ? undefined : referenceOf(text, inner);
}

/**
 * Why a text cannot be filled in, whatever its variables are: a reference that holds another one, or that has no end.
 * Else it would be taken as text, or for another reference than was meant.
 */
export function referenceProblem(text: string): string | undefined {
  for (const [whole, inner, end] of text.matchAll(MARK)) {
    if (inner === undefined) continue;
    const advice = `write $${whole} for the text itself`;
    if (inner.includes("${")) {
      return `${whole} holds another \${: a default is text, and no reference; ${advice}`;
    }
    if (end === "") {
      return `${shortened(whole)} has no } at its end; write $\${ for the text itself`;
    }
  }
  return undefined;
}

function referenceOf(whole: string, inner: string): Reference {
  const [, name, fallback] = PARTS.exec(inner) ?? [];
  if (name === undefined) return { whole, inner, name: inner };
  return { whole, inner, name, ...(fallback === undefined ? {} : { fallback }) };
}

const SHOWN_CHARACTERS = 40;

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
