import { assertEquals } from "@std/assert";
import { withCallNames } from "./name_calls.ts";

type Delta = Readonly<Record<string, unknown>>;

function event(delta: Delta, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

function call(index: number, fields: Delta, said: Delta): string {
  return event({ tool_calls: [{ index, ...fields, function: said }] });
}

/** What comes out of the events, in pieces of a few bytes each. */
async function through(...events: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(events.join(""));
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / 7) },
    (_, at) => bytes.slice(at * 7, at * 7 + 7),
  );
  const send = withCallNames(() => Promise.resolve(new Response(ReadableStream.from(pieces))));
  return await (await send("http://127.0.0.1/")).text();
}

Deno.test("withCallNames() leaves what has names as it came, to the byte", async () => {
  const events = [
    ": a comment\r\n",
    event({ content: 'it says "tool_calls": [é]' }),
    call(0, { id: "a" }, { name: "s__t", arguments: "{" }),
    call(0, {}, { name: "", arguments: "}" }), // some servers send an empty name with each increment
    'data: {"tool_calls" no JSON\n\n',
    event({}, "tool_calls"),
    "data: [DONE]",
  ];
  assertEquals(await through(...events), events.join(""));
});

Deno.test("withCallNames() holds a call until its name has come, and names one that has none by its end", async () => {
  const given = await through(
    call(0, { id: "a" }, { name: "", arguments: '{"a"' }),
    call(1, { id: "b" }, { name: " ", arguments: "" }),
    call(0, {}, { name: "s__t", arguments: ":1}" }),
    call(1, {}, { arguments: "{}" }),
    event({}, "tool_calls"),
  );
  const calls = given.split("\n\n").filter((line) => line !== "").flatMap((line) =>
    JSON.parse(line.slice("data: ".length)).choices[0].delta.tool_calls ?? []
  );
  assertEquals(calls, [
    { index: 0, function: { name: "s__t", arguments: '{"a":1}' }, id: "a" },
    { index: 1, id: "b", type: "function", function: { name: "unnamed_call", arguments: "{}" } },
  ]);
});
