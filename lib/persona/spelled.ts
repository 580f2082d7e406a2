/** A name as files spell it: `max_rounds` for `maxRounds`. */
export function spelled(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
