/** A line `name: text` whose text nothing in YAML could take for anything but itself. */
const LINE = /^([A-Za-z_][\w-]*): +([A-Za-z][^\t\n\r]*?) *$/;
/** What has a type of its own, or a meaning inside a plain text. */
const NOT_PLAIN = /^(null|true|false)$|: |:$| #/i;
/** Characters that YAML does not take, or that end a line for it. */
const ODD = /[^\x20-\x7e\n\xa1-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd]|[\u2028\u2029\ufeff]/;

/**
 * Reads YAML that is nothing but lines of `name: text`, as most skills and many personas are: ten times as fast
 * as all of YAML, which counts where a pack has hundreds of them.
 *
 * @returns undefined for anything else, which is for the real parser.
 */
export function parsePlainYaml(yaml: string): Readonly<Record<string, string>> | undefined {
  if (ODD.test(yaml)) return undefined;
  const entries = new Map<string, string>();
  for (const line of yaml.split("\n")) {
    if (line === "") continue;
    const [, key, value] = LINE.exec(line) ?? [];
    if (key === undefined || value === undefined) return undefined;
    if (NOT_PLAIN.test(value) || NOT_PLAIN.test(key) || entries.has(key)) return undefined;
    entries.set(key, value);
  }
  return entries.size === 0 ? undefined : Object.fromEntries(entries);
}
