import { assertEquals } from "@std/assert";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { readLonePersona, readPack } from "./pack.ts";
import { folderWith, MANIFEST, packOf, PERSONA, skillText, told } from "../../tests/packs.ts";

/** All that is wrong with a pack of these files. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using folder = await folderWith(files);
  const { problems } = await readPack(folder.path, denoFiles(), DEFAULT_LIMITS);
  return told(problems, folder.path).toSorted(byKind);
}

const AT = "PACK/agents/a.persona.md";

Deno.test("readPack() finds nothing wrong with a pack that is right", async () => {
  assertEquals(await problemsOf(packOf()), []);
});

Deno.test("readPack() tells of a hook that cannot run, a second server of one name and a relative secret", async () => {
  const text = PERSONA.replace(
    "description: d",
    "description: d\nsecrets: { S: 'file:key' }\nhooks: { on_start: hooks/a.sh, on_stop: hooks/b.ts }\n" +
      "mcp_servers:\n  - { name: u, command: a }\n  - { name: u, command: b }\n" +
      "  - { name: u, command: c, enabled: false }",
  );
  const hooks = { "hooks/a.sh": "#!/bin/sh", "hooks/b.ts": "" };
  assertEquals(
    await problemsOf({ ...packOf(), ...hooks, "agents/a.persona.md": text }),
    [
      `error ${AT}:5:1: "secrets.S" must be env:NAME or file:/path, not a text of 8 characters, which is not shown here`,
      `error ${AT}:9:5: there is a server "u" already: one would hide the other`,
      "error PACK/hooks/a.sh: it is a hook, and no program: chmod +x it, or write it in TypeScript or JavaScript",
    ].toSorted(byKind),
  );
});

Deno.test("a hook without a script, and one that asks to run unconfined, were valid and did nothing of it", async () => {
  const text = PERSONA.replace(
    "description: d",
    "description: d\nhooks:\n  on_start: ''\n  on_stop:\n    script: b.ts\n" +
      "    permissions:\n      sandbox: prefer",
  );
  const files = { ...packOf(), "b.ts": "", "agents/a.persona.md": text };
  assertEquals(
    await problemsOf(files),
    [
      `error ${AT}:10:7: a hook runs only where it is confined: leave out sandbox: prefer`,
      `error ${AT}:6:3: the required field "hooks.on_start" is empty`,
    ].toSorted(byKind),
  );
});

Deno.test("of two skills of one name in a pack one was dropped without a word", async () => {
  const files = {
    ...packOf(),
    "skills/s/SKILL.md": skillText("s"),
    "skills/t/SKILL.md": skillText("s"),
  };
  assertEquals(
    await problemsOf(files),
    [
      'warning PACK/skills/t/SKILL.md: it is left out: PACK/skills/s has a skill of the name "s" as well',
      'warning PACK/skills/t/SKILL.md:2:1: skill "t": its name "s" differs from that of its folder, "t"',
    ].toSorted(byKind),
  );
});

Deno.test("readPack() tells every problem of a persona, each with its place", async () => {
  const text = `---
name: A b
display_name: 7
descriptoin: d
temperature: hot
thinking: hihg
model: ":x"
triggers:
  mentions: yes
  keyword: [x]
subscribe: [""]
respond_to: [npub1x]
limits: { max_rounds: -1, max_ruonds: 3 }
secrets: { T: plain, "a-b": "env:X" }
hooks:
  on_strat: ./x.sh
mcp_servers:
  - name: one
    args: [1]
  - name: two
    command: x
    permissions:
      read: /etc
---
`;
  assertEquals(
    await problemsOf({ ...packOf(), "agents/a.persona.md": text }),
    [
      `error ${AT}:4:1: there is no field "descriptoin", did you mean "description"?`,
      `error ${AT}:2:1: "name" must be 1 to 64 of the letters A-Z and a-z, digits, _ and -, not "A b"`,
      `error ${AT}:1:1: the required field "description" is missing`,
      `error ${AT}:18:5: the required field "mcp_servers[0].command" is missing`,
      `error ${AT}:23:7: Cannot grant read "/etc" to server "two": it must be a list of texts`,
      `error ${AT}:16:3: there is no field "hooks.on_strat", did you mean "on_start"?`,
      `error ${AT}:14:1: "a-b" in "secrets" is no name for a variable`,
      `error ${AT}:14:1: "secrets.T" must be env:NAME or file:/path, not a text of 5 characters, which is not shown here`,
      `error ${AT}:13:1: there is no field "limits.max_ruonds", did you mean "max_rounds"?`,
      `error ${AT}:13:1: "limits.max_rounds" must be a whole number, at least 0, not -1`,
      `error ${AT}:11:1: "" in "subscribe" is no name of a channel`,
      `error ${AT}:10:3: there is no field "triggers.keyword", did you mean "keywords"?`,
      `error ${AT}:9:3: "triggers.mentions" must be true or false, not "yes"`,
      `error ${AT}:12:1: "npub1x" in "respond_to" must be a public key: 64 digits of hex, or npub1… with its checksum`,
      `error ${AT}:7:1: "model" must be PROVIDER:MODEL, not ":x"`,
      `error ${AT}:6:1: "thinking" must be one of none, minimal, low, medium, high, xhigh, max, not "hihg", did you mean "high"?`,
      `error ${AT}:5:1: "temperature" must be a number, not "hot"`,
    ].toSorted(byKind),
  );
});

/** The order of the reader is its own affair; that of the files is not asked for. */
function byKind(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

Deno.test("readPack() goes on after a file that cannot be read, and tells of the others", async () => {
  assertEquals(
    await problemsOf({
      ...packOf({
        personas: [
          "agents/none.persona.md",
          "../out.md",
          "agents/a.persona.md",
          "agents/b.persona.md",
        ],
        pack_instructions: "no.md",
        hooks_config: "hooks/hooks.json",
      }),
      "agents/b.persona.md": "no frontmatter",
      ".mcp.json": '{"mcpServers": {"s": {"args": [1]}, "t": {"comand": "x"}}}',
      "hooks/hooks.json": '{"on_start": "./gone.sh"}',
    }),
    [
      'error PACK/.plugin/plugin.json:1:48: there is no file "agents/none.persona.md" in the pack',
      'error PACK/.plugin/plugin.json:1:73: the path "../out.md" must be relative and stay inside the pack',
      'error PACK/agents/b.persona.md:1:1: it must begin with a line of "---"',
      'error PACK/.plugin/plugin.json:1:130: there is no file "no.md" in the pack',
      'error PACK/.mcp.json:1:23: "mcpServers.s.args" must be a list of texts, not [1]',
      'error PACK/.mcp.json:1:17: the required field "mcpServers.s.command" is missing',
      'error PACK/.mcp.json:1:37: the required field "mcpServers.t.command" is missing',
      'error PACK/hooks/hooks.json:1:2: there is no file "./gone.sh" in the pack',
    ].toSorted(byKind),
  );
});

Deno.test("a path of the manifest that leaves the pack was told of the file outside, without a place", async () => {
  const manifest = `{
  "id": "x", "name": "X", "version": "1",
  "personas": [
    "agents/a.persona.md",
    "../../etc/passwd"
  ],
  "mcp_config": "/etc/hosts",
  "defaults": { "model": ":x" }
}`;
  assertEquals(await problemsOf({ ...packOf(), ".plugin/plugin.json": manifest }), [
    'error PACK/.plugin/plugin.json:5:5: the path "../../etc/passwd" must be relative and stay inside the pack',
    'error PACK/.plugin/plugin.json:7:3: the path "/etc/hosts" must be relative and stay inside the pack',
    'error PACK/.plugin/plugin.json:8:17: "model" must be PROVIDER:MODEL, not ":x"',
  ]);
});

Deno.test("a persona that a manifest names twice was told of with all its problems twice", async () => {
  const manifest = { personas: ["agents/a.persona.md", "./agents/a.persona.md"] };
  const text = PERSONA.replace("description: d", "description: d\nthinking: hihg");
  const lines = await problemsOf({ ...packOf(manifest), "agents/a.persona.md": text });
  assertEquals(lines.map((line) => line.replace(/; .*|must be .*/, "")), [
    'error PACK/.plugin/plugin.json:1:70: the persona "./agents/a.persona.md" is there twice',
    `error ${AT}:5:1: "thinking" `,
  ]);
});

Deno.test("readPack() tells of a field of .mcp.json that is not used, and of one that holds no servers", async () => {
  const entry = '{"mcpServers": {\n"s": {"command": "x", "argss": []}}}';
  assertEquals(await problemsOf({ ...packOf(), ".mcp.json": entry }), [
    'warning PACK/.mcp.json:2:23: the field "argss" of server "s" is not used, did you mean "args"?',
  ]);
  assertEquals(await problemsOf({ ...packOf(), ".mcp.json": "{}" }), [
    'error PACK/.mcp.json:1:1: it has none of "mcpServers", "servers", "context_servers"',
  ]);
});

Deno.test("a limit above its bound was taken silently, and changed nothing", async () => {
  const limits = "limits:\n  max_rounds: 0\n  max_servers: 64\n  max_parallel_calls: 1";
  const text = PERSONA.replace("description: d", `description: d\n${limits}`);
  const bounds = { ...DEFAULT_LIMITS, maxRounds: 100, maxServers: 16 };
  await using folder = await folderWith({ ...packOf(), "agents/a.persona.md": text });
  const { problems } = await readPack(folder.path, denoFiles(), bounds);
  assertEquals(told(problems, folder.path), [
    `warning ${AT}:6:3: "limits.max_rounds" is 0, and changes nothing: the bound is 100, and a persona only lowers it`,
    `warning ${AT}:7:3: "limits.max_servers" is 64, and changes nothing: the bound is 16, and a persona only lowers it`,
  ]);
});

Deno.test("a list where a mapping must be was told without its line", async () => {
  const text = PERSONA.replace(
    "description: d",
    "description: d\nmcp_servers:\n  - { name: s, command: x, env: [1] }",
  );
  assertEquals(await problemsOf({ ...packOf(), "agents/a.persona.md": text }), [
    'error PACK/agents/a.persona.md:6:5: "mcp_servers[0].env" must be a mapping of names to values, not [1]',
  ]);
});

Deno.test("a reference inside another one was taken as text, without a word", async () => {
  const text = PERSONA.replace(
    "description: d",
    `description: d
secrets: { G: "env:G", TOK: "env:T" }
env:
  A: "\${B}"
  G: x
mcp_servers:
  - name: s
    command: x
    args: [a, "\${G:-\${TOK}}"]
    env:
      B: "\${G"`,
  );
  const mcp = `{"mcpServers": {"t": {"command": "x",\n"args": ["\${G:-\${H}}"]}}}`;
  const nested = (whole: string) =>
    `${whole} holds another \${: a default is text, and no reference; write $${whole} for the text itself`;
  assertEquals(await problemsOf({ ...packOf(), "agents/a.persona.md": text, ".mcp.json": mcp }), [
    `error PACK/.mcp.json:2:10: ${nested("${G:-${H}")}`,
    `error PACK/agents/a.persona.md:12:5: ${nested("${G:-${TOK}")}`,
    "error PACK/agents/a.persona.md:14:7: ${G has no } at its end; write $${ for the text itself",
    'error PACK/agents/a.persona.md:5:1: "G" is in "env" too: one would hide the other',
    'warning PACK/agents/a.persona.md:7:3: "env.A" is taken as it is: the ${ in it stands for nothing',
  ]);
});

Deno.test("an entry with a command and a url was taken, and its url lost", async () => {
  const both = '{"mcpServers": {\n"s": {"command": "x", "url": "https://a.example/"}}}';
  assertEquals(await problemsOf({ ...packOf(), ".mcp.json": both }), [
    'error PACK/.mcp.json:2:23: server "s" has a command and a url: leave one out',
  ]);
});

Deno.test("of several mistakes in permissions and approvals the first alone was told", async () => {
  const text = PERSONA.replace(
    "description: d",
    `description: d
permissions:
  raed: []
  net: x
approvals:
  - alow: x
  - ask: dev__shell
  - { ask: x, deny: y }
mcp_servers:
  - name: s
    command: x
    type: http
    headers: { a: b }
    permissions:
      read: /etc
      sandbox: no`,
  );
  const lines = await problemsOf({ ...packOf(), "agents/a.persona.md": text });
  assertEquals(
    lines.map((line) => line.replace(/ in \S*a\.persona\.md/, "")),
    [
      `error ${AT}:9:5: Cannot use approvals[0].alow: did you mean "allow"?`,
      `error ${AT}:11:5: Cannot use approvals[2]: it must have one of allow, ask and deny`,
      `error ${AT}:18:7: Cannot grant read "/etc" to server "s": it must be a list of texts`,
      `error ${AT}:19:7: Cannot grant sandbox "no" to server "s": it must be require, prefer, off`,
      `error ${AT}:6:3: Cannot grant permissions "raed" to server "persona": there is no such key; did you mean "read"?`,
      `error ${AT}:7:3: Cannot grant net "x" to server "persona": it must be a list of texts`,
      `warning ${AT}:15:5: server "s" is started by its command, and its type "http" is not used`,
      `warning ${AT}:16:5: server "s" is started by its command, and its headers are not used`,
    ].toSorted(byKind),
  );
});

Deno.test("an entry that only switches a server off needs no command", async () => {
  const off = "mcp_servers:\n  - { name: s, enabled: false }";
  const text = PERSONA.replace("description: d", `description: d\n${off}`);
  assertEquals(await problemsOf({ ...packOf(), "agents/a.persona.md": text }), []);
});

Deno.test("readPack() warns of manifest keys that it does not know, and of upper case", async () => {
  const manifest = { ...MANIFEST, verison: "1", defaults: { temprature: 1, triggers: { x: 1 } } };
  assertEquals(
    await problemsOf({
      ".plugin/plugin.json": JSON.stringify(manifest),
      "agents/a.persona.md": PERSONA.replace("name: a", "name: Ann"),
    }),
    [
      'warning PACK/.plugin/plugin.json:1:71: there is no field "verison", did you mean "version"?',
      'warning PACK/.plugin/plugin.json:1:97: there is no field "defaults.temprature", did you mean "temperature"?',
      'warning PACK/.plugin/plugin.json:1:124: there is no field "defaults.triggers.x"; there are mentions, keywords, all_messages',
      `warning ${AT}:2:1: "name" should be lower case, not "Ann"`,
    ].toSorted(byKind),
  );
});

Deno.test("readPack() refuses an id that is none, and a pack for another skep", async () => {
  const manifest = packOf({ id: ".x", engines: { skep: ">=99", buzz: "*" } });
  const lines = await problemsOf(manifest);
  assertEquals(lines.length, 2);
  assertEquals(lines.map((line) => line.replace(/:1:\d+/, "").replace(/is skep .*/, "is")), [
    'error PACK/.plugin/plugin.json: "id" must be 1 to 128 of letters, digits, _, - and dots, without a dot in front, not ".x"',
    "error PACK/.plugin/plugin.json: the pack is for skep >=99, and this is",
  ]);
});

Deno.test("readPack() checks skills, hooks and avatars that a persona names", async () => {
  const persona = PERSONA.replace(
    "description: d",
    "description: d\navatar: ./no.png\nskills: [gone, ./skills/bad, ../x]\nhooks: { on_stop: ./no.sh }",
  );
  assertEquals(
    await problemsOf({
      ...packOf(),
      "agents/a.persona.md": persona,
      "skills/bad/SKILL.md": "---\nname: bad\n---\n",
      "skills/other/SKILL.md": skillText("Othe--r"),
    }),
    [
      `error ${AT}:6:1: "../x" in "skills" must be the name of a folder in skills`,
      'error PACK/skills/bad/SKILL.md:1:1: skill "bad": the required field "description" is missing',
      'warning PACK/skills/other/SKILL.md:2:1: skill "other": "name" should be 1 to 64 of a-z, 0-9 and single hyphens between them, not "Othe--r"',
      'warning PACK/skills/other/SKILL.md:2:1: skill "other": its name "Othe--r" differs from that of its folder, "other"',
      `error ${AT}:6:1: there is no skill "gone": PACK/skills/gone has no SKILL.md`,
      `error ${AT}:7:1: there is no file "./no.sh" in the pack`,
      `error ${AT}:5:1: there is no file "./no.png" in the pack`,
    ].toSorted(byKind),
  );
});

Deno.test("readLonePersona() reads one file, with the skills that it names", async () => {
  await using folder = await folderWith({
    "a.persona.md": PERSONA.replace("description: d", "description: d\nskills: [one]"),
    "skills/one/SKILL.md": skillText("one"),
    "skills/two/SKILL.md": skillText("two"),
  });
  const path = `${folder.path}/a.persona.md`;
  const { pack, problems } = await readLonePersona(path, denoFiles(), DEFAULT_LIMITS);
  assertEquals(problems.all, []);
  assertEquals(pack?.skills.get("a")?.map(({ name }) => name), ["one"]);
});
