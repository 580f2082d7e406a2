import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { isObject } from "../mcp/message.ts";
import type { CallResult } from "../mcp/registry.ts";
import type { Schema } from "../mcp/schema_parts.ts";
import { ownerOf } from "../mcp/server_names.ts";
import { wantedArguments } from "../mcp/wanted_arguments.ts";
import { type RegistryFacts, whyTool } from "../mcp/why_tool.ts";
import { LOAD_SKILL } from "../prompt/skills_section.ts";
import { nearest } from "../suggest.ts";
import type { Invocation } from "./flags.ts";
import { registryFacts } from "./registry_facts.ts";
import { withServers } from "./with_servers.ts";

/**
 * `skep call TOOL [JSON]`: one call under its grant, without a model. The result's text goes to
 * stdout; an error result's to stderr, exit 2, or 3 when the grant denied it. Arguments that are not what
 * the tool takes exit with 1, as those that are no JSON do.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  const [tool = "", json = "{}"] = invocation.positionals;
  return withServers(invocation, host, async (run, registry, signal) => {
    if (!registry.tools().some(({ name }) => name === tool)) {
      const facts = await registryFacts(run, registry, host);
      const isHidden = facts.inventory.some(({ name, state }) =>
        name === tool && state === "hidden"
      );
      if (!isHidden) throw notThere(tool, facts);
      host.warn(`"${tool}" is hidden for want of room: a model calls it once find_tool found it`);
    }
    const schema = registry.tools().find(({ name }) => name === tool)?.inputSchema;
    const result = await registry.call(tool, readInput(json, schema), signal);
    if (run.settings.isJson) await host.print(`${JSON.stringify(result)}\n`);
    else if (!result.isError) await host.print(ended(textOf(result)));
    else for (const line of textOf(result).split("\n")) host.warn(line);
    return exitCode(result);
  });
}

/** @param schema What the tool takes; undefined where it is not shown. */
function readInput(json: string, schema: Schema | undefined): Readonly<Record<string, unknown>> {
  const wanted = schema === undefined ? "" : `; it takes ${wantedArguments(schema)}`;
  const refusal = (what: string, why: string, options?: ErrorOptions) => {
    const message = `Cannot ${what} the arguments ${json}: ${why}${wanted}`;
    return new SkepError("USAGE", message, { argument: "JSON" }, options);
  };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw refusal("read", messageOf(cause), { cause });
  }
  if (!isObject(value)) throw refusal("use", "they must be a JSON object");
  return value;
}

/** Why a tool is not there: the check that keeps it away and what to do, or that it is none. */
function notThere(tool: string, facts: RegistryFacts): SkepError {
  const missing = ownerOf(tool, facts.servers);
  if (missing !== undefined && missing.state !== "healthy" && missing.state !== "idle") {
    const { name, reason = `is ${missing.state}` } = missing;
    // A refusal is a sentence of its own, and names its server.
    const why = reason.startsWith("Cannot ") ? reason : `server "${name}" ${reason}`;
    const message = `Cannot call "${tool}": ${why}`;
    // What is wrong with a grant ends as it does wherever it is found.
    return missing.code === "GRANT_INVALID"
      ? new SkepError("GRANT_INVALID", message, { server: name, entry: "", value: "" })
      : missing.code === "GRANT_REFUSED"
      ? new SkepError("GRANT_REFUSED", message, { server: name })
      : new SkepError("SERVER_FAILED", message, { server: name, stage: "init" });
  }
  const unknown = (why: string) => new SkepError("TOOL_UNKNOWN", why, { tool });
  const found = whyTool(tool, facts);
  const mapped = found.find(({ kind, isThere }) => kind === "tool" && isThere);
  if (mapped !== undefined) {
    return unknown(`Cannot call "${tool}" by its server's name for it: here it is ${mapped.name}`);
  }
  const known = found.find(({ checks, isThere }) => !isThere && checks.at(-1)?.what !== "tool");
  if (known !== undefined) {
    const { checks, advice } = known;
    const todo = advice === undefined ? "" : `; ${advice}`;
    return unknown(`Cannot call "${tool}": ${checks.at(-1)?.text}${todo}`);
  }
  if (tool === LOAD_SKILL) {
    return unknown(`Cannot call "${tool}": it is skep's own, and works in a session alone`);
  }
  const near = nearest(tool, facts.inventory.map(({ name }) => name).filter((name) => name !== ""));
  const hint = near === undefined ? "skep tools lists them" : `did you mean ${near}?`;
  return unknown(`There is no tool "${tool}": ${hint}`);
}

function textOf({ content }: CallResult): string {
  return content.map((part) => part.type === "text" ? part.text : `[image: ${part.mediaType}]`)
    .join("\n");
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Only a denial that is certain exits 3: a tool's own failure may look like one. */
function exitCode({ isError, denial, isMisfit }: CallResult): number {
  if (denial?.isCertain) return 3;
  if (isMisfit) return 1; // as arguments that are no JSON
  return isError ? 2 : 0;
}
