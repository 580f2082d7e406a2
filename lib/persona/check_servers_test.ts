import { assertEquals } from "@std/assert";
import { folderWith, packOf, PERSONA, told } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { checkServers } from "./check_servers.ts";
import { loadPack } from "./pack.ts";

/** What is told of a pack of these files. */
async function check(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using folder = await folderWith({ ...packOf(), ...files });
  const { pack, problems } = await loadPack(folder.path, denoFiles(), DEFAULT_LIMITS);
  checkServers(pack, problems, { os: "linux", env: () => undefined, allowed: [] });
  return told(problems, folder.path);
}

const persona = (frontmatter: string) => ({
  "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${frontmatter}`),
});
const AT = "PACK/agents/a.persona.md";

Deno.test("names that are none of a variable, and entries that nobody can be granted, were valid", async () => {
  const text = `permissions: { run: ["*"] }
hooks:
  on_stop:
    script: ./x.ts
    permissions:
      sys: [hostnaem]
mcp_servers:
  - { name: off, command: x, enabled: false }
  - name: s
    command: x
    env:
      GOOD: "1"
      "BAD NAME": "1"
    permissions:
      read: ["\${WORKSPACE}", relative]
      net: ["\${REGISTRIES}", "https://a.example/"]
      env: ["A=B"]`;
  const mcp = '{"mcpServers": {\n"t": {"command": "x",\n"env": {"C=": "1"}}}}';
  assertEquals(await check({ ...persona(text), ".mcp.json": mcp, "x.ts": "" }), [
    'error PACK/.mcp.json:3:9: Cannot grant env "C=" to server "t": it is no name of a variable',
    `error ${AT}:19:7: Cannot grant read "relative" to server "s": a path is absolute, or starts with a variable such as \${WORKSPACE}`,
    `error ${AT}:20:7: Cannot grant net "https://a.example/" to server "s": write host or host:port, not a URL or range`,
    `error ${AT}:21:7: Cannot grant env "A=B" to server "s": it is no name of a variable`,
    `error ${AT}:17:7: Cannot grant env "BAD NAME" to server "s": it is no name of a variable`,
    `error ${AT}:5:1: Cannot grant run "*" to server "persona": programs are named one by one, or by their path`,
    `error ${AT}:10:7: Cannot grant sys "hostnaem" to server "hook on_stop": Deno knows no such fact; did you mean hostname?`,
  ]);
});

Deno.test("checkServers() warns of a variable that stands for nothing, once", async () => {
  const mcp = '{"mcpServers": {\n"t": {"command": "x", "args": ["${NOPE}", "${A}"]}}}';
  const why = "name it in the persona's env or secrets, or in SKEP_INTERPOLATE=NOPE; " +
    "write $${NOPE} for the text itself";
  assertEquals(await check({ ...persona("env: { A: x }"), ".mcp.json": mcp }), [
    `warning PACK/.mcp.json:2:32: Cannot start server "t": \${NOPE} in its args stands for nothing: ${why}`,
  ]);
  assertEquals(await check({ ...persona("env: { A: x, NOPE: y }"), ".mcp.json": mcp }), []);
});

Deno.test("a secret inside a longer text was valid, though no server starts with it", async () => {
  const text = `secrets:
  TOK: env:TOK
mcp_servers:
  - name: s
    command: x
    args:
      - a
      - pre-\${TOK}
    env:
      KEY: \${TOK:-none}
      GOOD: \${TOK}
      FAR: \${ANTHROPIC_API_KEY}`;
  const cannot = `Cannot start server "s":`;
  assertEquals(await check(persona(text)), [
    `error ${AT}:12:9: ${cannot} \${TOK} in its args stands for nothing: a secret must be the whole value of a variable`,
    `error ${AT}:14:7: ${cannot} \${TOK:-none} in its env.KEY stands for nothing: a secret takes no default`,
    `error ${AT}:16:7: ${cannot} \${ANTHROPIC_API_KEY} in its env.FAR stands for nothing: name it in the persona's env or secrets, or in SKEP_INTERPOLATE=ANTHROPIC_API_KEY; write $\${ANTHROPIC_API_KEY} for the text itself`,
  ]);
});
