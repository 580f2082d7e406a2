import { join } from "@std/path";
import { isBridge } from "../sandbox/remote.ts";
import type { Origin, ServerSpec } from "../sandbox/spec.ts";
import type { Fields } from "./fields.ts";
import { jsonFields } from "./manifest.ts";
import { PLUGIN_SERVERS_SCHEMA } from "./plugin_manifest.ts";
import { Problems, type ServerAt } from "./problems.ts";
import { readServerEntry } from "./server_entry.ts";

const STDIO_FIELDS = ["type", "command", "args", "env", "cwd"];
const REMOTE_FIELDS = ["type", "url", "headers"];
/** Names that only the client may set. */
const RESERVED = ["PLUGIN_ROOT", "PLUGIN_DATA"];

/**
 * Reads the `mcp.json` of an agent plugin. A server that is wrong, or whose transport or folders are not
 * supported, is left out and told; so is the whole file.
 *
 * @param folder The plugin's root, canonical.
 * @see Agent Plugins 1.0.0, section 7.2, https://agent-plugins.org/specification
 */
export function parsePluginServers(
  text: string,
  file: string,
  folder: string,
  problems: Problems,
): { readonly specs: readonly ServerSpec[]; readonly at: ServerAt } {
  const whole = new Problems();
  const fields = jsonFields(text, file, whole);
  fields?.checkKeys(["$schema", "mcpServers"]);
  const schema = fields?.text("$schema");
  if (schema !== PLUGIN_SERVERS_SCHEMA) {
    const found = schema === undefined ? "which is missing" : `not ${JSON.stringify(schema)}`;
    fields?.error("$schema", `"$schema" must be ${PLUGIN_SERVERS_SCHEMA}, ${found}`);
  }
  const entries = fields?.fields("mcpServers");
  if (fields !== undefined && entries === undefined && !whole.hasErrors) {
    fields.error("mcpServers", 'the required field "mcpServers" is missing');
  }
  const isUsable = !whole.hasErrors;
  problems.addPart("the servers", whole);
  if (!isUsable || entries === undefined) return { specs: [], at: () => ({ file }) };
  const specs = entries.keys().flatMap((name) => {
    const own = new Problems();
    const spec = readEntry(name, entries.toldTo(own), { kind: "pack", where: file });
    const isRight = !own.hasErrors;
    problems.addPart(`server "${name}"`, own, name);
    return isRight && spec !== undefined ? [inPlugin(spec, folder)] : [];
  });
  return { specs, at: (name, path) => entries.at(`${name}.${path}`) };
}

function readEntry(name: string, all: Fields, origin: Origin): ServerSpec | undefined {
  const entry = all.fields(name);
  if (entry === undefined) return void all.error(name, `server "${name}" must be a mapping`);
  const type = entry.word("type", ["stdio", "streamable-http", "sse"]);
  if (entry.raw("type") === undefined) entry.requiredText("type");
  if (type === undefined) return undefined;
  const known = type === "stdio" ? STDIO_FIELDS : REMOTE_FIELDS;
  for (const key of entry.keys().filter((each) => !known.includes(each))) {
    entry.error(key, `a server of the type ${type} has no field "${key}"`);
  }
  const spec = readServerEntry(name, entry, origin);
  if (spec === undefined || type !== "stdio") return spec;
  if (!/^(\.\/.+|[^/\\]+)$/.test(spec.command) || spec.command.split(/[\\/]/).includes("..")) {
    const wanted = "the name of a program, or a path in the plugin that begins with ./";
    entry.error("command", `"command" must be ${wanted}, not ${JSON.stringify(spec.command)}`);
  }
  const reserved = RESERVED.find((each) => Object.hasOwn(spec.env, each));
  if (reserved !== undefined) entry.error("env", `"env" must not set ${reserved}`);
  if (JSON.stringify([spec.args, spec.env]).includes("${PLUGIN_DATA}")) {
    const why = "no folder outlasts a session yet";
    entry.error(
      "args",
      `server "${name}" keeps data in \${PLUGIN_DATA}, which is not there: ${why}`,
    );
  }
  if (entry.raw("cwd") !== undefined) {
    const reason =
      `server "${name}" wants to start in a folder of its own: it starts in the workspace`;
    entry.error("cwd", reason);
  }
  return spec;
}

/** The spec with its root filled in; all else that looks like a variable stays as it is. */
function inPlugin(spec: ServerSpec, folder: string): ServerSpec {
  const fill = (text: string) =>
    text.split("${PLUGIN_ROOT}").map((part) => part.replaceAll("${", () => "$${")).join(folder);
  const env = Object.entries(spec.env).map(([name, value]) => [name, fill(value)]);
  return {
    ...spec,
    command: spec.command.startsWith("./") ? join(folder, spec.command) : spec.command,
    args: spec.args.map(fill),
    env: { ...Object.fromEntries(env), ...(isBridge(spec) ? {} : { PLUGIN_ROOT: folder }) },
  };
}
