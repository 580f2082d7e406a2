const HIDDEN =
  "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Co}\\p{Cn}\\p{Cs}\\u115f\\u1160\\u3164\\uffa0\\u2800\\u00a0\\u034f\\ufe00-\\ufe0f]";

/** Backslashes that would read as the start of something written out. */
const AMBIGUOUS = new RegExp(`\\\\(?=\\\\*(?:[nrt]|u\\{|${HIDDEN}))`, "gu");

/**
 * A text as a person must see it to judge it: whatever would change how the rest looks (line breaks,
 * controls, invisible and turning characters) is written out, and nothing is cut.
 */
export function showExactly(text: string): string {
  return text.replaceAll(
    new RegExp(HIDDEN, "gu"),
    (character) => ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The arguments of a call as a person must see them, an argument a line. */
export function showArguments(args: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(args).map(([name, value]) => {
    // A text stands as it is: quotes of JSON would double all backslashes of a command. Those alone are
    // doubled that a line break, written out, could be taken for.
    const shown = typeof value === "string"
      ? value.replaceAll(AMBIGUOUS, "\\\\")
      : JSON.stringify(value);
    return `${showExactly(name)}: ${showExactly(shown)}`;
  });
  return lines.length === 0 ? "(no arguments)" : lines.join("\n");
}
