import { VERSION } from "../version.ts";
import { DEFAULT_FIELDS, type Defaults, readDefaults } from "./defaults.ts";
import { Fields } from "./fields.ts";
import { parseJsonc } from "./jsonc.ts";
import type { At, Problems } from "./problems.ts";
import { isInRange } from "./version_range.ts";
import { withoutAbsent } from "./without_absent.ts";

/** What a pack says of itself. Its paths are as written, relative to the pack's folder. */
export interface Manifest {
  /** `pack`: `.plugin/plugin.json`. `plugin`: the root `plugin.json` of an agent plugin. */
  readonly form: "pack" | "plugin";
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  readonly license?: string;
  readonly homepage?: string;
  /** Absent in a plugin that leaves them to the usual place. */
  readonly personas?: readonly string[];
  readonly packInstructions?: string;
  readonly mcpConfig?: string;
  readonly hooksConfig?: string;
  readonly defaults: Defaults;
  /** Where it says something, by the field's path in a pack's form, such as `personas[0]`. */
  readonly at: (path: string) => At;
}

/** The fields of a manifest in the pack's form that mean something here. */
const FIELDS: readonly string[] = [
  "id",
  "name",
  "version",
  "description",
  "author",
  "license",
  "homepage",
  "engines",
  "personas",
  "pack_instructions",
  "mcp_config",
  "hooks_config",
  "defaults",
];
/** Fields that other programs use and that change nothing here. */
const IGNORED = ["$schema", "keywords", "repository"];
const ID = /^(?=.*[A-Za-z0-9])[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/**
 * Reads the manifest of a pack, `.plugin/plugin.json`. A field that it does not know is told as a warning:
 * other programs' plugins use the file too.
 *
 * @returns undefined when it is no mapping at all; `problems` are told of that and all else.
 *
 * @example
 * ```ts
 * import { parseManifest } from "./manifest.ts";
 * import { Problems } from "./problems.ts";
 *
 * const text = '{"id": "com.example.a", "name": "A", "version": "1", "personas": ["a.md"]}';
 * const manifest = parseManifest(text, "/p/plugin.json", new Problems());
 * if (manifest?.personas?.[0] !== "a.md") throw new Error();
 * ```
 */
export function parseManifest(
  text: string,
  file: string,
  problems: Problems,
): Manifest | undefined {
  const fields = jsonFields(text, file, problems);
  if (fields === undefined) return undefined;
  fields.checkKeys([...FIELDS, ...IGNORED], FIELDS);
  const id = fields.requiredText("id");
  if (id !== "" && !ID.test(id)) {
    const wanted = "1 to 128 of letters, digits, _, - and dots, without a dot in front";
    fields.error("id", `"id" must be ${wanted}, not ${JSON.stringify(id)}`);
  }
  checkEngines(fields);
  return {
    form: "pack",
    id,
    name: fields.requiredText("name"),
    version: fields.requiredText("version"),
    personas: fields.texts("personas") ?? [],
    defaults: readPackDefaults(fields),
    at: (path) => fields.at(path),
    ...withoutAbsent({
      description: fields.text("description"),
      author: readAuthor(fields),
      license: fields.text("license"),
      homepage: fields.text("homepage"),
      packInstructions: fields.text("pack_instructions"),
      mcpConfig: fields.text("mcp_config"),
      hooksConfig: fields.text("hooks_config"),
    }),
  };
}

/** The top mapping of a pack's JSON file; undefined, and told, when it is not JSON or no mapping. */
export function jsonFields(text: string, file: string, problems: Problems): Fields | undefined {
  const json = parseJsonc(text);
  if (json.ok) {
    const { value, placeOf } = json;
    return Fields.of(value, value, { file, placeOf, problems, unknownKeys: "warning" });
  }
  const { line, column, problem } = json;
  problems.error(file, `it is not JSON, ${problem}`, { place: { line, column } });
  return undefined;
}

/** A manifest's `defaults`. */
export function readPackDefaults(fields: Fields): Defaults {
  const defaults = fields.fields("defaults");
  defaults?.checkKeys(DEFAULT_FIELDS);
  return defaults === undefined ? {} : readDefaults(defaults);
}

/** The author's name; the field may be the name itself, or a mapping with it. */
export function readAuthor(fields: Fields): string | undefined {
  if (typeof fields.raw("author") === "string") return fields.text("author");
  const author = fields.fields("author");
  author?.checkKeys(["name", "email", "url"]);
  return author?.text("name");
}

/** Refuses a pack that wants another version of skep. */
export function checkEngines(fields: Fields): void {
  const engines = fields.fields("engines");
  const range = engines?.text("skep");
  if (engines === undefined || range === undefined) return;
  const isRight = isInRange(VERSION, range);
  if (isRight === true) return;
  const why = isRight === false
    ? `the pack is for skep ${range}, and this is skep ${VERSION}`
    : `"engines.skep" must be a range of versions, not ${JSON.stringify(range)}`;
  engines.error("skep", why);
}
