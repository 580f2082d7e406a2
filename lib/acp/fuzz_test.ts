import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { echo, FakeSession, MemoryClient } from "../../tests/acp_client.ts";

/** Lines that something was once wrong with, or nearly; every run begins with them. */
const KEPT: readonly string[] = [
  "[]",
  "null",
  '"initialize"',
  "{}",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":null,"method":"initialize"}',
  '{"jsonrpc":"2.0","id":{},"method":"session/prompt"}',
  '{"jsonrpc":"2.0","id":1e999,"method":"session/new","params":{"cwd":"/w"}}',
  '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":{"sessionId":"s1"}}}',
  '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"__proto__"}]}}',
  '{"jsonrpc":"2.0","id":1,"method":"session/set_config_option","params":{"sessionId":"s1","configId":"constructor","value":"x"}}',
  '{"jsonrpc":"2.0","id":"skep-1","result":{"outcome":{"outcome":"selected","optionId":"always"}}}',
  '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}',
  '{"jsonrpc":"2.0","id":"\\ud800","method":"session/list","params":null}',
  `${"[".repeat(5000)}`,
  "\u0000",
  "\ufeff{}",
];

const METHODS = [
  "initialize",
  "authenticate",
  "logout",
  "session/new",
  "session/load",
  "session/resume",
  "session/fork",
  "session/list",
  "session/close",
  "session/delete",
  "session/prompt",
  "session/cancel",
  "session/set_mode",
  "session/set_model",
  "session/set_config_option",
  "_goose/unstable/session/steer",
  "$/cancel_request",
];

const FIELDS = [
  "sessionId",
  "cwd",
  "mcpServers",
  "prompt",
  "systemPrompt",
  "modeId",
  "modelId",
  "configId",
  "value",
  "expectedRunId",
  "protocolVersion",
  "clientCapabilities",
  "cursor",
  "methodId",
  "requestId",
  "type",
  "text",
  "_meta",
  "__proto__",
];

/** Values that the agent looks at, among any others. */
const value = fc.oneof(
  { maxDepth: 3 },
  fc.constantFrom("s1", "/work", "plan", "model", "text", "image", "", 1, 2, null, true, [], {}),
  fc.jsonValue(),
);

const params = fc.oneof(
  fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 }),
  fc.record({
    sessionId: fc.constant("s1"),
    prompt: fc.array(fc.record({ type: value, text: value })),
  }),
  value,
);

const line = fc.oneof(
  fc.constantFrom(...KEPT),
  fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0", 2),
      id: value,
      method: fc.constantFrom(...METHODS),
      params,
    },
    { requiredKeys: ["method"] },
  ).map((message) => JSON.stringify(message)),
  fc.record({ jsonrpc: fc.constant("2.0"), id: value, result: value }).map((each) =>
    JSON.stringify(each)
  ),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 200 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
);

async function feed(lines: readonly string[]): Promise<void> {
  let opened = 0;
  const client = new MemoryClient({
    open: () => Promise.resolve(new FakeSession(`s${++opened}`, echo)),
    kept: () =>
      Promise.resolve({
        list: () => Promise.resolve({ sessions: [] }),
        info: () => Promise.resolve(undefined),
        delete: () => Promise.resolve(false),
      }),
  });
  const open = async (id: string) => {
    const params = { cwd: "/work" };
    await client.line({ jsonrpc: "2.0", id, method: "session/new", params });
    return await client.frame((frame) => frame.id === id);
  };
  await open("the first");
  for (const each of lines) await client.line(each);
  // It lives, and has answered in time; each update was held against the schema as it came.
  assertEquals("result" in await open("the last"), true);
  const answers = client.frames.filter(({ method }) => method === undefined);
  assertEquals(answers.length <= lines.length + 2, true);
  await client.end();
  assertEquals(client.warnings.filter((warning) => warning.startsWith("Defect")), []);
}

Deno.test("serveAcp() answers each of the lines that were kept, and lives on", async () => {
  await feed(KEPT);
});

Deno.test("serveAcp() lives on whatever lines come, and never finds a defect in itself", async () => {
  await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 12 }), feed), { numRuns: 150 });
});
