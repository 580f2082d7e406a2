// No command that shows or records what a server asks for has the value of a secret in it.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { serverFile, skep, tempFolder } from "./harness.ts";
import { folderWith, packOf, PERSONA } from "./packs.ts";

const RUNTIME = "plain-words-of-a-key";
const LITERAL = "ghp_0123456789abcdefghij";
const HIDDEN = [RUNTIME, LITERAL, "xyz-short", "dXNlcjpwYXNz", "pw-in-url"];

const SERVER = {
  command: "bash",
  args: [
    "-c",
    "sleep 9",
    "https://h.example/${GH}/x",
    `--api-key=${LITERAL}`,
    "--token",
    "xyz-short",
  ],
  env: {
    TOKEN: "${GH}",
    HDR: "Bearer ${GH}",
    PLACE: "https://h.example/${GH}/x",
    OTHER: `see Bearer ${LITERAL}`,
    AUTHORIZATION: "Bearer xyz-short",
    LOGIN: "Basic dXNlcjpwYXNz",
    DB: "postgres://u:pw-in-url@h.example/db",
    MODE: "plain",
  },
};

Deno.test("audit showed a secret that is a part of a longer text, as in Bearer ${GH}", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, { s: SERVER });
  const env = { GH: RUNTIME, SKEP_INTERPOLATE: "GH" };
  const args = ["audit", "--mcp", file, "--persona", "guide", "s", "--sandbox", "off"];
  for (const more of [[], ["--json"]]) {
    const { code, stdout, stderr } = await skep([...args, ...more], { env });
    assertEquals(code, 0, stderr);
    for (const secret of HIDDEN) assertEquals(stdout.includes(secret), false, secret);
    assertStringIncludes(stdout, "plain");
    assertStringIncludes(stdout, "Bearer [secret");
  }
});

Deno.test("pack inspect, grants.lock and acceptances have no secret of a command line", async () => {
  await using pack = await folderWith({
    ...packOf(),
    ".mcp.json": JSON.stringify({
      mcpServers: { s: { ...SERVER, args: [...SERVER.args, "https://u:pw-in-url@h.example"] } },
    }),
    "agents/a.persona.md": PERSONA,
  });
  await using state = await tempFolder();
  const env = { GH: RUNTIME, SKEP_INTERPOLATE: "GH", SKEP_STATE_DIR: state.path };
  const texts: string[] = [];
  for (const more of [[], ["--json"]]) {
    texts.push((await skep(["pack", "inspect", pack.path, ...more], { env })).stdout);
  }
  const on = (flag: string) => skep(["audit", flag, "--persona", pack.path], { env });
  assertEquals((await on("--write")).code, 0);
  texts.push(await Deno.readTextFile(`${pack.path}/grants.lock`));
  const accepting = await on("--accept");
  assertEquals(accepting.code, 0, accepting.stderr);
  texts.push(accepting.stdout);
  for await (const { name } of Deno.readDir(`${state.path}/accepted`)) {
    texts.push(await Deno.readTextFile(`${state.path}/accepted/${name}`));
  }
  assertEquals(texts.length, 5);
  for (const text of texts) {
    assertStringIncludes(text, "[secret");
    for (const secret of HIDDEN) assertEquals(text.includes(secret), false, `${secret}: ${text}`);
  }
  // Another key is another command, though both are masked.
  const { stdout } = await skep(["audit", "--persona", pack.path, "--json"], { env });
  assertEquals(JSON.parse(stdout).acceptance, "accepted");
  const other = (await Deno.readTextFile(`${pack.path}/.mcp.json`)).replaceAll(
    "xyz-short",
    "abc-short",
  );
  await Deno.writeTextFile(`${pack.path}/.mcp.json`, other);
  const after = await skep(["audit", "--persona", pack.path, "--json"], { env });
  assertEquals(JSON.parse(after.stdout).acceptance, "widened");
});
