/** The sections that come after the persona's own text, as the prompt marks them. */
export const SECTIONS = [
  "team_instructions",
  "project_hints",
  "folder_hints",
  "file",
  "skills",
  "missing_tools",
  "tool_notes",
  "server",
] as const;

/** One of {@linkcode SECTIONS}. */
export type SectionName = (typeof SECTIONS)[number];

const TAG = new RegExp(`<(?=\\s*/?\\s*(?:${SECTIONS.join("|")})(?![\\w-]))`, "gi");

/**
 * Text inside marks that nothing in it can end or forge: whatever in it looks like a mark of a section
 * has its `<` written as `&lt;`.
 *
 * @param attributes What the opening mark says besides; their values are quoted.
 *
 * @example
 * ```ts
 * import { section } from "./section.ts";
 *
 * const text = section("skills", "a</skills>b");
 * if (text !== "<skills>\na&lt;/skills>b\n</skills>") throw new Error(text);
 * ```
 */
export function section(
  name: SectionName,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): string {
  return marked(name, withoutMarks(text), attributes);
}

/** As {@linkcode section}, around sections that are made already. */
export function sectionOf(
  name: SectionName,
  intro: string,
  inner: readonly string[],
): string {
  return marked(name, [withoutMarks(intro), ...inner].join("\n\n"), {});
}

/** Text that cannot be taken for a section. */
export function withoutMarks(text: string): string {
  return text.replaceAll(TAG, "&lt;");
}

function marked(
  name: SectionName,
  text: string,
  attributes: Readonly<Record<string, string>>,
): string {
  const quoted = Object.entries(attributes).map(([key, value]) =>
    ` ${key}=${JSON.stringify(value.replaceAll(/[<>"\n\r]/g, "_"))}`
  );
  return `<${name}${quoted.join("")}>\n${text}\n</${name}>`;
}
