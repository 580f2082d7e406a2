import { fakeServer, serverFile } from "../harness.ts";
import { ELSEWHERE, startSkep, WORK } from "./child.ts";
import { type Measurement, median } from "./measurement.ts";

const ROUNDS = 200;

/** What a round costs when model and tool take no time: from one call's announcement to the next one's. */
export async function rounds(): Promise<Measurement[]> {
  const script = `${ELSEWHERE}/rounds.yaml`;
  const reply = "  - parts:\n      - call: fake__echo\n        input: { text: hello }\n";
  await Deno.writeTextFile(script, `replies:\n${reply.repeat(ROUNDS)}  - Done.\n`);
  const file = await serverFile(ELSEWHERE, { fake: fakeServer() });
  const args = ["acp", "--model", `script:${script}`, "--mcp", file, "--sandbox", "off"];
  await using agent = startSkep(args);
  await agent.request(1, "initialize", { protocolVersion: 1 });
  const params = { cwd: WORK, mcpServers: [] };
  const { sessionId } = await agent.request(2, "session/new", params);
  const prompt = [{ type: "text", text: "go" }];
  await agent.send({
    jsonrpc: "2.0",
    id: 3,
    method: "session/prompt",
    params: { sessionId, prompt },
  });
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await agent.message(({ params }) =>
      (params as { update?: { sessionUpdate: string } })?.update?.sessionUpdate === "tool_call"
    );
    starts.push(performance.now());
  }
  await agent.message(({ id }) => id === 3);
  const times = starts.slice(1).map((at, index) => at - starts[index]!);
  return [{ what: "one round with one call", value: median(times), unit: "ms", reach: 5 }];
}
