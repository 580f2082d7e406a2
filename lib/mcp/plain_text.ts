// Not node:util's stripVTControlCharacters: loading that module takes 18 ms of a session's start.
/** Colours, cursor movements and the like: ESC [ or its one-character form, then parameters and a final. */
const CONTROL_SEQUENCE = /(?:[^\P{Cc}\n\r\t]\[|\u009b)[0-?]*[ -/]*[@-~]/gu;
/** Titles and links: ESC ] and text up to the next control character. */
const COMMAND_SEQUENCE = /[^\P{Cc}\n\r\t]\]\P{Cc}*/gu;
/** What turns the order of the text around it, so that it reads as another one. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
const CONTROL = /[^\P{Cc}\n\t]/gu;

/**
 * What a server said, as it may be shown to a person: without terminal sequences, control
 * characters and what turns its order, tabs and newlines kept.
 */
export function plainText(text: string): string {
  return text.replaceAll(CONTROL_SEQUENCE, "").replaceAll(COMMAND_SEQUENCE, "")
    .replaceAll(CONTROL, "").replaceAll(TURNING, "").toWellFormed();
}
