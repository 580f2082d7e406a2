import { explain, type Explanation, type Look } from "../explanation.ts";
import type { Limits } from "../limits.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { nearest } from "../suggest.ts";
import { plainText } from "./plain_text.ts";
import type { ServerStatus, ToolFacts } from "./registry.ts";
import { nameServers } from "./server_names.ts";

/** What is known of the servers and tools of a session. */
export interface RegistryFacts {
  readonly servers: readonly ServerStatus[];
  readonly inventory: readonly ToolFacts[];
  /** What the servers were asked for with, under their owners' names. */
  readonly specs: readonly Pick<ServerSpec, "name" | "origin">[];
  /** Entries that come to no server, and why: the rest of a sentence about it. */
  readonly off: ReadonlyMap<string, string>;
  readonly limits: Pick<Limits, "maxServers" | "maxTools" | "maxToolsBytes">;
  /** The rule that denies every call of a tool, by the model's name for it, in words. */
  readonly denial: (tool: string) => string | undefined;
}

/** A server that was asked for, under its owner's name and the one that it is known by. */
interface Named {
  readonly wanted: string;
  readonly name: string;
  readonly place: number;
}

/**
 * Why what goes by a name is, or is not, in the model's list of tools: a server, a tool by the model's or
 * the server's name for it, or a hook. Each check is one that keeps tools away, in the order in which
 * they do. Several when several go by that name; none when nothing does.
 */
export function whyTool(asked: string, facts: RegistryFacts): readonly Explanation[] {
  const named = namedServers(facts);
  const servers = named.filter(({ wanted, name }) => asked === name || asked === wanted);
  const tools = facts.inventory.filter(({ server, own, name }) =>
    (asked !== "" && asked === name) || asked === own || asked === `${server}__${own}`
  );
  const found = [
    ...servers.map((server) => whyServer(server, facts)),
    ...(facts.off.has(asked) && servers.length === 0 ? [whyOff(asked, asked, facts)] : []),
    ...tools.map((tool) => whyListed(tool, named.find(({ name }) => name === tool.server), facts)),
  ];
  return found.length > 0 ? found : whyUnlisted(asked, named, facts);
}

function namedServers({ specs }: RegistryFacts): readonly Named[] {
  const names = nameServers(specs as ServerSpec[]).map(({ name }) => name);
  return specs.map(({ name: wanted }, place) => ({ wanted, name: names[place] ?? wanted, place }));
}

/** A name that begins as the tools of a server do: why the server has no such tool. */
function whyUnlisted(
  asked: string,
  named: readonly Named[],
  facts: RegistryFacts,
): readonly Explanation[] {
  const [server] = named
    .filter(({ wanted, name }) => [name, wanted].some((each) => asked.startsWith(`${each}__`)))
    .toSorted((a, b) => b.name.length - a.name.length);
  if (server === undefined) {
    const off = [...facts.off.keys()].find((name) => asked.startsWith(`${name}__`));
    return off === undefined ? [] : [whyOff(asked, off, facts)];
  }
  const own = facts.inventory.filter((tool) => tool.server === server.name);
  const near = nearest(asked, own.map(({ name }) => name).filter((name) => name !== ""));
  const listed: Look = {
    what: "tool",
    passed: "",
    fault: `server "${server.name}" lists ${own.length} tools, and none of that name`,
    advice: near === undefined
      ? `skep tools shows what it lists`
      : `did you mean ${near}? skep tools shows what it lists`,
  };
  return [explain("tool", plainText(asked), [...serverLooks(server, facts), listed])];
}

function whyOff(asked: string, server: string, { off }: RegistryFacts): Explanation {
  const kind = asked === server ? "server" : "tool";
  return explain(kind, plainText(asked), [{
    what: "server",
    passed: "",
    fault: `server "${plainText(server)}" ${off.get(server)}`,
    advice: "change that entry",
  }]);
}

function whyServer(server: Named, facts: RegistryFacts): Explanation {
  const own = facts.inventory.filter((tool) => tool.server === server.name);
  const count = (state: ToolFacts["state"]) => own.filter((tool) => tool.state === state).length;
  const parts = [
    `${count("listed")} listed`,
    ...(["hidden", "left out", "switched off", "hook"] as const).flatMap((state) =>
      count(state) === 0 ? [] : [`${count(state)} ${state === "hook" ? "for hooks" : state}`]
    ),
  ];
  const isNoted = count("listed") === 0;
  return explain("server", server.name, [
    ...serverLooks(server, facts),
    { what: "tools", passed: `${parts.join(", ")}; skep tools shows them`, isNoted },
  ]);
}

/** What a server must be for its tools to be there. */
function serverLooks({ wanted, name, place }: Named, facts: RegistryFacts): Look[] {
  const { maxServers } = facts.limits;
  const isOver = place >= maxServers;
  const status = facts.servers.find((server) => server.name === name);
  const isMapped = wanted !== name;
  return [
    {
      what: "server count",
      passed: `server "${name}" is one of at most ${maxServers}`,
      fault: isOver
        ? `server "${name}" is number ${place + 1}, and only ${maxServers} are started`
        : undefined,
      advice: "take servers out that are not needed here, or raise SKEP_MAX_SERVERS",
    },
    {
      what: "server name",
      passed: isMapped
        ? `"${plainText(wanted)}" is known as "${name}"`
        : "it is as its owner wrote it",
      isNoted: isMapped,
    },
    stateLook(name, status),
  ];
}

function stateLook(name: string, status: ServerStatus | undefined): Look {
  const why = status?.reason ?? `is ${status?.state ?? "not there"}`;
  const fault = `server "${name}" ${why}`;
  const what = "server";
  switch (status?.state) {
    case "healthy":
    case "starting":
      return {
        what,
        passed: `server "${name}" is ${status.state}`,
        fault: status.reason && `server "${name}" has no tools: ${status.reason}`,
        advice: "that is a fault of the server: ask whoever makes it",
      };
    case "idle":
      return { what, passed: `server "${name}" is idle: its first call starts it` };
    case "dead":
      return { what, passed: fault, isNoted: true };
    case "refused":
      return {
        what,
        passed: "",
        fault: `server "${name}" is refused: ${status.reason}`,
        advice: `mend what it says; skep audit ${name} shows what it asks for and what it may have`,
      };
    case "disabled":
      return { what, passed: "", fault, advice: "switch it on again, with /mcp in the chat" };
    default:
      return {
        what,
        passed: "",
        fault: `${fault}; it is not started again`,
        advice:
          `mend what it says and start anew; SKEP_LOG=1 shows its stderr, skep audit ${name} its grant`,
      };
  }
}

/** What is looked at of a tool that its server lists. */
function whyListed(
  tool: ToolFacts,
  server: Named | undefined,
  facts: RegistryFacts,
): Explanation {
  const { own, name, state, notes, bytes } = tool;
  const { maxTools, maxToolsBytes } = facts.limits;
  const shown = plainText(own);
  const isHook = state === "hook";
  const isMapped = !isHook && name !== `${tool.server}__${own}`;
  const denial = facts.denial(name);
  return explain(isHook ? "hook" : "tool", isHook ? `${tool.server} ${shown}` : name, [
    ...(server === undefined ? [] : serverLooks(server, facts)),
    {
      what: "name",
      passed: isMapped
        ? `the server's "${shown}" is called ${name}: names are letters, digits, _ and -`
        : "it is as its server wrote it",
      isNoted: isMapped,
    },
    {
      what: "hook",
      passed: "it is none",
      fault: isHook
        ? `"${shown}" starts with "_": it is for skep, and no model sees it`
        : undefined,
      advice: `SKEP_HOOK_SERVERS=${tool.server} has its hooks called; a tool needs another name`,
    },
    {
      what: "schema",
      passed: notes.length === 0 ? "it is as its server wrote it" : notes.join("; "),
      isNoted: notes.length > 0,
    },
    {
      what: "switch",
      passed: "its server's entry leaves it on",
      fault: state === "switched off"
        ? `the entry of server "${tool.server}" does not let it be listed`
        : undefined,
      advice: `take "${shown}" out of disabled_tools, or into enabled_tools, of that entry`,
    },
    {
      what: "tool count",
      passed: `it is one of at most ${maxTools} tools`,
      fault: state === "left out"
        ? `only ${maxTools} tools are listed, and it comes later`
        : undefined,
      advice: "switch tools off that are not needed, or raise SKEP_MAX_TOOLS",
    },
    {
      what: "room",
      passed: `its ${bytes} bytes fit into the ${maxToolsBytes} that all tools may take`,
      fault: state === "hidden"
        ? `the tools take more than ${maxToolsBytes} bytes, so it is not shown until find_tool finds it`
        : undefined,
      advice: "switch tools off that are not needed, or raise SKEP_MAX_TOOLS_BYTES",
    },
    {
      what: "rules",
      passed: "none denies its calls",
      ...(denial === undefined
        ? {}
        : { passed: `it is listed, and its calls are denied: ${denial}` }),
      isNoted: denial !== undefined,
    },
  ]);
}
