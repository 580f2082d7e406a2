import type { Fields } from "./fields.ts";
import {
  checkEngines,
  jsonFields,
  type Manifest,
  readAuthor,
  readPackDefaults,
} from "./manifest.ts";
import type { Problems } from "./problems.ts";
import { withoutAbsent } from "./without_absent.ts";

/** What `$schema` says in the manifest, and in the server file, of the agent plugins that are understood. */
export const PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
/** The same of `mcp.json`. */
export const PLUGIN_SERVERS_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
/** The key, and the folder, of a plugin that hold what is skep's own: personas among it. */
export const EXTENSION = "dev.skep";

const FIELDS: readonly string[] = [
  "$schema",
  "name",
  "version",
  "description",
  "author",
  "homepage",
  "repository",
  "license",
  "keywords",
  "extensions",
];
const EXTENSION_FIELDS: readonly string[] = [
  "personas",
  "pack_instructions",
  "hooks_config",
  "engines",
  "defaults",
];
const NAME = /^(?!.*(--|\.\.))[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/;

/**
 * Reads the manifest of an agent plugin, `plugin.json` in its root. What only skep knows stands under
 * `extensions` at {@linkcode EXTENSION}.
 *
 * @returns undefined when it is no mapping at all; `problems` are told of that and all else.
 * @see Agent Plugins 1.0.0, https://agent-plugins.org/specification
 */
export function parsePluginManifest(
  text: string,
  file: string,
  problems: Problems,
): Manifest | undefined {
  const fields = jsonFields(text, file, problems);
  if (fields === undefined) return undefined;
  fields.checkKeys(FIELDS);
  const schema = fields.text("$schema");
  if (schema !== PLUGIN_SCHEMA) {
    const found = schema === undefined ? "which is missing" : `not ${JSON.stringify(schema)}`;
    fields.error("$schema", `"$schema" must be ${PLUGIN_SCHEMA}, ${found}`);
  }
  const name = fields.requiredText("name");
  if (name !== "" && !NAME.test(name)) {
    const wanted = "1 to 64 of a-z, 0-9, single hyphens and single dots between them";
    fields.error("name", `"name" must be ${wanted}, not ${JSON.stringify(name)}`);
  }
  const own = ownFields(fields);
  if (own !== undefined) checkEngines(own);
  return {
    form: "plugin",
    id: name,
    name,
    version: fields.text("version") ?? "0.0.0",
    defaults: own === undefined ? {} : readPackDefaults(own),
    at: (path) => (own ?? fields).at(path),
    ...withoutAbsent({
      description: fields.text("description"),
      author: readAuthor(fields),
      license: fields.text("license"),
      homepage: fields.text("homepage"),
      personas: own?.texts("personas"),
      packInstructions: own?.text("pack_instructions"),
      hooksConfig: own?.text("hooks_config"),
    }),
  };
}

/** Extensions of others are nobody's business here; a field that is no mapping is told and ignored. */
function ownFields(fields: Fields): Fields | undefined {
  const value = fields.raw("extensions");
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    fields.warn("extensions", '"extensions" must be a mapping of names to values: it is ignored');
    return undefined;
  }
  const own = fields.fields("extensions")?.fields(EXTENSION);
  own?.checkKeys(EXTENSION_FIELDS);
  return own;
}
