import type { Limits } from "../limits.ts";
import type { ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import { leftOutTools } from "./left_out_tools.ts";
import { plainText } from "./plain_text.ts";
import type { ServerStatus, ToolFacts } from "./registry.ts";
import { nameServers, ownerOf } from "./server_names.ts";

/** What is known of the servers and tools of a session when it starts. */
export interface StartedFacts {
  /** What was asked for, under its owners' names. */
  readonly specs: readonly ServerSpec[];
  readonly unusable?: readonly UnusableEntry[];
  readonly servers: readonly ServerStatus[];
  readonly facts: readonly ToolFacts[];
  readonly limits: Pick<Limits, "maxServers" | "maxTools">;
}

/**
 * What is not there as it was asked for, or not by its own name, in sentences for the model: it knows no
 * more of it than a person who looks at the list of tools. Why is for people: it may be a server's words.
 */
export function absences({ specs, unusable = [], servers, facts, limits }: StartedFacts): string[] {
  const names = nameServers(specs).map(({ name }) => name);
  const renamed = specs.flatMap(({ name: wanted }, place) => {
    const name = names[place] ?? wanted;
    const isRenamed = place < limits.maxServers && name !== wanted;
    return isRenamed ? [`The server ${quoted(wanted)} is known as "${name}".`] : [];
  });
  const mute = servers.filter(({ state, reason }) => state === "healthy" && reason !== undefined);
  const gone = servers.filter(({ state }) => isGone(state));
  const mapped = facts.filter(({ server, own, name, state }) =>
    state === "listed" && name !== `${server}__${own}`
  );
  return [
    ...[...new Set(unusable.map(({ name }) => name))].map((name) =>
      `${
        name === "" ? "A server without a name" : `The server ${quoted(name)}`
      } could not be set up: its tools are not there.`
    ),
    ...gone.map(({ name, state }) =>
      `The server "${name}" ${
        state === "disabled" ? "is switched off" : "could not be started"
      }: its tools are not there.`
    ),
    ...mute.map(({ name }) =>
      `The server "${name}" did not list its tools as it must: its tools are not there.`
    ),
    ...leftOut("servers are started", limits.maxServers, names.slice(limits.maxServers).join(", ")),
    ...renamed,
    ...leftOut(
      "tools are listed",
      limits.maxTools,
      leftOutTools(facts.filter(({ state }) => state === "left out")),
    ),
    ...mapped.map(({ server, own, name }) =>
      `The tool ${quoted(own)} of the server "${server}" is called ${name}.`
    ),
  ];
}

/** Why a tool that is known cannot be called now, as a clause for the model; undefined: nobody has it. */
export function whyNot(
  tool: string,
  { servers, facts, limits }: Omit<StartedFacts, "specs">,
): string | undefined {
  const state = facts.find(({ name }) => name === tool)?.state;
  if (state === "hidden") return "it is not shown for want of room, find_tool shows it";
  if (state === "switched off") return "it is switched off";
  if (state === "left out") return `it is left out, only ${limits.maxTools} are listed`;
  const gone = ownerOf(tool, servers);
  if (gone === undefined || !isGone(gone.state)) return undefined;
  return `the server "${gone.name}" is ${
    gone.state === "disabled" ? "switched off" : "not running"
  }`;
}

function isGone(state: ServerStatus["state"]): boolean {
  return state === "exhausted" || state === "refused" || state === "disabled";
}

function leftOut(what: string, most: number, names: string): string[] {
  return names === "" ? [] : [`Only ${most} ${what}; left out: ${names}.`];
}

/** A name that its owner chose freely, on one line. */
function quoted(name: string): string {
  return JSON.stringify(plainText(name));
}
