/** Counts the line ends of a text: those with a carriage return, and those without. */
export function lineEnds(text: string): { readonly crlf: number; readonly lf: number } {
  let [crlf, lf] = [0, 0];
  for (let at = -1; (at = text.indexOf("\n", at + 1)) !== -1;) {
    if (text[at - 1] === "\r") crlf++;
    else lf++;
  }
  return { crlf, lf };
}

/** The same text with a carriage return before each newline that has none. */
export function withCrlf(text: string): string {
  return text.replaceAll(/(?<!\r)\n/g, "\r\n");
}
