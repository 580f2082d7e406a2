import { messageOf } from "../errors.ts";
import type { ServerStatus } from "../mcp/registry.ts";
import type { SessionServers } from "../session/session_servers.ts";

const USAGE = `  /mcp                          the servers and how they are
  /mcp add NAME COMMAND ARGS…   start one more, for this conversation
  /mcp remove|off|on NAME       forget a server; stop it; start it anew
  /mcp reload                   take over what changed on disk
`;

/** What `/mcp` stands on: a line of output, and a question whose answer is a line, undefined for none. */
export interface ServerTalk {
  /** Gives up what is being started. */
  readonly signal: AbortSignal;
  print(text: string): Promise<void>;
  ask(question: string): Promise<string | undefined>;
}

/**
 * The line `/mcp …` of a conversation. A server that would get more than it had is asked about. Failures are
 * told, and leave the servers as they are.
 *
 * @returns false when the line is something else.
 */
export async function chatServers(
  line: string,
  mcp: SessionServers,
  talk: ServerTalk,
): Promise<boolean> {
  const [slash, action, name = "", command, ...args] = line.trim().split(/\s+/);
  if (slash !== "/mcp") return false;
  const show = (status: ServerStatus) => talk.print(inWords(status));
  try {
    if (action === undefined) {
      for (const status of mcp.list()) await show(status);
      if (mcp.list().length === 0) await talk.print("There is no server.\n");
    } else if (action === "reload") await reload(mcp, talk);
    else if (action === "add" && command !== undefined) {
      const origin = { kind: "flag", where: "/mcp add" } as const;
      await show(await mcp.add({ name, command, args, env: {}, origin }, talk.signal));
    } else if (action === "remove" && name !== "") {
      await mcp.remove(name);
      await talk.print(`${name} is removed\n`);
    } else if (action === "off" && name !== "") await show(await mcp.disable(name));
    else if (action === "on" && name !== "") {
      await show(await mcp.restart(name, talk.signal));
    } else await talk.print(USAGE);
  } catch (error) {
    await talk.print(`${messageOf(error)}\n`);
  }
  return true;
}

async function reload(mcp: SessionServers, talk: ServerTalk): Promise<void> {
  const first = await mcp.reload([], talk.signal);
  const accepted: string[] = [];
  for (const { server, more } of first.widened) {
    const wants = more.map((each) => `  ${each}\n`).join("");
    await talk.print(`${server} would get what it did not have:\n${wants}`);
    const answer = await talk.ask(`Give it to ${server}? [y/N] `);
    if (/^y(es)?$/i.test(answer?.trim() ?? "")) accepted.push(server);
  }
  const second = accepted.length === 0 ? undefined : await mcp.reload(accepted, talk.signal);
  const all = (list: "added" | "changed" | "removed") => [...first[list], ...second?.[list] ?? []];
  const lines = first.text ? ["The model is told the new text of the persona from now on\n"] : [];
  lines.push(
    ...(["added", "changed", "removed"] as const).flatMap((list) =>
      all(list).length === 0 ? [] : [`${list}: ${all(list).join(", ")}\n`]
    ),
  );
  const refused = (second ?? first).refused;
  lines.push(...refused.map(({ server, reason }) => `${server} stays as it is: ${reason}\n`));
  await talk.print(lines.length === 0 ? "Nothing is changed\n" : lines.join(""));
}

function inWords({ name, state, reason, tools }: ServerStatus): string {
  const more = reason === undefined ? "" : `: ${reason}`;
  return `${name} is ${state}, ${tools.length} tools${more}\n`;
}
