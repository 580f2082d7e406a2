import { runChild } from "../harness.ts";
import { bareDeno, benchEnv, Child, ELSEWHERE, startSkep, WORK } from "./child.ts";
import type { Measurement } from "./measurement.ts";

/** The most memory that the agent itself holds, over a session and a turn; servers not counted. */
export async function memory(): Promise<Measurement[]> {
  const base = { what: "deno run of nothing", value: await bareMemory() };
  return [{ what: "memory of skep acp in a turn", value: await agentMemory(), unit: "MB", base }];
}

async function agentMemory(): Promise<number> {
  await using agent = startSkep(["acp", "--sandbox", "off"]);
  let peak = 0;
  const look = async () => peak = Math.max(peak, await residentMb(agent.pid));
  await agent.request(1, "initialize", { protocolVersion: 1 });
  await look();
  const params = { cwd: WORK, mcpServers: [] };
  const { sessionId } = await agent.request(2, "session/new", params);
  await look();
  const prompt = [{ type: "text", text: "/dev__read_file path=." }];
  for (let turn = 0; turn < 20; turn++) {
    await agent.request(3 + turn, "session/prompt", { sessionId, prompt });
    await look();
  }
  return peak;
}

async function bareMemory(): Promise<number> {
  await bareDeno(); // makes the file
  const waiting = `${ELSEWHERE}/waiting.ts`;
  await Deno.writeTextFile(waiting, "for await (const _ of Deno.stdin.readable);");
  await using child = new Child(Deno.execPath(), ["run", waiting], WORK, benchEnv());
  await new Promise((resolve) => setTimeout(resolve, 200));
  return await residentMb(child.pid);
}

async function residentMb(pid: number): Promise<number> {
  const { stdout } = await runChild("/bin/ps", ["-o", "rss=", "-p", String(pid)], {});
  return Number(stdout.trim()) / 1024;
}
