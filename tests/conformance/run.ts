// deno-lint-ignore-file no-console -- a program whose output people and programs read
// Runs the client scenarios of MCP's own conformance suite against skep, and prints a line for each.
// `deno task conformance`, or with the names of some scenarios. Fetches the suite from npm.
import { fromRepo, tempFolder } from "../harness.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.1.16";

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

async function suite(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", "--no-lock", SUITE, ...args],
    cwd,
    stderr: Deno.args.length > 0 ? "inherit" : "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

async function checksIn(folder: string): Promise<Check[]> {
  const found: Check[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await checksIn(path));
    else if (name === "checks.json") found.push(...JSON.parse(await Deno.readTextFile(path)));
  }
  return found;
}

await using folder = await tempFolder();
const list = await suite(["list"], folder.path);
const all = [...list.slice(list.indexOf("Client scenarios")).matchAll(/^ {2}- (\S+)/gm)]
  .map(([, name]) => name!);
const config = `--config=${fromRepo("deno.json")} --lock=${fromRepo("deno.lock")} --frozen`;
const command = `${Deno.execPath()} run -A ${config} ${fromRepo("tests/conformance/client.ts")}`;
for (const scenario of Deno.args.length > 0 ? Deno.args : all) {
  const out = `${folder.path}/${scenario.replaceAll("/", "-")}`;
  await Deno.mkdir(out);
  const told = ["client", "--command", command, "--scenario", scenario, "--timeout", "180000"];
  const text = await suite([...told, "-o", out], folder.path);
  if (Deno.args.length > 0) console.log(text);
  const checks = await checksIn(out);
  const failed = checks.filter(({ status }) => status === "FAILURE");
  const warned = checks.filter(({ status }) => status === "WARNING");
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const verdict = failed.length > 0 || passed === 0 ? "fails" : "passes";
  const why = [...failed, ...warned].map(({ id, errorMessage = "" }) => ` ${id}: ${errorMessage}`);
  console.log(`${scenario.padEnd(40)} ${verdict} (${passed} checks)${why.join(";")}`);
}
