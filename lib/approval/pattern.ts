/**
 * Tells whether a text is what a pattern stands for: `*` is any characters, none included, all else is
 * itself. In time of the text's length times the pattern's, whatever they hold.
 */
export function matches(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let read = 0;
  while (read < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = read;
    } else if (pattern[at] === text[read]) {
      at++;
      read++;
    } else if (star >= 0) {
      at = star + 1;
      read = ++resume; // the last star takes one more character
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** Characters of a pattern that stand for themselves: of two patterns the one with more says more. */
export function literals(pattern: string): number {
  return pattern.replaceAll("*", "").length;
}
