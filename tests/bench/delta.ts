import { startFakeProvider } from "../fake_provider.ts";
import { startSkep, WORK } from "./child.ts";
import { type Measurement, median } from "./measurement.ts";

const DELTAS = 60;
/** Small updates of one reply, as fast as they come. */
const UPDATES = 10_000;

/** What it costs a client that the model's words come by way of us, through the whole program. */
export async function delta(): Promise<Measurement[]> {
  return [...await oneByOne(), ...await manyAtOnce()];
}

/** From the prompt to the end of a reply in many small deltas. */
async function manyAtOnce(): Promise<Measurement[]> {
  const lines = Array.from({ length: UPDATES }, (_, at) => {
    const choices = [{ index: 0, delta: { content: `word${at} ` } }];
    return `data: ${JSON.stringify({ id: "c", choices })}\n\n`;
  });
  await using provider = startFakeProvider(() => ({ parts: lines.map((raw) => ({ raw })) }));
  await using agent = startSkep(["acp", "--model", "openai-compatible:x"], provider.env);
  await agent.request(1, "initialize", { protocolVersion: 1 });
  const { sessionId } = await agent.request(2, "session/new", { cwd: WORK, mcpServers: [] });
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const prompt = [{ type: "text", text: "go" }];
    const start = performance.now();
    const params = { sessionId, prompt };
    await agent.send({ jsonrpc: "2.0", id: 10 + run, method: "session/prompt", params });
    let updates = 0;
    await agent.message(({ id, params }) => {
      const { update } = (params ?? {}) as { update?: unknown };
      if (JSON.stringify(update ?? "").includes(`:"word${updates} `)) updates++;
      return id === 10 + run;
    });
    if (updates !== UPDATES) throw new Error(`${updates} updates came, not ${UPDATES}`);
    times.push(performance.now() - start);
  }
  return [{
    what: `${UPDATES} small updates of a reply`,
    value: median(times),
    unit: "ms",
  }];
}

/** From a delta's bytes, as a provider writes them, to the client's update. */
async function oneByOne(): Promise<Measurement[]> {
  const sentMs: number[] = [];
  // Each is made when the server has waited, just before it writes it.
  const parts = Array.from({ length: DELTAS }, (_, at) => [
    { waitMs: 10 },
    {
      get raw() {
        sentMs[at] = performance.now();
        const choices = [{ index: 0, delta: { content: `word${at} ` } }];
        return `data: ${JSON.stringify({ id: "c", choices })}\n\n`;
      },
    },
  ]).flat();
  await using provider = startFakeProvider(() => ({ parts }));
  await using agent = startSkep(["acp", "--model", "openai-compatible:x"], provider.env);
  await agent.request(1, "initialize", { protocolVersion: 1 });
  const { sessionId } = await agent.request(2, "session/new", { cwd: WORK, mcpServers: [] });
  const prompt = [{ type: "text", text: "go" }];
  const params = { sessionId, prompt };
  await agent.send({ jsonrpc: "2.0", id: 3, method: "session/prompt", params });
  const times: number[] = [];
  for (let at = 0; at < DELTAS; at++) {
    await agent.message(({ params }) => JSON.stringify(params ?? "").includes(`word${at} `));
    times.push(performance.now() - sentMs[at]!);
  }
  await agent.message(({ id }) => id === 3);
  return [{ what: "delta to client's update", value: median(times), unit: "ms", reach: 10 }];
}
