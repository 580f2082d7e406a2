// deno-lint-ignore-file no-console -- a program whose output people and programs read
// The client of one conformance scenario: skep's command line, as a person would use it, against the server at the
// address that is the last argument. Needs what skep needs.
import { join } from "@std/path";
import { AcpProcess } from "../acp_process.ts";
import { fromRepo, serverFile, skep, startSkep, tempFolder } from "../harness.ts";

/** Logins that a person would try before they give up. */
const MOST_LOGINS = 3;

await using folder = await tempFolder();
const url = Deno.args.at(-1) ?? "";
const context = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
const browser = join(folder.path, "browser");
const deno = `'${Deno.execPath()}' run --no-prompt --no-config --no-lock --allow-net`;
const script = `#!/bin/sh\nexec ${deno} '${fromRepo("tests/fixtures/browser.ts")}' "$1"\n`;
await Deno.writeTextFile(browser, script, { mode: 0o755 });
const file = await serverFile(folder.path, { far: { url } });
const env = {
  SKEP_STATE_DIR: join(folder.path, "state"),
  BROWSER: browser,
  SKEP_LOG: "1",
  CLIENT_SECRET: context.client_secret ?? "",
};
const client = context.client_id === undefined ? [] : ["--client-id", context.client_id];
const secret = context.client_secret === undefined ? [] : ["--client-secret", "env:CLIENT_SECRET"];

let logins = 0;
/** Runs skep, and logs in whenever it says so. */
async function run(...args: string[]): Promise<string> {
  for (;;) {
    const { stdout, stderr } = await skep([...args, "--mcp", file], { env });
    console.error(`$ skep ${args.join(" ")}\n${stderr}${stdout}`);
    if (!/skep mcp login/.test(stderr + stdout) || logins++ >= MOST_LOGINS) return stdout;
    const login = await skep(["mcp", "login", "far", ...client, ...secret, "--mcp", file], { env });
    console.error(`$ skep mcp login far\n${login.stderr}`);
    if (login.code !== 0) Deno.exit(1);
  }
}

/** Calls a tool for a client of the agent that can be asked, and takes what the server suggests for an answer. */
async function callAsked(tool: string): Promise<void> {
  await using running = await startSkep(["acp"], { env });
  const agent = new AcpProcess(running);
  await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { elicitation: { form: {} } },
  });
  const mcpServers = [{ type: "http", name: "far", url, headers: [] }];
  const { sessionId } = await agent.request("session/new", { cwd: folder.path, mcpServers });
  const turn = agent.turn(sessionId, `/${tool}`);
  const question = () => agent.messages().find(({ method }) => method === "elicitation/create");
  await running.until(() => question() !== undefined);
  await agent.reply(question()!.id, { action: "accept", content: {} });
  await turn;
}

const listed = (await run("tools", "--json")).trim().split("\n").filter((line) => line !== "");
for (const line of listed) {
  const { name, inputSchema } = JSON.parse(line);
  if (typeof name !== "string" || !name.startsWith("far__")) continue;
  if (name.includes("elicitation")) {
    await callAsked(name);
    continue;
  }
  const properties: Record<string, { type?: string }> = inputSchema?.properties ?? {};
  const values: Record<string, unknown> = { number: 5, integer: 5, string: "text", boolean: true };
  const args = Object.entries(properties).map(([key, { type = "" }]) => [key, values[type]]);
  await run("call", name, JSON.stringify(Object.fromEntries(args)));
}
