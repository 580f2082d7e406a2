// The dev server in the hands of MCP's own inspector, which npx fetches once.
import { assertEquals } from "@std/assert";
import { childEnv, fromRepo, runChild, tempFolder } from "./harness.ts";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const FETCH_MS = 180_000;

/** The inspector's program, fetched where npm does not have it yet; else why there is none. */
async function findInspector(): Promise<{ program: string } | { problem: string }> {
  const line = ["--yes", "--package", INSPECTOR, "--", "sh", "-c", "command -v mcp-inspector"];
  for (const where of ["--offline", "--prefer-offline"]) {
    const npx = new Deno.Command("npx", {
      args: [where, ...line],
      signal: AbortSignal.timeout(FETCH_MS),
      stdin: "null",
    });
    const ended = await npx.output().catch((error) => error);
    if (ended instanceof Error) return { problem: ended.message };
    if (ended.success) return { program: new TextDecoder().decode(ended.stdout).trim() };
  }
  return { problem: "npx cannot fetch it" };
}

const found = await findInspector();

async function inspector(args: readonly string[], cwd: string): Promise<string> {
  if ("problem" in found) return found.problem;
  const options = { cwd, env: childEnv(cwd) };
  const { stdout, stderr, code } = await runChild(found.program, ["--cli", ...args], options);
  assertEquals(code, 0, stderr);
  return stdout;
}

Deno.test({
  name: `MCP's inspector lists the tools and calls each of them${
    "problem" in found ? ` (${found.problem})` : ""
  }`,
  ignore: "problem" in found,
  fn: async () => {
    await using folder = await tempFolder();
    const { path } = folder;
    await Deno.writeTextFile(`${path}/a.txt`, "one\n");
    await Deno.writeFile(
      `${path}/a.gif`,
      Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
    );
    const args = [
      ...["run", "--no-prompt", "--no-remote", "--cached-only", "--ignore-env"],
      ...[`--config=${fromRepo("deno.json")}`, `--lock=${fromRepo("deno.lock")}`, "--frozen"],
      ...["--allow-read=.", "--allow-write=.", "--allow-run=/usr/bin/bash,/bin/bash"],
      ...[fromRepo("tools/dev/main.ts"), "--unconfined"],
    ];
    const { DENO_DIR = "" } = childEnv(path); // the inspector passes a few variables on, not this
    const servers = { mcpServers: { dev: { command: Deno.execPath(), args, env: { DENO_DIR } } } };
    await Deno.writeTextFile(`${path}/mcp.json`, JSON.stringify(servers));
    const inspect = (method: string, ...more: string[]) =>
      inspector(["--config", "mcp.json", "--server", "dev", "--method", method, ...more], path);
    const { tools } = JSON.parse(await inspect("tools/list"));
    const calls: Record<string, string> = {
      read_file: "path=a.txt",
      write_file: "path=b.txt content=x",
      str_replace: "path=a.txt old_str=one new_str=two",
      view_image: "source=a.gif",
      todo: "",
      shell: "command=pwd",
      shell_job: "",
      rg: "pattern=two",
      tree: "path=.",
    };
    assertEquals(tools.map(({ name }: { name: string }) => name), Object.keys(calls));
    // Each call is a server of its own, so there is no job to look after.
    const results = await Promise.all(
      Object.entries(calls).filter(([name]) => name !== "shell_job").map(async ([name, words]) => {
        const given = words.split(" ").filter((word) => word !== "")
          .flatMap((word) => ["--tool-arg", word]);
        const result = await inspect("tools/call", "--tool-name", name, ...given);
        return [name, JSON.parse(result).isError];
      }),
    );
    assertEquals(results.filter(([, isError]) => isError !== false), []);
  },
});
