// What the pack commands refuse, told as what it is.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { skep, startSkep } from "./harness.ts";
import { AcpProcess } from "./acp_process.ts";
import { folderWith, packOf, PERSONA } from "./packs.ts";

Deno.test({
  name: "skep pack init in /proc was told as a defect of skep, with advice about Deno's flags",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const [init, chat] = await Promise.all([
      skep(["pack", "init", "/proc/xyz"]),
      skep(["chat", "--model", "offline", "--persona", "/proc/self/environ", "-p", "/help"]),
    ]);
    assertEquals([init.code, chat.code], [1, 1]);
    assertStringIncludes(init.stderr, "Cannot make a pack in /proc/xyz: ");
    assertStringIncludes(chat.stderr, "Cannot use /proc/self/environ: ");
    for (const { stderr } of [init, chat]) {
      assertEquals(/defect|--allow/.test(stderr), false, stderr);
    }
  },
});

Deno.test("validate echoed a literal secret, and took an empty keyword", async () => {
  await using pack = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace(
      "description: d",
      'description: d\nsecrets: { T: sk-very-literal }\ntriggers: { keywords: ["bee", ""] }',
    ),
  });
  const { code, stdout } = await skep(["pack", "validate", pack.path]);
  assertEquals([code, stdout.includes("sk-very")], [1, false]);
  assertStringIncludes(stdout, '"secrets.T" must be env:NAME or file:/path, not a text of 15');
  assertStringIncludes(stdout, '"" in "keywords" is no keyword');
});

Deno.test("call said of load_skill that there is no such tool, though skep tools lists it", async () => {
  const { code, stderr } = await skep(["call", "load_skill"]);
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    'Cannot call "load_skill": it is skep\'s own, and works in a session',
  );
});

Deno.test("ACP was given a picture of the pack's as a path that means nothing to a client", async () => {
  await using pack = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace("description: d", "description: d\navatar: a b.png"),
    "a b.png": "x",
  });
  await using running = await startSkep(["acp", "--persona", pack.path]);
  const reply = await new AcpProcess(running).request("initialize", { protocolVersion: 1 });
  assertStringIncludes(JSON.stringify(reply), `"avatar":"file://${pack.path}/a%20b.png"`);
});

Deno.test("what stands beside the servers of a pack's .mcp.json was dropped without a word", async () => {
  await using pack = await folderWith({
    ...packOf(),
    ".mcp.json": '{ "$schema": "s",\n  "mcpServers": {},\n  "mcpServer": { "x": {} } }',
  });
  const { code, stdout } = await skep(["pack", "validate", pack.path]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, '.mcp.json:3:3: warning: "mcpServer" is not used');
  assertEquals(stdout.includes("$schema"), false);
});
