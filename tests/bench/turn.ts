import { startFakeProvider } from "../fake_provider.ts";
import { alive, descendants, fakeServer, PATIENCE_MS, runChild, serverFile } from "../harness.ts";
import { type Child, ELSEWHERE, startSkep, WORK } from "./child.ts";
import { type Measurement, median } from "./measurement.ts";

/** Rounds of the long turn: its cost per round is compared at its beginning and its end. */
const ROUNDS = 1000;
const SESSIONS = 8;
const CANCELS = 5;
const RUNS = 3;

/** What turns cost when model and tools take no time, and how soon a cancel has ended everything. */
export async function turn(): Promise<Measurement[]> {
  return [...await longTurn(), ...await parallelTurns(), ...await cancels()];
}

async function openAgent(model: string): Promise<Child> {
  const file = await serverFile(ELSEWHERE, { fake: fakeServer() });
  const agent = startSkep(["acp", "--model", model, "--mcp", file, "--sandbox", "off"]);
  await agent.request(1, "initialize", { protocolVersion: 1 });
  return agent;
}

async function openSession(agent: Child, id: number): Promise<string> {
  const { sessionId } = await agent.request(id, "session/new", { cwd: WORK, mcpServers: [] });
  return sessionId as string;
}

async function startTurn(agent: Child, sessionId: string, id: number): Promise<void> {
  const prompt = [{ type: "text", text: "go" }];
  const params = { sessionId, prompt };
  await agent.send({ jsonrpc: "2.0", id, method: "session/prompt", params });
}

/** A script in which every reply but the last asks for one call. */
async function writeScript(rounds: number): Promise<string> {
  const path = `${ELSEWHERE}/turn.yaml`;
  const reply = "  - parts:\n      - call: fake__echo\n        input: { text: hello }\n";
  await Deno.writeTextFile(path, `replies:\n${reply.repeat(rounds)}  - Done.\n`);
  return `script:${path}`;
}

function isCall({ params }: { params?: unknown }): boolean {
  const { update } = (params ?? {}) as { update?: { sessionUpdate: string } };
  return update?.sessionUpdate === "tool_call";
}

async function longTurn(): Promise<Measurement[]> {
  await using agent = await openAgent(await writeScript(ROUNDS));
  await startTurn(agent, await openSession(agent, 2), 3);
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await agent.message(isCall);
    starts.push(performance.now());
  }
  await agent.message(({ id }) => id === 3);
  const early = calm(starts, 10); // the first rounds warm the program up
  const late = calm(starts, ROUNDS - 300);
  return [{
    what: `a round up to round ${ROUNDS}`,
    value: late,
    unit: "ms",
    base: { what: "from round 10 on", value: early },
    reach: 1.2,
  }];
}

/**
 * A round's mean in the best hundred of the three from that round on: the machine does other things too, and
 * what it wrote meanwhile is read in one go, so that a single round tells nothing.
 */
function calm(starts: readonly number[], from: number): number {
  const hundreds = [0, 100, 200].map((at) => (starts[from + at + 99]! - starts[from + at]!) / 99);
  return Math.min(...hundreds);
}

async function parallelTurns(): Promise<Measurement[]> {
  const rounds = 30;
  const time = async (sessions: number): Promise<number> => {
    // A script plays its replies to whoever asks; a provider sees how far each session is.
    await using provider = startFakeProvider((request) => {
      const { messages = [] } = request.body; // a request for the list of models has none
      const asked = messages.filter(({ role }: { role: string }) => role === "tool");
      if (asked.length >= rounds) return { parts: [{ text: "Done." }] };
      const id = `call_${asked.length}`;
      return { parts: [{ call: "fake__echo", input: '{"text":"hello"}', id }] };
    });
    const file = await serverFile(ELSEWHERE, { fake: fakeServer() });
    const args = ["acp", "--model", "openai-compatible:x", "--mcp", file, "--sandbox", "off"];
    await using agent = startSkep(args, provider.env);
    await agent.request(1, "initialize", { protocolVersion: 1 });
    const ids: string[] = [];
    for (let at = 0; at < sessions; at++) ids.push(await openSession(agent, 10 + at));
    const start = performance.now();
    for (const [at, sessionId] of ids.entries()) await startTurn(agent, sessionId, 100 + at);
    for (let open = sessions; open > 0; open--) await agent.message(({ id }) => Number(id) >= 100);
    return (performance.now() - start) / (sessions * rounds);
  };
  const [alone, together]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) { // by turns: what else the machine does falls on both
    alone.push(await time(1));
    together.push(await time(SESSIONS));
  }
  return [{
    what: `a round over HTTP, ${SESSIONS} sessions at once`,
    value: median(together),
    unit: "ms",
    base: { what: "one session", value: median(alone) },
    reach: 1.2,
  }];
}

async function cancels(): Promise<Measurement[]> {
  const times: number[] = [];
  await using agent = await openAgent("offline");
  const sessionId = await openSession(agent, 2);
  for (let run = 0; run < CANCELS; run++) {
    const id = 100 + run;
    const text = '/dev__shell command="sleep 7777 & sleep 7777"';
    const params = { sessionId, prompt: [{ type: "text", text }] };
    await agent.send({ jsonrpc: "2.0", id, method: "session/prompt", params });
    let started: number[] = [];
    await until("both programs of the call run", async () => {
      started = await sleepers(agent.pid);
      return started.length === 2;
    });
    const start = performance.now();
    await agent.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
    await until("both programs are gone", async () => (await alive(started)).length === 0);
    times.push(performance.now() - start);
    await agent.message((message) => message.id === id);
  }
  return [{ what: "cancel to last process gone", value: median(times), unit: "ms", reach: 1000 }];
}

/**
 * The programs that a call runs, by their command: the server itself, which may start with the call, and
 * the shell that it keeps ready for the next one live on.
 */
async function sleepers(pid: number): Promise<number[]> {
  const { stdout } = await runChild("/bin/ps", ["-e", "-o", "pid=,args="], {});
  const below = await descendants(pid);
  return stdout.split("\n").map((line) => line.trim().split(/\s+/))
    .filter(([, ...args]) => args.join(" ") === "sleep 7777")
    .map(([id]) => Number(id)).filter((id) => below.includes(id));
}

/** Looks until it holds. @throws when it does not within {@linkcode PATIENCE_MS}: a bench never hangs. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!await holds()) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`Waited in vain until ${what}`);
    await new Promise((wake) => setTimeout(wake, 5));
  }
}
