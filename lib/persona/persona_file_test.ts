import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { parsePersonaFile, type PersonaFile } from "./persona_file.ts";
import { Problems } from "./problems.ts";

const FILE = "/p/agents/a.persona.md";
const REQUIRED = "name: a\ndisplay_name: A\ndescription: d\n";

function parse(yaml: string, body = "Hello"): PersonaFile {
  const problems = new Problems();
  const persona = parsePersonaFile(`---\n${yaml}---\n${body}`, FILE, DEFAULT_LIMITS, problems);
  problems.throwFirst();
  return persona!;
}

function refusal(yaml: string): string {
  const error = assertThrows(() => parse(yaml), SkepError);
  assertEquals(error.code, "PERSONA_INVALID");
  return error.message.replace(`Cannot use ${FILE}`, "");
}

Deno.test("parsePersonaFile() reads the least there can be", () => {
  const { at: _at, serverAt: _serverAt, ...persona } = parse(REQUIRED);
  assertEquals(persona, {
    file: FILE,
    name: "a",
    displayName: "A",
    description: "d",
    skills: [],
    servers: [],
    serversOff: [],
    hooks: {},
    env: {},
    secrets: {},
    limits: {},
    own: {},
    body: "Hello",
  });
});

Deno.test("parsePersonaFile() reads every field", () => {
  const yaml = REQUIRED + `avatar: ./a.png
version: 1.0
author: Somebody
skills: [./skills/x/]
runtime: goose
hooks:
  on_start: ./start.sh
  on_message: { script: ./m.sh, permissions: { write: ["\${WORKSPACE}"] } }
permissions: { net: [] }
approvals: { rules: [] }
env: { PORT: 80 }
secrets: { TOKEN: "env:GH_TOKEN" }
limits: { max_rounds: 5 }
hints: false
thinking: high
provider: { order: [a] }
respond_to: owner-only
reply: { thread: false }
subscribe: ["#a"]
triggers: { all_messages: true }
model: anthropic:claude-opus-4
temperature: 0.5
max_context_tokens: 1000
broadcast_replies: true
`;
  const { body: _body, file: _file, at: _at, serverAt: _serverAt, ...rest } = parse(yaml);
  assertEquals(rest, {
    name: "a",
    displayName: "A",
    description: "d",
    avatar: "./a.png",
    version: "1.0",
    runtime: "goose",
    skills: ["./skills/x/"],
    servers: [],
    serversOff: [],
    author: "Somebody",
    hooks: {
      on_start: { script: "./start.sh" },
      on_message: { script: "./m.sh", permissions: { write: ["${WORKSPACE}"] } },
    },
    permissions: { net: [] },
    approvals: { rules: [] },
    env: { PORT: "80" },
    secrets: { TOKEN: "env:GH_TOKEN" },
    limits: { maxRounds: 5 },
    hints: false,
    own: {
      subscribe: ["#a"],
      triggers: { mentions: true, keywords: [], allMessages: true },
      model: "anthropic:claude-opus-4",
      thinking: "high",
      provider: { order: ["a"] },
      respondTo: "owner-only",
      temperature: 0.5,
      maxContextTokens: 1000,
      threadReplies: false,
      broadcastReplies: true,
    },
  });
});

Deno.test("parsePersonaFile() reads servers with their permissions and plain scalars", () => {
  const yaml = REQUIRED + `mcp_servers:
  - name: dev
    command: skep
    args: [mcp, dev, 8080, true]
    env: { PORT: 80, FLAG: yes }
    permissions:
      read: ["\${WORKSPACE}"]
      limits: { memory_mb: 512 }
      sandbox: off
  - { name: other, command: x }
`;
  assertEquals(parse(yaml).servers, [
    {
      name: "dev",
      command: "skep",
      args: ["mcp", "dev", "8080", "true"],
      env: { PORT: "80", FLAG: "yes" },
      origin: { kind: "pack", where: FILE },
      permissions: { read: ["${WORKSPACE}"], limits: { memory_mb: 512 }, sandbox: "off" },
    },
    { name: "other", command: "x", args: [], env: {}, origin: { kind: "pack", where: FILE } },
  ]);
});

Deno.test("parsePersonaFile() names a server's field that is wrong, with the line of the list", () => {
  const server = (entry: string) => refusal(`${REQUIRED}mcp_servers:\n  - ${entry}\n`);
  assertEquals(
    server("{ name: x }"),
    ':6:5: the required field "mcp_servers[0].command" is missing',
  );
  assertEquals(
    server("{ name: x, command: y, arg: [] }"),
    ':6:5: there is no field "mcp_servers[0].arg", did you mean "args"?',
  );
  assertEquals(
    server("{ name: x, command: y, permissions: { raed: [] } }"),
    ':6:5: Cannot grant permissions "raed" to server "x": there is no such key; did you mean "read"?',
  );
  assertEquals(
    server("{ name: x, url: 'https://example.com', permissions: { read: [/x] } }"),
    ':6:5: server "x" is reached by its url, whose host is all that it is granted: it takes no read',
  );
  assertEquals(server('{ name: "a\\nb", command: y }'), ':6:5: "a\\nb" is no name for a server');
  assertEquals(
    server("{ name: x, command: y, env: { A: null } }"),
    ':6:5: "mcp_servers[0].env.A" must be a text, not null',
  );
});

Deno.test("parsePersonaFile() names the required field that is missing or empty", () => {
  assertEquals(
    refusal("name: a\ndescription: d\n"),
    ':1:1: the required field "display_name" is missing',
  );
  assertEquals(
    refusal('name: a\ndisplay_name: " "\ndescription: d\n'),
    ':3:1: the required field "display_name" is empty',
  );
});

Deno.test("parsePersonaFile() takes a name of 64 characters, and refuses one more or others", () => {
  const named = (name: string) => `name: "${name}"\ndisplay_name: A\ndescription: d\n`;
  assertEquals(parse(named("x".repeat(64))).name.length, 64);
  for (const name of ["x".repeat(65), "a b", "ä", "a/b", "../a", "a#b"]) {
    assertEquals(
      refusal(named(name)),
      `:2:1: "name" must be 1 to 64 of the letters A-Z and a-z, digits, _ and -, not "${name}"`,
    );
  }
});

Deno.test("parsePersonaFile() refuses fields that it does not know", () => {
  for (const field of ["idle_timeout", "<<"]) {
    assertStringIncludes(
      refusal(`${REQUIRED}${field}: { model: x }\n`),
      `:5:1: there is no field "${field}"; there are name, display_name, `,
    );
  }
  assertEquals(
    refusal(REQUIRED + "hooks: { on_strat: x }\n"),
    ':5:1: there is no field "hooks.on_strat", did you mean "on_start"?',
  );
});
