import { startFakeProvider } from "../fake_provider.ts";
import { alive, descendants, fakeServer, serverFile } from "../harness.ts";
import { type Child, ELSEWHERE, startSkep, WORK } from "./child.ts";
import { type Measurement, median } from "./measurement.ts";

/** Rounds of the long turn: its cost per round is compared at its beginning and its end. */
const ROUNDS = 1000;
const SESSIONS = 8;
const CANCELS = 5;

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
  const times = starts.slice(1).map((at, index) => at - starts[index]!);
  const early = median(times.slice(10, 110)); // the first rounds warm the program up
  const late = median(times.slice(-100));
  return [{
    what: `a round at round ${ROUNDS}`,
    value: late,
    unit: "ms",
    base: { what: "at round 10 to 110", value: early },
    reach: 1.2,
  }];
}

async function parallelTurns(): Promise<Measurement[]> {
  const rounds = 100;
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
  const one = await time(1);
  return [{
    what: `a round over HTTP, ${SESSIONS} sessions at once`,
    value: await time(SESSIONS),
    unit: "ms",
    base: { what: "one session", value: one },
    reach: 1.2,
  }];
}

async function cancels(): Promise<Measurement[]> {
  const times: number[] = [];
  await using agent = await openAgent("offline");
  const sessionId = await openSession(agent, 2);
  const before = new Set(await descendants(agent.pid));
  for (let run = 0; run < CANCELS; run++) {
    const prompt = [{ type: "text", text: '/dev__shell command="sleep 7777"' }];
    const id = 100 + run;
    await agent.send({
      jsonrpc: "2.0",
      id,
      method: "session/prompt",
      params: { sessionId, prompt },
    });
    let started: number[] = [];
    while (started.length === 0) {
      started = (await descendants(agent.pid)).filter((pid) => !before.has(pid));
    }
    const start = performance.now();
    await agent.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
    while ((await alive(started)).length > 0) await new Promise((wake) => setTimeout(wake, 5));
    times.push(performance.now() - start);
    await agent.message((message) => message.id === id);
  }
  return [{ what: "cancel to last process gone", value: median(times), unit: "ms", reach: 1000 }];
}
