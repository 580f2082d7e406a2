import { assertEquals } from "@std/assert";
import type { PersonaFile } from "./persona_file.ts";
import { resolvePersona, type Shared } from "./resolve.ts";

const PERSONA: PersonaFile = {
  file: "/p/agents/a.persona.md",
  name: "a",
  displayName: "A",
  description: "d",
  skills: ["./skills/x"],
  servers: [],
  serversOff: [],
  hooks: {},
  env: {},
  secrets: {},
  limits: {},
  own: {},
  body: "\n\nHello\n",
  at: () => ({ file: "/p/agents/a.persona.md" }),
  serverAt: () => ({ file: "/p/agents/a.persona.md" }),
};
const PACK: Shared = {
  folder: "/p",
  instructions: undefined,
  servers: [],
  serversOff: [],
  hooks: {},
  skills: new Map(),
  manifest: { version: "2", defaults: {} },
};
const SETTINGS = {
  triggers: { mentions: true, keywords: [], allMessages: false },
  threadReplies: true,
  broadcastReplies: false,
};
const ORIGINS = {
  triggers: "built-in",
  thread_replies: "built-in",
  broadcast_replies: "built-in",
};

function server(name: string, command: string, where: string) {
  return { name, command, args: [], env: {}, origin: { kind: "pack", where } } as const;
}

Deno.test("resolvePersona() gives a persona of a bare pack", () => {
  assertEquals(resolvePersona(PERSONA, PACK), {
    name: "a",
    displayName: "A",
    description: "d",
    pack: "/p",
    file: "/p/agents/a.persona.md",
    prompt: "Hello",
    version: "2",
    servers: [],
    serversOff: [],
    skills: [],
    hooks: {},
    env: {},
    secrets: {},
    limits: {},
    hints: true,
    settings: SETTINGS,
    origins: ORIGINS,
  });
});

Deno.test("resolvePersona() keeps the pack's instructions apart from the persona's text", () => {
  const texts = (instructions: string) => {
    const { prompt, team } = resolvePersona(PERSONA, { ...PACK, instructions });
    return [prompt, team];
  };
  assertEquals(texts("Be kind.\n"), ["Hello", "Be kind."]);
  assertEquals(texts(" \n"), ["Hello", undefined]);
});

Deno.test("resolvePersona() merges the pack's defaults under the persona's own", () => {
  const manifest = { version: "2", defaults: { model: "m:pack", temperature: 0.7 } };
  const pack = { ...PACK, manifest };
  const inherited = resolvePersona(PERSONA, pack);
  assertEquals([inherited.model, inherited.settings.temperature], ["m:pack", 0.7]);
  const own = resolvePersona({ ...PERSONA, version: "3", own: { model: "m:own" } }, pack);
  assertEquals([own.model, own.settings.temperature, own.version], ["m:own", 0.7, "3"]);
});

Deno.test("resolvePersona() lists shared servers, then its own, of which one of a name replaces", () => {
  const shared = [server("s", "shared", "/p/.mcp.json"), server("t", "t", "/p/.mcp.json")];
  const own = [server("u", "u", PERSONA.file), server("s", "own", PERSONA.file)];
  const { servers } = resolvePersona({ ...PERSONA, servers: own }, { ...PACK, servers: shared });
  assertEquals(servers.map(({ name, command }) => [name, command]), [
    ["s", "own"],
    ["t", "t"],
    ["u", "u"],
  ]);
  assertEquals(servers[0]?.origin.where, PERSONA.file);
});

Deno.test("a persona's entry that switches a server off was no word on its pack's server of that name", () => {
  const where = "/p/.mcp.json";
  const pack = {
    ...PACK,
    servers: [server("s", "s", where), server("t", "t", where)],
    serversOff: [{ name: "u", where }, { name: "v", where }],
  };
  const own = [server("u", "own", PERSONA.file)];
  const { servers, serversOff } = resolvePersona({
    ...PERSONA,
    servers: own,
    serversOff: ["t", "x"],
  }, pack);
  assertEquals(servers.map(({ name }) => name), ["s", "u"]);
  assertEquals(serversOff, [
    { name: "v", where },
    { name: "t", where: PERSONA.file },
    { name: "x", where: PERSONA.file },
  ]);
});
