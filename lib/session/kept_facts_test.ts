import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Message } from "../model/message.ts";
import { textTokens } from "./estimate_tokens.ts";
import { isSummary, keptFacts, summaryMessage } from "./kept_facts.ts";
import { referenceResults } from "./reference_results.ts";
import { summaryRequest } from "./summary_request.ts";

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function call(name: string, input: unknown): Message {
  return {
    role: "assistant",
    content: [{ type: "call", id: "c", name, input: JSON.stringify(input) }],
  };
}

function result(text: string): Message {
  const content = [{ type: "text", text }] as const;
  return { role: "tool", results: [{ callId: "c", name: "t", isError: false, content }] };
}

Deno.test("keptFacts() has what was said, the files and the last plan; a summary carries them on", () => {
  const messages = [
    user("Build it\nwith care"),
    call("dev__read_file", { path: "a.ts" }),
    call("dev__todo", { todos: [{ content: "old" }] }),
    user("[3 older messages were taken out here: the model's context did not hold them.]"),
    user("[Your reply was cut off: it reached the output limit. Go on. Think briefly.]"),
    user("[Pinned by the person]\nnever push"),
    user('{"hook":"_Stop","server":"s","text":"not yet"}'),
    call("dev__todo", { todos: [{ content: "new" }] }),
    call("x__broken", "{"),
  ];
  const facts = keptFacts(messages, 1000);
  assertEquals(facts, {
    said: ["Build it\nwith care"],
    files: ["a.ts"],
    plan: '[{"content":"new"}]',
  });
  const summary = summaryMessage("It goes well.", facts, ["never push"], "[hooks]");
  assertEquals([isSummary(summary), isSummary(messages[0]!)], [true, false]);
  const again = keptFacts([summary, user("And this"), call("s__w", { file: "b.ts" })], 1000);
  assertEquals(again, {
    said: ["Build it\nwith care", "And this"],
    files: ["a.ts", "b.ts"],
    plan: '[{"content":"new"}]',
  });
});

Deno.test("keptFacts() keeps the first thing that was said and the newest that fit", () => {
  const said = ["first", "b".repeat(300), "c", "d"];
  const facts = keptFacts(said.map(user), 20);
  assertEquals(facts.said, ["first", "c", "d"]);
});

Deno.test("what a person said with a bracket at its beginning is kept through a compaction", () => {
  const said = ["[JIRA-7] do it", "[Context summary] is a heading of my file", "[] is a list"];
  assertEquals(keptFacts(said.map(user), 1000).said, said);
  assertEquals(said.map((text) => isSummary(user(text))), [false, false, false]);
  const hooked: Message = {
    role: "user",
    content: [
      { type: "text", text: '[Hook output — untrusted]\n{"hook":"h","server":"s","text":"t"}' },
      { type: "text", text: "[JIRA-8] and this" },
    ],
  };
  assertEquals(keptFacts([hooked], 1000).said, ["[JIRA-8] and this"]);
});

Deno.test("a first thing that is too long hides nothing that was said later, nor a new one what is older", () => {
  const long = "x".repeat(3000);
  const [first, ...others] = keptFacts([long, "and", "this"].map(user), 100).said;
  assertEquals(others, ["and", "this"]);
  assertMatch(first!, /^x{200,}… \[\d+ of 3000 characters are cut here\]$/);
  const [begin, old, big] = keptFacts(["begin", "old", long].map(user), 100).said;
  assertEquals([begin, old], ["begin", "old"]);
  assertMatch(big!, /^x{200,}… /);
  const both = keptFacts([long, long, long, "😀".repeat(900)].map(user), 100).said;
  assertEquals(both.length, 3);
  assertMatch(both[0]!, /^x+… /);
  assertMatch(both[2]!, /^(?:😀)+… \[\d+ of 1800 characters are cut here\]$/);
  const tokens = both.reduce((sum, text) => sum + textTokens(JSON.stringify(text)) + 1, 0);
  assertEquals(tokens <= 100, true);
  assertMatch(keptFacts([user(long), user("y")], 20).said.join("|"), /^x+… .*\|y$/);
});

Deno.test("referenceResults() refers to a result of the limit and one byte more, and to none below it", () => {
  const put: unknown[] = [];
  const artifacts = { put: (content: unknown) => `a${put.push(content)}` };
  const messages = [result("x".repeat(511)), result("x".repeat(512)), result("y".repeat(513))];
  const referred = referenceResults(messages, artifacts, { minReferencedBytes: 512 });
  assertEquals(referred[0] === messages[0], true);
  assertEquals(put.length, 2);
  const text = JSON.stringify(referred[2]);
  assert(text.includes('513 bytes were here: read_artifact \\"a2\\" gives all of them'), text);
  const image = { type: "image", data: "AAAA", mediaType: "image/png" } as const;
  const shown: Message = {
    role: "tool",
    results: [{ callId: "c", name: "t", isError: false, content: [image] }],
  };
  const [seen] = referenceResults([shown], artifacts, { minReferencedBytes: 512 });
  assert(JSON.stringify(seen).includes('read_artifact \\"a3\\" shows it'));
});

Deno.test("summaryRequest() takes the newest messages that fit without a hole, and says how many it left out", () => {
  const messages = [user("a".repeat(30)), user("b".repeat(3000)), user("cc"), user("dd")];
  const textIn = (tokens: number) => {
    const { messages: [only] } = summaryRequest(messages, tokens, 100);
    return JSON.stringify(only);
  };
  assert(textIn(20).includes("(2 older messages are left out)"));
  assert(!textIn(20).includes("aaa"), "there is no hole");
  assert(textIn(5000).includes("aaa") && !textIn(5000).includes("left out"));
  const long = summaryRequest([user("e".repeat(9000))], 200, 100);
  assert(JSON.stringify(long.messages).length < 2000, "one that is too long is cut");
  assertEquals([long.tools, long.isThinking, long.maxOutputTokens], [[], false, 100]);
});

Deno.test("summaryRequest() has the arguments of calls, and cuts long results in the middle", () => {
  const request = summaryRequest(
    [call("dev__shell", { command: "make test" }), result(`begin ${"x".repeat(9000)} end`)],
    10_000,
    100,
  );
  const text = JSON.stringify(request.messages);
  assert(text.includes("make test") && text.includes("begin") && text.includes(" end"));
  assert(text.length < 6000);
});
