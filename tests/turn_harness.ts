// What the tests of turns share: the real agent, a fake provider and fake servers around one session.
import { type AcpProcess, startAcp, type WireMessage } from "./acp_process.ts";
import {
  type FakeProvider,
  type FakeReply,
  type FakeRequest,
  startFakeProvider,
} from "./fake_provider.ts";
import type { FakeUsage } from "./fake_provider_sse.ts";
import { fakeServer, serverFile, tempFolder } from "./harness.ts";

/** How a {@linkcode TurnWorld} differs from one with a server `fake` and the provider's replies. */
export interface TurnWorldOptions {
  /** Knobs of the server `fake`, see fixtures/fake_mcp.ts; undefined: there is no such server. */
  readonly knobs?: readonly string[];
  readonly permissions?: Readonly<Record<string, unknown>>;
  /** Further servers, as a server file has them. */
  readonly servers?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly protocolVersion?: number;
  /** Given to `session/new` beside the folder. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** An agent with one session open. */
export interface TurnWorld extends AsyncDisposable {
  readonly acp: AcpProcess;
  readonly provider: FakeProvider;
  readonly sessionId: string;
  readonly folder: string;
  /** Prompts and waits for the turn's end: its stop, or its error. */
  prompt(text: string): Promise<WireMessage>;
  /** The messages that the provider got with its request of that number, from 0. */
  // deno-lint-ignore no-explicit-any -- a test looks into them wherever it likes
  messages(request: number): any[];
}

/** Starts an agent that asks a fake provider, in Chat Completions, and opens a session. */
export async function startTurns(
  replies: readonly FakeReply[] | ((request: FakeRequest, index: number) => FakeReply),
  options: TurnWorldOptions = {},
): Promise<TurnWorld> {
  await using stack = new AsyncDisposableStack(); // for what fails before the end
  const provider = stack.use(startFakeProvider(replies, { hasLists: false }));
  const folder = stack.use(await tempFolder());
  const work = stack.use(await tempFolder());
  const { permissions = {}, knobs } = options;
  const fake = knobs === undefined ? {} : { fake: fakeServer(knobs, { permissions }) };
  const file = await serverFile(folder.path, { ...fake, ...options.servers });
  const model = ["--model", "openai-compatible:llama3:8b"];
  const acp = await startAcp(["--sandbox", "off", ...model, "--mcp", file, ...options.args ?? []], {
    env: { ...provider.env, SKEP_MAX_ROUNDS: "8", ...options.env },
  });
  stack.use(acp.running);
  await acp.request("initialize", { protocolVersion: options.protocolVersion ?? 2 });
  const opened = await acp.request("session/new", {
    cwd: work.path,
    mcpServers: [],
    ...options.params,
  });
  const { sessionId } = opened;
  if (sessionId === undefined) throw new Error(`No session: ${JSON.stringify(opened)}`);
  const owned = stack.move();
  return {
    acp,
    provider,
    sessionId,
    folder: folder.path,
    prompt: (text) => acp.turn(sessionId, text),
    messages: (request) => provider.requests[request]?.body.messages ?? [],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A reply of one text. */
export function says(text: string, usage?: FakeUsage): FakeReply {
  return { parts: [{ text }], ...(usage && { usage }) };
}

/** A reply that asks for one call. */
export function calls(tool: string, input: object = {}, usage?: FakeUsage): FakeReply {
  const parts = [{ call: tool, input: JSON.stringify(input), id: "call_1" }];
  return { parts, ...(usage && { usage }) };
}

/** The id of the run that is active, as the agent advertised it. */
export async function activeRun(acp: AcpProcess, count = 1): Promise<string> {
  const ids = () =>
    acp.updates().flatMap(({ _meta }) =>
      _meta?.goose?.activeRunId ? [_meta.goose.activeRunId] : []
    );
  await acp.running.until(() => ids().length >= count);
  return ids().at(-1);
}

/** The counts of the session, as buzz-agent's clients get them. */
export function totals(acp: AcpProcess): WireMessage[] {
  return acp.messages().filter(({ method }) => method === "_goose/unstable/session/update")
    .map(({ params }) => params.update);
}

/** The text of the answers so far, what is told of servers and models left out. */
export function answered(acp: AcpProcess): string {
  return acp.updates().filter(({ sessionUpdate, messageId }) =>
    sessionUpdate === "agent_message_chunk" && !messageId.startsWith("notice-")
  ).map(({ content }) => content.text).join("");
}
