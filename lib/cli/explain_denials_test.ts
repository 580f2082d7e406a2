import { assertEquals } from "@std/assert";
import { testGrant } from "../sandbox/test_grant.ts";
import { explainDenials } from "./explain_denials.ts";

const LIMIT = 1000;

async function passed(
  lines: string,
  chunk = lines.length,
  refused: readonly string[] = [],
): Promise<string> {
  const { grant } = await testGrant({ permissions: { read: ["/data"] } });
  const bytes = new TextEncoder().encode(lines);
  const parts = [];
  for (let at = 0; at < bytes.length; at += chunk) parts.push(bytes.subarray(at, at + chunk));
  const launch = {
    grant,
    redact: (text: string) => text.replaceAll("hunter2", "***"),
    takeRefused: () =>
      refused.map((text) => ({
        server: "s",
        host: "a.test",
        port: 443,
        value: "a.test:443",
        text,
      })),
  };
  const given = explainDenials(ReadableStream.from(parts), launch, LIMIT);
  return await new Response(ReadableStream.from(given)).text();
}

const denied = (value: string) =>
  `{"id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true,` +
  `"_meta":{"skep/denied":{"access":"read","value":"${value}"}}}}\n`;

Deno.test("explainDenials() gives any MCP host the list, and the line that would allow it", async () => {
  const { result } = JSON.parse(await passed(denied("/hunter2"), 7));
  assertEquals(result.content, [{
    type: "text",
    text: 'Access denied: the grant of server "s" does not let it read "/***". ' +
      'Its read list: "/data". ' +
      'To allow it, write read: ["/***"] under permissions: of server "s" in --mcp.',
  }]);
  assertEquals(result._meta, { "skep/denied": { access: "read", value: "/hunter2" } });
});

Deno.test("explainDenials() passes all else on byte for byte", async () => {
  const lines = '{"id": 2, "result": {"content": []}}\nno json\r\n\n{"method":"x"}\nunfinished';
  for (const chunk of [1, 5, lines.length]) assertEquals(await passed(lines, chunk), lines);
});

Deno.test("explainDenials() passes a line on unread that is over its limit, and reads the next", async () => {
  const at = (bytes: number) => denied("x".repeat(bytes - denied("").length));
  const isExplained = async (line: string) => (await passed(line, 100)) !== line;
  assertEquals([await isExplained(at(LIMIT)), await isExplained(at(LIMIT + 1))], [true, false]);
  const both = await passed(at(5 * LIMIT) + denied("/x"), 100);
  assertEquals(both.startsWith(at(5 * LIMIT)), true);
  assertEquals(both.includes("Its read list"), true);
});

Deno.test("explainDenials() tells with a result what the network proxy refused meanwhile", async () => {
  const line = '{"id":1,"result":{"content":[{"type":"text","text":"cannot fetch"}]}}\n';
  const { result } = JSON.parse(await passed(line, 9, ["refused hunter2"]));
  assertEquals(result.content, [
    { type: "text", text: "cannot fetch" },
    { type: "text", text: "refused ***" },
  ]);
});
