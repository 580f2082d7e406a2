import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Message } from "../model/message.ts";
import type { SessionRecord } from "./session_record.ts";
import { parseRecord } from "./session_record.ts";
import { MAY_HAVE_HAPPENED, NOT_BEGUN, SessionState } from "./session_state.ts";

const text = (said: string) => [{ type: "text", text: said }] as const;

function call(id: string) {
  return { type: "call", id, name: "s__t", input: "{}" } as const;
}

function result(callId: string, said = "ok") {
  return { callId, name: "s__t", isError: false, content: text(said) } as const;
}

/** A turn with two calls, a steer and an answer, as it is recorded. */
const TURN: readonly SessionRecord[] = [
  { type: "opened", skep: "0" },
  { type: "prompt", turn: "run_1", content: text("go") },
  { type: "message", message: { role: "assistant", content: [call("c1"), call("c2")] } },
  { type: "call", callId: "c1", tool: "s__t" },
  { type: "call", callId: "c2", tool: "s__t" },
  { type: "result", result: result("c2", "two") },
  { type: "steer", content: text("also this") },
  { type: "result", result: result("c1", "one") },
  { type: "answers", results: [{ callId: "c1" }, { callId: "c2", note: "n" }] },
  { type: "message", message: { role: "user", content: text("also this") } },
  { type: "message", message: { role: "assistant", content: text("done") } },
  { type: "usage", usage: { inputTokens: 3 }, model: "m", purpose: "turn" },
  { type: "stop", stop: "end_turn" },
];

function fold(records: readonly SessionRecord[], drafted = ""): SessionState {
  const state = new SessionState();
  for (const record of records) state.take(record);
  for (const record of state.repairs(drafted)) state.take(record);
  return state;
}

/** What a provider asks of a history: each call answered once, by the message right behind it. */
function orphans(history: readonly Message[]): string[] {
  const wrong: string[] = [];
  let waiting: string[] = [];
  for (const message of history) {
    if (message.role === "tool") {
      const answered = message.results.map(({ callId }) => callId);
      if (answered.join() !== waiting.join()) wrong.push(...answered, ...waiting);
      waiting = [];
      continue;
    }
    wrong.push(...waiting.splice(0));
    if (message.role === "assistant") {
      waiting = message.content.flatMap((part) => part.type === "call" ? [part.id] : []);
    }
  }
  return [...wrong, ...waiting];
}

Deno.test("SessionState has a whole turn as it was, and repairs nothing of it", () => {
  const state = fold(TURN);
  assertEquals(state.history.map(({ role }) => role), [
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
  ]);
  assertEquals(state.history[2], {
    role: "tool",
    results: [result("c1", "one"), { ...result("c2", "two"), note: "n" }],
  });
  assertEquals([state.usage, state.turns, state.repairs("")], [{ inputTokens: 3 }, 1, []]);
});

Deno.test("any prefix of a session loads, and every call in it has one answer (T108, T97)", () => {
  for (let length = 0; length <= TURN.length; length++) {
    const state = fold(TURN.slice(0, length));
    assertEquals([length, orphans(state.history)], [length, []]);
    assertEquals([length, state.repairs("")], [length, []]);
  }
});

Deno.test("repairs() tells a call that was under way from one that was not, and keeps the results there are", () => {
  const history = fold(TURN.slice(0, 4)).history;
  assertEquals(history[2], {
    role: "tool",
    results: [
      { ...result("c1", MAY_HAVE_HAPPENED), isError: true, isUndelivered: true },
      { ...result("c2", NOT_BEGUN), isError: true, isUndelivered: true },
    ],
  });
  const later = fold(TURN.slice(0, 7)).history;
  assertEquals(later[2], {
    role: "tool",
    results: [
      { ...result("c1", MAY_HAVE_HAPPENED), isError: true, isUndelivered: true },
      result("c2", "two"),
    ],
  });
  assertEquals(later[3], { role: "user", content: text("also this") });
});

Deno.test("repairs() keeps what a reply had said when it was cut off, once", () => {
  const cut = fold(TURN.slice(0, 2), "Half an");
  assertEquals(cut.history.at(-1), { role: "assistant", content: text("Half an") });
  assertEquals(cut.repairs("Half an"), []);
});

Deno.test("a compaction replaces what goes to the model, and nothing else", () => {
  const history = [{ role: "user", content: text("summary") }] as const;
  const state = fold([
    ...TURN,
    { type: "compacting" },
    { type: "compacted", how: "summary", droppedMessages: 5, history },
    { type: "chosen", mode: "plan", model: "x" },
    { type: "approval", rules: [{ action: "allow", tool: "s__t", args: {} }] },
    { type: "pinned", text: "never push" },
  ]);
  assertEquals(state.history, [...history]);
  assertEquals([state.turns, state.mode, state.model], [1, "plan", "x"]);
  assertEquals([state.allowed.length, state.pinned], [1, ["never push"]]);
});

Deno.test("an interrupted compaction leaves the history as it was (T102)", () => {
  const state = fold([...TURN, { type: "compacting" }]);
  assertEquals(state.history.length, 5);
});

Deno.test("repairs() leave nothing to repair, whatever the records are", () => {
  const records = fc.array(fc.constantFrom(...TURN.filter(({ type }) => type !== "answers")));
  fc.assert(fc.property(records, (some) => {
    const state = fold(some);
    assertEquals(state.repairs(""), []);
  }));
});

Deno.test("parseRecord() reads what it knows, skips what a newer skep wrote, refuses what is none", () => {
  assertEquals(parseRecord('{"type":"stop","stop":"end_turn"}'), {
    type: "stop",
    stop: "end_turn",
  });
  assertEquals(parseRecord('{"type":"of a newer skep"}'), undefined);
  assertEquals(parseRecord('{"type":"toString"}'), undefined);
  for (const body of ["[]", "null", '"stop"', '{"type":"stop"}', "{"]) {
    let thrown: unknown;
    try {
      parseRecord(body);
    } catch (error) {
      thrown = error;
    }
    assertEquals([body, thrown instanceof Error], [body, true]);
  }
});

Deno.test("what was chosen last comes back, and a choice that was taken back does not", () => {
  const chosen = fold([
    { type: "chosen", model: "a:b", effort: "high" },
    { type: "chosen", mode: "plan" },
  ]);
  assertEquals([chosen.model, chosen.effort, chosen.mode], ["a:b", "high", "plan"]);
  chosen.take({ type: "chosen", model: "a:c", effort: null });
  assertEquals([chosen.model, chosen.effort, chosen.mode], ["a:c", undefined, "plan"]);
});

Deno.test("SessionState knows which servers were switched off, and not on again", () => {
  const state = fold([
    { type: "switched", server: "dev", isOff: true },
    { type: "switched", server: "other", isOff: true },
    { type: "switched", server: "dev", isOff: false },
  ]);
  assertEquals([...state.off], ["other"]);
});

Deno.test("SessionState knows the list that a todo tool took last, past a compaction too", () => {
  const state = new SessionState();
  const call = (id: string, input: string, isError: boolean) => {
    const name = "dev__todo";
    const content = [{ type: "call", id, name, input }] as const;
    state.take({ type: "message", message: { role: "assistant", content } });
    const results = [{ callId: id, name, isError, content: [] }];
    state.take({ type: "message", message: { role: "tool", results } });
  };
  call("c1", '{"todos":[{"text":"one"}]}', false);
  call("c2", '{"todos":[{"text":"too long"}]}', true);
  call("c3", "{}", false);
  state.take({ type: "compacted", how: "summary", droppedMessages: 6, history: [] });
  assertEquals(state.plan, { tool: "dev__todo", todos: [{ text: "one" }] });
});
