import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { CallResult, Registry } from "../mcp/registry.ts";
import { nearest } from "../suggest.ts";
import type { Invocation } from "./flags.ts";
import { prepareRun } from "./prepare_run.ts";
import { untilSignal } from "./stopping.ts";

/**
 * `skep call TOOL [JSON]`: one call under its grant, without a model. The result's text goes to
 * stdout; an error result's to stderr, exit 2, or 3 when the grant denied it.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  const [tool = "", json = "{}"] = invocation.positionals;
  return untilSignal(host, async (signal) => {
    const input = readInput(json);
    await using run = await prepareRun(invocation, host);
    const notices = [...run.notices];
    const registry = await run.startServers(
      { cwd: run.settings.cwd, servers: [], signal },
      notices,
    );
    try {
      for (const notice of notices) host.warn(notice);
      if (!registry.tools().some(({ name }) => name === tool)) throw unknownTool(tool, registry);
      const result = await registry.call(tool, input, signal);
      if (run.settings.isJson) await host.print(`${JSON.stringify(result)}\n`);
      else if (!result.isError) await host.print(ended(textOf(result)));
      else for (const line of textOf(result).split("\n")) host.warn(line);
      return exitCode(result);
    } finally {
      await registry.close();
    }
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

/** Why a tool is not there: its server is not, or it is no tool. */
function unknownTool(tool: string, registry: Registry): SkepError {
  const missing = registry.servers().find(({ name, state }) =>
    state !== "healthy" && state !== "idle" && tool.startsWith(`${name}__`)
  );
  if (missing !== undefined) {
    const { name, reason = `is ${missing.state}` } = missing;
    // A refusal is a sentence of its own, and names its server.
    const why = reason.startsWith("Cannot ") ? reason : `server "${name}" ${reason}`;
    const message = `Cannot call "${tool}": ${why}`;
    return new SkepError("SERVER_FAILED", message, { server: missing.name, stage: "init" });
  }
  const near = nearest(tool, registry.tools().map(({ name }) => name));
  const hint = near === undefined ? "skep tools lists them" : `did you mean ${near}?`;
  return new SkepError("TOOL_UNKNOWN", `There is no tool "${tool}": ${hint}`, { tool });
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
