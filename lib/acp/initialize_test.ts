import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type AgentFacts, initialize } from "./initialize.ts";

const INFO: AgentFacts = {
  agentInfo: { name: "skep", title: "Guide", version: "0.1.0" },
  keepsSessions: false,
  logins: [],
};

function versionFor(params: unknown): number {
  return initialize(params, INFO).result.protocolVersion;
}

Deno.test("initialize() answers 2 to those who ask for it or more, and 1 to all others", () => {
  assertEquals(versionFor({ protocolVersion: 99 }), 2);
  assertEquals(versionFor({ protocolVersion: 2 }), 2);
  assertEquals(versionFor({ protocolVersion: 1 }), 1);
  assertEquals(versionFor({ protocolVersion: 0 }), 1); // the least that is spoken here
});

Deno.test("initialize() answers 1 to a client of ACP's draft v2, which sends info", () => {
  assertEquals(versionFor({ protocolVersion: 2, info: { name: "c", version: "1" } }), 1);
  assertEquals(versionFor({ protocolVersion: 2, clientInfo: { name: "c", version: "1" } }), 2);
});

Deno.test("initialize() refuses a version that is no whole number", () => {
  for (const protocolVersion of ["x", 1.5, -1, null, undefined, "2025-01-01"]) {
    assertThrows(() => initialize({ protocolVersion }, INFO), SkepError, "protocolVersion must be");
  }
  assertThrows(() => initialize(undefined, INFO), SkepError, "whole number, not missing");
});

Deno.test("initialize() tells of what is not in ACP to a client alone that asked for it", () => {
  const facts = { ...INFO, keepsSessions: true };
  const told = (params: object) => {
    const { result, client } = initialize({ protocolVersion: 1, ...params }, facts);
    return ["fork" in result.agentCapabilities!.sessionCapabilities!, client.takesUnstable];
  };
  assertEquals(told({}), [false, false]);
  assertEquals(told({ clientCapabilities: { _meta: { skep: { unstable: true } } } }), [true, true]);
  assertEquals(told({ protocolVersion: 2 }), [false, true]);
});

Deno.test("initialize() says what the agent can do, and who it is", () => {
  assertEquals(initialize({ protocolVersion: 1 }, INFO).result, {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: false,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { close: {}, additionalDirectories: {} },
      auth: {},
    },
    agentInfo: { name: "skep", title: "Guide", version: "0.1.0" },
    authMethods: [],
  });
});

Deno.test("initialize() tells of kept sessions, logins, what the persona is for and a picture where there are any", () => {
  const login = { id: "databricks", name: "Databricks", description: "Logs in" };
  const avatar = "https://example.com/a.png";
  const { result } = initialize({ protocolVersion: 1 }, {
    agentInfo: { ...INFO.agentInfo, avatar, description: "Helps" },
    keepsSessions: true,
    logins: [login],
  });
  const { loadSession, sessionCapabilities, auth } = result.agentCapabilities!;
  assertEquals([loadSession, auth], [true, { logout: {} }]);
  assertEquals(Object.keys(sessionCapabilities!), [
    "close",
    "additionalDirectories",
    "list",
    "resume",
    "delete",
  ]);
  assertEquals(result.authMethods, [login]);
  assertEquals(result.agentInfo?._meta, { description: "Helps", avatar });
});

Deno.test("initialize() notes whether the client shows compactions", () => {
  const client = (session: unknown) =>
    initialize({ protocolVersion: 1, clientCapabilities: { session } }, INFO).client;
  const { takesCompactions, takesNotices } = client({ compaction: {} });
  assertEquals([takesCompactions, takesNotices], [true, false]);
  assertEquals(client({ compaction: null, notices: {} }).takesCompactions, false);
});

Deno.test("initialize() notes whether the client shows notices", () => {
  const client = (clientCapabilities: unknown) =>
    initialize({ protocolVersion: 1, clientCapabilities }, INFO).client.takesNotices;
  assertEquals(client({ session: { notices: {} } }), true);
  assertEquals(client({ session: { notices: null } }), false);
  assertEquals(client({ session: null }), false);
  assertEquals(client(undefined), false);
});

Deno.test("initialize() notes what a server may ask the client's person", () => {
  const elicits = (elicitation?: unknown) =>
    initialize({ protocolVersion: 1, clientCapabilities: { elicitation } }, INFO).client.elicits;
  assertEquals(elicits({ form: {}, url: {} }), ["form", "url"]);
  assertEquals(elicits({ form: {}, url: null }), ["form"]);
  assertEquals(elicits({ form: true }), []);
  assertEquals(elicits(), []);
});

Deno.test("initialize() takes a client for an editor by what it declares of files, and by nothing else", () => {
  const filesOf = (fs: unknown) =>
    initialize({ protocolVersion: 1, clientCapabilities: { fs } }, INFO).client.editsFiles;
  assertEquals(filesOf({ readTextFile: true }), { reads: true, writes: false });
  assertEquals(filesOf({ readTextFile: true, writeTextFile: true }), { reads: true, writes: true });
  for (const fs of [undefined, null, {}, { readTextFile: "yes", writeTextFile: 1 }]) {
    assertEquals(filesOf(fs), { reads: false, writes: false });
  }
});
