/** A name or path of a file for a reader: as a JSON string when it holds control characters. */
export function shownName(name: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  return /[\x00-\x1f\x7f]/.test(name) ? JSON.stringify(name) : name;
}
