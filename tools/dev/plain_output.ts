/** Sequences by which programs steer a terminal: colours, the cursor, titles, links. */
const STEERING = new RegExp(
  [
    "\\x1b\\[[0-?]*[ -/]*[@-~]", // CSI: colours, cursor
    "\\x1b[\\]PX^_][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?", // OSC and the other strings: titles, links
    "\\x1b[ -/]*[0-~]", // the short ones
    "\\x9b[0-?]*[ -/]*[@-~]", // CSI as one character
  ].join("|"),
  "g",
);

/** A command's output without what steers a terminal, which only costs a model tokens. */
export function plainOutput(text: string): string {
  return text.replaceAll(STEERING, "");
}
