import { runChild, tempFolder } from "../harness.ts";
import { type Child, startSkep, WORK } from "./child.ts";
import type { Measurement } from "./measurement.ts";

const SESSIONS = 200;
const SERVERLESS = `---
name: quiet
display_name: Quiet
description: Has no servers.
---
You are Quiet.
`;

/** What a session costs that nobody uses: while its history is in memory, and while it rests. */
export async function idleSessions(): Promise<Measurement[]> {
  const what = (which: string) => `memory of ${which} session of ${SESSIONS}, no servers`;
  return [
    { what: what("an idle"), value: await each("0"), unit: "MB", reach: 2 },
    { what: what("a resting"), value: await each("1"), unit: "MB", reach: 2 },
  ];
}

async function each(idleS: string): Promise<number> {
  await using folder = await tempFolder();
  const persona = `${folder.path}/quiet.persona.md`;
  await Deno.writeTextFile(persona, SERVERLESS);
  await using agent = startSkep(["acp", "--persona", persona], {
    SKEP_IDLE_SESSION_S: idleS,
    SKEP_STATE_DIR: `${folder.path}/state`,
  });
  await agent.request(1, "initialize", { protocolVersion: 1 });
  for (let id = 2; id < 12; id++) await openAndPrompt(agent, id); // all is loaded then
  const before = await residentMb(agent.pid);
  for (let id = 12; id < 12 + SESSIONS - 10; id++) await openAndPrompt(agent, id);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  return (await residentMb(agent.pid) - before) / (SESSIONS - 10);
}

/** A session with 50 KB in its history. */
async function openAndPrompt(agent: Child, id: number): Promise<void> {
  const params = { cwd: WORK, mcpServers: [] };
  const { sessionId } = await agent.request(2 * id, "session/new", params);
  const prompt = [{ type: "text", text: `/help ${"x".repeat(50_000)}` }];
  await agent.request(2 * id + 1, "session/prompt", { sessionId, prompt });
}

async function residentMb(pid: number): Promise<number> {
  const { stdout } = await runChild("/bin/ps", ["-o", "rss=", "-p", String(pid)], {});
  return Number(stdout.trim()) / 1024;
}
