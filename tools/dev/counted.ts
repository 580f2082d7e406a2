/** A number with what it counts: `1 line`, `2 lines`. */
export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
