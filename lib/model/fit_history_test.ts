import { assertEquals } from "@std/assert";
import { type CallIdRule, PLAIN_CALL_IDS } from "./dialect.ts";
import { fitHistory, hasImages } from "./fit_history.ts";
import type { Message, ToolResult } from "./message.ts";

const KEEPS: CallIdRule = { ...PLAIN_CALL_IDS, keepsOwn: true };

const fit = (
  messages: readonly Message[],
  callIds = PLAIN_CALL_IDS,
  takesImages = true,
): Message[] => fitHistory(messages, { modelId: "acme:m", dialect: { callIds }, takesImages });

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const calls = (ids: readonly string[], model = "other:m"): Message => ({
  role: "assistant",
  model,
  content: ids.map((id) => ({ type: "call", id, name: "s__t", input: "{}" })),
});
const result = (callId: string): ToolResult => (
  { callId, name: "s__t", isError: false, content: [{ type: "text", text: `of ${callId}` }] }
);
const tool = (...ids: string[]): Message => ({ role: "tool", results: ids.map(result) });

/** Ids of calls and results, message by message. */
function idsOf(messages: readonly Message[]): unknown[] {
  return messages.map((message) => {
    if (message.role === "user") return "user";
    return message.role === "tool"
      ? message.results.map(({ callId, isError }) => isError ? `${callId}!` : callId)
      : message.content.flatMap((part) => part.type === "call" ? [part.id] : []);
  });
}

Deno.test("fitHistory() leaves a history that fits as it is", () => {
  const history = [user("a"), calls(["c1", "c2"]), tool("c1", "c2"), user("b")];
  assertEquals(fit(history), history);
});

Deno.test("fitHistory() gives a call without a result one that says so (T97)", () => {
  const cut = [user("a"), calls(["c1", "c2"]), tool("c2"), user("b"), calls(["c3"])];
  assertEquals(idsOf(fit(cut)), ["user", ["c1", "c2"], ["c2"], ["c1!"], "user", ["c3"], ["c3!"]]);
});

Deno.test("fitHistory() drops a result whose call is gone, or that has one already (T97)", () => {
  const orphans = [tool("c0"), user("a"), calls(["c1"]), tool("c1", "c1"), tool("c9"), user("b")];
  assertEquals(idsOf(fit(orphans)), ["user", ["c1"], ["c1"], "user"]);
});

Deno.test("fitHistory() rewrites ids that the provider refuses, in calls and results alike", () => {
  const long = "x".repeat(65);
  const history = [
    calls(["functions.read:0", "call_1"]),
    tool("functions.read:0", "call_1"),
    calls([long]),
    tool(long),
  ];
  assertEquals(idsOf(fit(history)), [
    ["call_2", "call_1"],
    ["call_2", "call_1"],
    ["call_3"],
    ["call_3"],
  ]);
  assertEquals(idsOf(fit([calls(["x".repeat(64)]), tool("x".repeat(64))]))[0], ["x".repeat(64)]);
});

Deno.test("fitHistory() gives an id the same new one when the history has grown", () => {
  const before = [calls(["a.1"]), tool("a.1")];
  const after = [...before, user("b"), calls(["a.2"]), tool("a.2")];
  assertEquals(fit(after).slice(0, 2), fit(before));
});

Deno.test("fitHistory() keeps a provider's own ids where it wants them back to the letter", () => {
  const own = [calls(["functions.read:0"], "acme:n"), tool("functions.read:0")];
  assertEquals(idsOf(fit(own, KEEPS)), [["functions.read:0"], ["functions.read:0"]]);
  const foreign = [calls(["functions.read:0"]), tool("functions.read:0")];
  assertEquals(idsOf(fit(foreign, KEEPS)), [["call_1"], ["call_1"]]);
});

const PIXEL = { type: "image", data: "AAAA", mediaType: "image/png" } as const;

Deno.test("fitHistory() puts images into words where none are taken", () => {
  const history: Message[] = [
    { role: "user", content: [{ type: "text", text: "see" }, PIXEL] },
    calls(["c1"]),
    { role: "tool", results: [{ ...result("c1"), content: [PIXEL] }] },
  ];
  assertEquals(fit(history), history);
  const words = "[An image (image/png, about 3 bytes) was left out: this model takes no images. " +
    "Go on without it, or say that you cannot see it]";
  const [asked, , answered] = fit(history, PLAIN_CALL_IDS, false);
  assertEquals(asked?.role === "user" && asked.content[1], { type: "text", text: words });
  assertEquals(answered?.role === "tool" && answered.results[0]?.content, [
    { type: "text", text: words },
  ]);
  assertEquals([hasImages(history), hasImages([asked!, answered!])], [true, false]);
});
