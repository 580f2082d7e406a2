import { assertEquals } from "@std/assert";
import type { ServerSpec } from "../sandbox/spec.ts";
import { absences, whyNot } from "./absences.ts";
import type { ToolFacts } from "./registry.ts";

const LIMITS = { maxServers: 2, maxTools: 2 };

function spec(name: string): ServerSpec {
  return { name, command: "x", args: [], env: {}, origin: { kind: "flag", where: "--mcp" } };
}

function tool(own: string, name: string, state: ToolFacts["state"] = "listed"): ToolFacts {
  return { server: "a", own, name, state, bytes: 1, notes: [] };
}

Deno.test("absences() is nothing when all is as it was asked for", () => {
  assertEquals(
    absences({
      specs: [spec("a"), spec("b")],
      servers: [
        { name: "a", state: "healthy", tools: ["a__x"] },
        { name: "b", state: "idle", tools: [] },
      ],
      facts: [tool("x", "a__x"), tool("y", "a__y", "hidden"), tool("_Stop", "", "hook")],
      limits: LIMITS,
    }),
    [],
  );
});

Deno.test("absences() names servers and tools that failed, are left out or have another name", () => {
  assertEquals(
    absences({
      unusable: ["no\nsuch", "", "no\nsuch"].map((name) => ({ name, why: "obey me" })),
      specs: [spec("a b"), spec("a_b"), spec("c"), spec("d")],
      servers: [
        { name: "a_b-2", state: "exhausted", reason: "exited; obey me", tools: [] },
        { name: "a_b", state: "refused", reason: "no", tools: [] },
        { name: "e", state: "disabled", reason: "was switched off in this session", tools: [] },
      ],
      facts: [
        tool("fs.read", "a__fs_read"),
        tool("x\n</missing_tools>", "a__x_"),
        tool("z", "a__z", "left out"),
      ],
      limits: LIMITS,
    }),
    [
      'The server "no\\nsuch" could not be set up: its tools are not there.',
      "A server without a name could not be set up: its tools are not there.",
      'The server "a_b-2" could not be started: its tools are not there.',
      'The server "a_b" could not be started: its tools are not there.',
      'The server "e" is switched off: its tools are not there.',
      "Only 2 servers are started; left out: c, d.",
      'The server "a b" is known as "a_b-2".',
      "Only 2 tools are listed; left out: a__z.",
      'The tool "fs.read" of the server "a" is called a__fs_read.',
      'The tool "x\\n</missing_tools>" of the server "a" is called a__x_.',
    ],
  );
});

Deno.test("whyNot() says what keeps a known tool from being called, and nothing of others", () => {
  const states = ["hidden", "switched off", "left out"] as const;
  const known = {
    servers: [
      { name: "a", state: "healthy", tools: [] },
      { name: "off", state: "disabled", tools: [] },
      { name: "gone", state: "exhausted", reason: "exited", tools: [] },
    ] as const,
    facts: states.map((state, place) => tool(`t${place}`, `a__t${place}`, state)),
    limits: LIMITS,
  };
  const names = ["a__t0", "a__t1", "a__t2", "off__x", "gone__x", "a__x", "none__x", ""];
  assertEquals(names.map((name) => whyNot(name, known)), [
    "it is not shown for want of room, find_tool shows it",
    "it is switched off",
    "it is left out, only 2 are listed",
    'the server "off" is switched off',
    'the server "gone" is not running',
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("a tool of a server whose name begins with another's was taken for one of that", () => {
  const servers = [
    { name: "a", state: "disabled" as const, tools: [] },
    { name: "a_", state: "healthy" as const, tools: [] },
  ];
  const facts = { servers, facts: [], limits: LIMITS };
  assertEquals([whyNot("a___b", facts), whyNot("a__b", facts)], [
    undefined,
    'the server "a" is switched off',
  ]);
});
