import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { CallResult } from "../mcp/registry.ts";
import { type RegistryFacts, whyTool } from "../mcp/why_tool.ts";
import { nearest } from "../suggest.ts";
import type { Invocation } from "./flags.ts";
import { registryFacts } from "./registry_facts.ts";
import { withServers } from "./with_servers.ts";

/**
 * `skep call TOOL [JSON]`: one call under its grant, without a model. The result's text goes to
 * stdout; an error result's to stderr, exit 2, or 3 when the grant denied it.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  const [tool = "", json = "{}"] = invocation.positionals;
  const input = readInput(json);
  return withServers(invocation, host, async (run, registry, signal) => {
    if (!registry.tools().some(({ name }) => name === tool)) {
      const facts = await registryFacts(run, registry, host);
      const isHidden = facts.inventory.some(({ name, state }) =>
        name === tool && state === "hidden"
      );
      if (!isHidden) throw notThere(tool, facts);
      host.warn(`"${tool}" is hidden for want of room: a model calls it once find_tool found it`);
    }
    const result = await registry.call(tool, input, signal);
    if (run.settings.isJson) await host.print(`${JSON.stringify(result)}\n`);
    else if (!result.isError) await host.print(ended(textOf(result)));
    else for (const line of textOf(result).split("\n")) host.warn(line);
    return exitCode(result);
  });
}

function readInput(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch (cause) {
    const message = `Cannot read the arguments ${json}: ${messageOf(cause)}`;
    throw new SkepError("USAGE", message, { argument: "JSON" }, { cause });
  }
  const message = `Cannot use the arguments ${json}: they must be a JSON object`;
  throw new SkepError("USAGE", message, { argument: "JSON" });
}

/** Why a tool is not there: the check that keeps it away and what to do, or that it is none. */
function notThere(tool: string, facts: RegistryFacts): SkepError {
  const missing = facts.servers.find(({ name, state }) =>
    state !== "healthy" && state !== "idle" && tool.startsWith(`${name}__`)
  );
  if (missing !== undefined) {
    const { name, reason = `is ${missing.state}` } = missing;
    // A refusal is a sentence of its own, and names its server.
    const why = reason.startsWith("Cannot ") ? reason : `server "${name}" ${reason}`;
    const message = `Cannot call "${tool}": ${why}`;
    return new SkepError("SERVER_FAILED", message, { server: missing.name, stage: "init" });
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
function exitCode({ isError, denial }: CallResult): number {
  if (denial?.isCertain) return 3;
  return isError ? 2 : 0;
}
