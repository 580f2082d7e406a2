import { SkepError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { plainText } from "./plain_text.ts";
import type { Registry, ServerStatus, ToolFacts } from "./registry.ts";
import { isPlainName } from "./server_names.ts";
import type { RegistryOptions } from "./start_registry.ts";

/**
 * The hard errors of the original, for whoever would rather have no session than one that is not as it
 * was asked for (`SKEP_STRICT=1`): an entry that is wrong, too many servers or tools, names that have to
 * be mapped, a server that is not there.
 *
 * @throws {SkepError} `TOO_MANY`, `CONFIG_INVALID`, `SERVER_FAILED`.
 */
export function checkStrictly(
  { specs, unusable = [], limits }: Pick<RegistryOptions, "specs" | "unusable" | "limits">,
  registry: Pick<Registry, "servers"> & { facts(): ToolFacts[] },
): void {
  const [wrong] = unusable;
  if (wrong !== undefined) {
    throw new SkepError("CONFIG_INVALID", wrong.why, { source: `server "${wrong.name}"` });
  }
  checkServers(specs.map(({ name }) => name), limits);
  for (const server of registry.servers()) checkServer(server);
  checkTools(registry.facts(), limits);
}

function checkServers(names: readonly string[], { maxServers }: Pick<Limits, "maxServers">): void {
  if (names.length > maxServers) {
    const message = `Too many MCP servers: ${names.length}, the limit is ${maxServers}`;
    throw new SkepError("TOO_MANY", message, { what: "servers", limit: maxServers });
  }
  for (const [place, name] of names.entries()) {
    if (!isPlainName(name)) throw invalid(`server "${plainText(name)}"`, NAME_RULE);
    if (names.indexOf(name) !== place) throw invalid(`server "${name}"`, "another has its name");
  }
}

function checkServer({ name, state, reason = "" }: ServerStatus): void {
  if (state === "idle" || state === "disabled") return; // switched off by a person
  if (state === "healthy" && reason === "") return;
  const message = `Server "${name}" is ${state}: ${reason}`;
  throw new SkepError("SERVER_FAILED", message, { server: name, stage: "init" });
}

function checkTools(
  facts: readonly ToolFacts[],
  { maxTools, maxToolNameBytes }: Pick<Limits, "maxTools" | "maxToolNameBytes">,
): void {
  const tools = facts.filter(({ state }) => state !== "switched off"); // hooks count, as they did
  if (tools.length > maxTools) {
    const message = `Too many tools: ${tools.length}, the limit is ${maxTools}`;
    throw new SkepError("TOO_MANY", message, { what: "tools", limit: maxTools });
  }
  for (const { server, own } of tools) {
    const whole = `${server}__${own}`;
    const label = `tool "${plainText(own)}" of server "${server}"`;
    if (!isPlainName(own)) throw invalid(label, NAME_RULE);
    if (whole.length > maxToolNameBytes) {
      throw invalid(label, `${whole} has more than ${maxToolNameBytes} bytes`);
    }
  }
}

const NAME_RULE = "a name has 1 to 128 letters, digits, _ and -, and no __";

function invalid(what: string, why: string): SkepError {
  return new SkepError("CONFIG_INVALID", `Cannot use ${what}: ${why}`, { source: what });
}
