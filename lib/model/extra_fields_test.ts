import { assertEquals } from "@std/assert";
import { splitExtraFields, withExtraFields } from "./extra_fields.ts";

async function sent(body: string, extraFields?: Record<string, unknown>): Promise<unknown> {
  let seen: RequestInit | undefined;
  const send = withExtraFields((_url, init) => {
    seen = init;
    return Promise.resolve(new Response());
  }, extraFields === undefined ? {} : { extraFields });
  await send("http://a.test", { body });
  return seen?.body;
}

Deno.test("withExtraFields() adds fields, and changes none that skep sends", async () => {
  const body = '{"model":"m","stream":true}';
  assertEquals(await sent(body), body);
  assertEquals(
    JSON.parse(String(await sent(body, { model: "other", provider: { order: ["a"] } }))),
    { model: "m", stream: true, provider: { order: ["a"] } },
  );
});

Deno.test("withExtraFields() adds nothing that runs or keeps anything at the provider", async () => {
  const fields = { tools: [{ type: "web_search" }], mcp_servers: [], store: true, plugins: [] };
  assertEquals(await sent('{"model":"m"}', fields), '{"model":"m"}');
  const { sent: kept, others } = splitExtraFields({ ...fields, seed: 1 });
  assertEquals([kept, others], [{ seed: 1 }, ["tools", "mcp_servers", "store", "plugins"]]);
});
