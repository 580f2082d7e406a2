import { assertEquals } from "@std/assert";
import type { ToolDefinition } from "./message.ts";
import { parseCommands } from "./offline_commands.ts";

function tool(
  name: string,
  properties: Record<string, unknown>,
  required: string[],
): ToolDefinition {
  return { name, description: "", inputSchema: { type: "object", properties, required } };
}

const TOOLS = [
  tool("dev__read_file", { path: { type: "string" }, limit: { type: "integer" } }, ["path"]),
  tool("dev__shell", { command: { type: "string" }, login: { type: "boolean" } }, ["command"]),
];

/** The calls of a message, as name and arguments. */
function callsOf(text: string): [string, unknown][] {
  const commands = parseCommands(text, TOOLS);
  if (commands.kind !== "calls") throw new Error(JSON.stringify(commands));
  return commands.calls.map(({ name, input }) => [name, JSON.parse(input)]);
}

function reasonsFor(text: string): readonly string[] {
  const commands = parseCommands(text, TOOLS);
  if (commands.kind !== "refused") throw new Error(JSON.stringify(commands));
  return commands.reasons;
}

Deno.test("parseCommands() reads key=value, typed by the tool's schema", () => {
  assertEquals(callsOf("/dev__read_file path=42 limit=7"), [
    ["dev__read_file", { path: "42", limit: 7 }],
  ]);
  assertEquals(callsOf("/dev__shell  login=true   command=ls "), [
    ["dev__shell", { login: true, command: "ls" }],
  ]);
});

Deno.test("parseCommands() reads quoted values with the escapes of JSON", () => {
  assertEquals(callsOf(String.raw`/dev__shell command="a \"b\" \\ \n\t\u0041" login=false`), [
    ["dev__shell", { command: 'a "b" \\ \n\tA', login: false }],
  ]);
  assertEquals(callsOf('/dev__shell command="ls -l" '), [["dev__shell", { command: "ls -l" }]]);
});

Deno.test("parseCommands() takes a value with = and quotes inside, and an empty one", () => {
  assertEquals(callsOf('/dev__shell command=a=b"c'), [["dev__shell", { command: 'a=b"c' }]]);
  assertEquals(callsOf("/dev__shell command= login=true"), [
    ["dev__shell", { command: "", login: true }],
  ]);
});

Deno.test("parseCommands() reads a JSON object, and keeps its text as it is", () => {
  const text = '/dev__read_file { "path" : "a b", "n": 1.0 }';
  assertEquals(parseCommands(text, TOOLS), {
    kind: "calls",
    calls: [{ name: "dev__read_file", input: '{ "path" : "a b", "n": 1.0 }' }],
  });
  assertEquals(callsOf('/dev__shell{"command":"x"}'), [["dev__shell", { command: "x" }]]);
});

Deno.test("parseCommands() reads one call a line, in order", () => {
  const text = "\n/dev__read_file path=a\r\n\n  /dev__shell command=b\n/dev__read_file path=c\n";
  assertEquals(callsOf(text), [
    ["dev__read_file", { path: "a" }],
    ["dev__shell", { command: "b" }],
    ["dev__read_file", { path: "c" }],
  ]);
});

Deno.test("parseCommands() takes a call without arguments", () => {
  assertEquals(callsOf("/dev__shell"), [["dev__shell", {}]]);
});

Deno.test("parseCommands() knows /help and /tools, alone in the message", () => {
  assertEquals(parseCommands(" /help\n", TOOLS), { kind: "help" });
  assertEquals(parseCommands("/tools", TOOLS), { kind: "tools" });
  assertEquals(reasonsFor("/tools\n/dev__shell command=a"), ["Line 1: /tools stands alone"]);
  assertEquals(reasonsFor("/help me"), ["/help stands alone"]);
});

Deno.test("parseCommands() takes text whose first line is no command for talk", () => {
  for (const text of ["", " \n", "hello", "see\n/dev__shell command=rm", "a /dev__shell"]) {
    assertEquals(parseCommands(text, TOOLS), { kind: "talk" });
  }
});

Deno.test("parseCommands() does not take a name without its server, but says whose it is", () => {
  assertEquals(reasonsFor("/read_file path=a"), [
    'There is no tool "read_file"; did you mean /dev__read_file?',
  ]);
  assertEquals(reasonsFor("/shel command=a"), [
    'There is no tool "shel"; did you mean /dev__shell?',
  ]);
});

Deno.test("There is no tool, a hidden or switched-off one was told in the chat", () => {
  const whyNot = (name: string) => name === "dev__shel" ? "it is switched off" : undefined;
  const commands = parseCommands("/dev__shel command=a", TOOLS, { whyNot });
  assertEquals(commands, {
    kind: "refused",
    reasons: ["dev__shel cannot be called: it is switched off"],
  });
});

Deno.test("a tool of a server that waits for its first call was refused unseen, and the server never asked", () => {
  const mayHave = (name: string) => name.startsWith("idle__");
  const commands = parseCommands("/idle__new n=1 t=x", TOOLS, { mayHave });
  const input = '{"n":1,"t":"x"}';
  assertEquals(commands, { kind: "calls", calls: [{ name: "idle__new", input }] });
  assertEquals(reasonsFor("/idle__new"), ['There is no tool "idle__new"; /tools lists them all']);
});

Deno.test("parseCommands() suggests the near miss of a whole name, or the list", () => {
  assertEquals(reasonsFor("/dev__read_fil path=a"), [
    'There is no tool "dev__read_fil"; did you mean /dev__read_file?',
  ]);
  assertEquals(reasonsFor("/etc/passwd"), ['There is no tool "etc/passwd"; /tools lists them all']);
  assertEquals(reasonsFor("/"), ['There is no tool ""; /tools lists them all']);
});

Deno.test("parseCommands() refuses all lines for a fault in one, and names the line", () => {
  assertEquals(reasonsFor("/dev__shell command=a\nand then\n/dev__shell command"), [
    'Line 2: "and then" is no command: it must begin with /',
    'Line 3: "command" is not key=value; did you mean command=…?',
  ]);
});

Deno.test("parseCommands() says what is wrong with arguments", () => {
  const faults: [string, string][] = [
    ["/dev__read_file README.md", '"README.md" is not key=value; did you mean path=…?'],
    ["/dev__read_file path=a path=b", "path is given twice"],
    ["/dev__read_file pat=a", '/dev__read_file has no parameter "pat"; did you mean path?'],
    ["/dev__read_file path=a limit=x", 'limit must be INTEGER, it is "x"'],
    ['/dev__shell command="a', "The value of command must end with the quote that it begins with"],
    [
      '/dev__shell command="a"b',
      "The value of command must end with the quote that it begins with",
    ],
    [
      String.raw`/dev__shell command="\x"`,
      String.raw`The value of command has an escape that JSON does not know: "\x"`,
    ],
    ["/dev__shell {}x", "The arguments are not JSON: "],
    ["/dev__shell {", "The arguments are not JSON: "],
  ];
  for (const [text, reason] of faults) {
    const [found = ""] = reasonsFor(text);
    assertEquals(reason.endsWith(": ") ? found.slice(0, reason.length) : found, reason);
  }
});
