import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import { SkepError } from "../errors.ts";
import { REFLECTION } from "./answer_calls.ts";
import type {
  Effect,
  Progress,
  Reply,
  Steer,
  Turn,
  TurnEvent,
  TurnIn,
  TurnLimits,
} from "./state.ts";
import { startTurn, step } from "./turn.ts";

const LIMITS: TurnLimits = {
  maxRounds: 3,
  maxCallsPerRound: 2,
  maxTokenRecoveries: 1,
  maxContextRecoveries: 1,
  maxStopRejections: 0,
};
const ASKING = asking(1);
const STEER: Steer = [{ type: "text", text: "and also" }];

function asking(round: number, more: Partial<Progress> = {}): TurnIn<"asking"> {
  const progress = { round, cutOffs: 0, recoveries: 0, rejections: 0, steers: [] };
  return { state: "asking", ...progress, ...more };
}

function call(id: string): ToolCall {
  return { type: "call", id, name: `s__${id}`, input: "{}" };
}

function result(callId: string, text = "done"): ToolResult {
  return { callId, name: `s__${callId}`, isError: false, content: [{ type: "text", text }] };
}

function replied(reply: Reply): TurnEvent {
  return { type: "replied", reply };
}

/** The turn after `events`, and all effects of the last one. */
function after(events: readonly TurnEvent[], limits = LIMITS): [Turn, Effect[]] {
  let [turn, effects] = startTurn();
  for (const event of events) [turn, effects] = step(turn, event, limits);
  return [turn, effects];
}

/** The texts of the results that were appended, by call id. */
function answers(effects: readonly Effect[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const effect of effects) {
    if (effect.type !== "append" || effect.message.role !== "tool") continue;
    for (const { callId, content } of effect.message.results) {
      texts[callId] = content.map((part) => part.type === "text" ? part.text : "").join("");
    }
  }
  return texts;
}

Deno.test("startTurn() asks the model", () => {
  assertEquals(startTurn(), [asking(1), [{ type: "ask" }]]);
});

Deno.test("step() ends a turn on an answer without calls", () => {
  const content = [{ type: "text", text: "hello" }] as const;
  assertEquals(after([replied({ content, stop: "end" })]), [
    { state: "ended", stop: "end_turn" },
    [{ type: "append", message: { role: "assistant", content } }],
  ]);
});

Deno.test("step() keeps no empty answer in the history", () => {
  assertEquals(after([replied({ content: [], stop: "end" })]), [
    { state: "ended", stop: "end_turn" },
    [],
  ]);
});

Deno.test("step() names each known stop, and turns no unknown one into a silent end", () => {
  const stopOf = (stop: Reply["stop"]) => after([replied({ content: [], stop, raw: "word" })])[0];
  assertEquals(stopOf("refusal"), { state: "ended", stop: "refusal" });
  for (const stop of ["error", "other", "calls"] as const) {
    const turn = stopOf(stop);
    assertEquals(turn.state, "failed");
    if (turn.state === "failed") assertStringIncludes(String(turn.error), '"word"');
  }
});

Deno.test("step() asks again after a pause", () => {
  const [turn, effects] = after([replied({ content: [], stop: "pause" })]);
  assertEquals(turn, asking(2));
  assertEquals(effects, [{ type: "ask" }]);
});

Deno.test("step() runs the calls of a reply and answers in call order, whatever order they end in", () => {
  const content = [call("a"), call("b")];
  const [acting, started] = after([replied({ content, stop: "calls" })]);
  assertEquals(acting.state, "acting");
  assertEquals(started, [
    { type: "append", message: { role: "assistant", content } },
    { type: "act", calls: content },
  ]);
  const [next, effects] = after([
    replied({ content, stop: "calls" }),
    { type: "call_ended", result: result("b") },
    { type: "call_ended", result: result("a") },
  ]);
  assertEquals(next, asking(2));
  assertEquals(effects, [
    { type: "append", message: { role: "tool", results: [result("a"), result("b")] } },
    { type: "ask" },
  ]);
});

Deno.test("step() runs as many calls as the limit and answers the ones past it", () => {
  const atLimit = [call("a"), call("b")];
  assertEquals(after([replied({ content: atLimit, stop: "calls" })])[1].at(-1), {
    type: "act",
    calls: atLimit,
  });
  const [, effects] = after([replied({ content: [...atLimit, call("c")], stop: "calls" })]);
  assertEquals(effects.at(-1), { type: "act", calls: atLimit });
  const [, last] = after([
    replied({ content: [...atLimit, call("c")], stop: "calls" }),
    { type: "call_ended", result: result("a") },
    { type: "call_ended", result: result("b") },
  ]);
  assertEquals(answers(last), {
    a: "done",
    b: "done",
    c: "not run: a reply may ask for 2 calls, this is one more",
  });
});

Deno.test("step() goes on behind a reply that was cut off, its text kept and none of its calls run", () => {
  const text = { type: "text", text: "I will" } as const;
  const [turn, effects] = after([replied({ content: [text, call("a")], stop: "max_tokens" })]);
  assertEquals(turn, asking(2, { cutOffs: 1 }));
  assertEquals(effects.map(({ type }) => type), ["append", "inject", "ask"]);
  assertEquals(effects[0], { type: "append", message: { role: "assistant", content: [text] } });
  assertStringIncludes(JSON.stringify(effects[1]), "None of its calls was run (s__a)");
});

Deno.test("step() ends as max_tokens when a reply is cut off once more than the limit", () => {
  const cut = replied({ content: [call("a")], stop: "max_tokens" });
  assertEquals(after([cut, cut]), [{ state: "ended", stop: "max_tokens" }, []]);
  assertEquals(after([cut], { ...LIMITS, maxTokenRecoveries: 0 })[0], {
    state: "ended",
    stop: "max_tokens",
  });
});

Deno.test("step() keeps the round limit when replies are cut off", () => {
  const cut = replied({ content: [], stop: "max_tokens" });
  const limits = { ...LIMITS, maxRounds: 1 };
  assertEquals(after([cut], limits)[0], { state: "ended", stop: "max_turn_requests" });
});

Deno.test("step() tells the model alone to reflect on what failed", () => {
  const failing = { ...result("a"), isError: true };
  const [, effects] = after([
    replied({ content: [call("a"), call("b")], stop: "calls" }),
    { type: "call_ended", result: failing },
    { type: "call_ended", result: result("b") },
  ]);
  assertEquals(effects[0], {
    type: "append",
    message: { role: "tool", results: [{ ...failing, note: REFLECTION }, result("b")] },
  });
});

Deno.test("step() takes a steer in every state, and puts it into the history before the next round", () => {
  const steered: TurnEvent = { type: "steered", steer: STEER };
  const said: Effect = { type: "append", message: { role: "user", content: STEER } };
  const done = replied({ content: [], stop: "end" });
  assertEquals(after([steered, done]), [asking(2), [said, { type: "ask" }]]);
  const acted = after([
    replied({ content: [call("a")], stop: "calls" }),
    steered,
    { type: "call_ended", result: result("a") },
  ]);
  assertEquals(acted[1].slice(1), [said, { type: "ask" }]);
  const checking = { ...LIMITS, maxStopRejections: 1 };
  assertEquals(after([done, steered, { type: "checked", objections: [] }], checking), [
    asking(2),
    [said, { type: "ask" }],
  ]);
  const error = new SkepError("CONTEXT_TOO_LONG", "x", { provider: "p" });
  const recovered: TurnEvent = { type: "recovered", isShorter: true };
  assertEquals(after([{ type: "failed", error }, steered, recovered, done])[1], [
    said,
    { type: "ask" },
  ]);
});

Deno.test("step() keeps a steer in the history that comes in the last round, or before a cancel", () => {
  const steered: TurnEvent = { type: "steered", steer: STEER };
  const said: Effect = { type: "append", message: { role: "user", content: STEER } };
  const limits = { ...LIMITS, maxRounds: 1 };
  assertEquals(after([steered, replied({ content: [], stop: "end" })], limits), [
    { state: "ended", stop: "max_turn_requests" },
    [said],
  ]);
  assertEquals(after([steered, { type: "cancelled", said: "" }])[1], [said]);
  assertEquals(after([steered, { type: "failed", error: "x" }])[1], [said]);
  assertEquals(after([steered, replied({ content: [], stop: "refusal" })])[1], [said]);
});

Deno.test("step() asks once more with a shorter history, as the same round, and fails when there is none", () => {
  const error = new SkepError("CONTEXT_TOO_LONG", "too long", { provider: "p" });
  const failed: TurnEvent = { type: "failed", error };
  assertEquals(after([failed])[1], [{ type: "recover", attempt: 1 }]);
  assertEquals(after([failed, { type: "recovered", isShorter: true }]), [
    asking(1, { recoveries: 1 }),
    [{ type: "ask" }],
  ]);
  assertEquals(after([failed, { type: "recovered", isShorter: false }])[0], {
    state: "failed",
    error,
  });
  assertEquals(after([failed, { type: "recovered", isShorter: true }, failed])[0], {
    state: "failed",
    error,
  });
});

Deno.test("a reply that filled the model's context was said to have reached the output limit, its history as long as before", () => {
  const content = [{ type: "text", text: "half" } as const, call("a")];
  const full = replied({ content, stop: "context_full", raw: "model_context_window_exceeded" });
  const [turn, effects] = after([full]);
  assertEquals([turn.state, effects.map(({ type }) => type)], [
    "recovering",
    ["append", "inject", "recover"],
  ]);
  assertEquals(effects[0], {
    type: "append",
    message: { role: "assistant", content: [{ type: "text", text: "half" }] },
  });
  assertStringIncludes(
    JSON.stringify(effects[1]),
    "it filled the model's context, which was made shorter. None of its calls was run (s__a)",
  );
  assertEquals(after([full, { type: "recovered", isShorter: true }])[0].state, "asking");
  const [failed] = after([full, { type: "recovered", isShorter: true }, full]);
  assertStringIncludes(
    String(failed.state === "failed" && failed.error),
    'it filled the model\'s context (its word: "model_context_window_exceeded")',
  );
});

Deno.test("step() asks whether the turn may end, and goes on behind objections up to their limit", () => {
  const limits = { ...LIMITS, maxStopRejections: 1 };
  const done = replied({ content: [], stop: "end" });
  const objection: Message = { role: "user", content: STEER };
  const checked: TurnEvent = { type: "checked", objections: [objection] };
  assertEquals(after([done], limits)[1], [{ type: "check" }]);
  assertEquals(after([done, { type: "checked", objections: [] }], limits)[0], {
    state: "ended",
    stop: "end_turn",
  });
  assertEquals(after([done, checked], limits), [
    asking(2, { rejections: 1 }),
    [{ type: "inject", message: objection }, { type: "ask" }],
  ]);
  assertEquals(after([done, checked, done], limits)[0], { state: "ended", stop: "end_turn" });
  assertEquals(after([replied({ content: [], stop: "refusal" })], limits)[0].state, "ended");
});

Deno.test("step() ends at the round limit, its last calls answered, and not one round before", () => {
  const round: TurnEvent[] = [
    replied({ content: [call("a")], stop: "calls" }),
    { type: "call_ended", result: result("a") },
  ];
  assertEquals(after([...round, ...round])[0], asking(3));
  const [turn, effects] = after([...round, ...round, ...round]);
  assertEquals(turn, { state: "ended", stop: "max_turn_requests" });
  assertEquals(answers(effects), { a: "done" });
});

Deno.test("step() has no round limit when it is 0", () => {
  const round: TurnEvent[] = [
    replied({ content: [call("a")], stop: "calls" }),
    { type: "call_ended", result: result("a") },
  ];
  const events = Array.from({ length: 500 }, () => round).flat();
  assertEquals(after(events, { ...LIMITS, maxRounds: 0 })[0], asking(501));
});

Deno.test("step() answers running calls when it is cancelled, and keeps what was said", () => {
  const [turn, effects] = after([
    replied({ content: [call("a"), call("b")], stop: "calls" }),
    { type: "call_ended", result: result("a") },
    { type: "cancelled", said: "" },
  ]);
  assertEquals(turn, { state: "ended", stop: "cancelled" });
  assertEquals(answers(effects), { a: "done", b: "cancelled" });
  assertEquals(after([{ type: "cancelled", said: "half an ans" }])[1], [{
    type: "append",
    message: { role: "assistant", content: [{ type: "text", text: "half an ans" }] },
  }]);
});

Deno.test("a call that had run was recorded as cancelled when the cancel came while its result was looked at", () => {
  const reply = replied({ content: [call("a"), call("b")], stop: "calls" });
  const ran: TurnEvent = { type: "call_ran", result: result("a", "what it did") };
  for (const end of [{ type: "cancelled", said: "" }, { type: "failed", error: "x" }] as const) {
    assertEquals(answers(after([reply, ran, end])[1]).a, "what it did");
  }
  const looked: TurnEvent = { type: "call_ended", result: result("a", "withheld") };
  const [, effects] = after([reply, ran, looked, { type: "cancelled", said: "" }]);
  assertEquals(answers(effects), { a: "withheld", b: "cancelled" });
});

Deno.test("step() fails with the model's error, and answers what ran when the turn itself fails", () => {
  const error = new Error("no network");
  assertEquals(after([{ type: "failed", error }]), [{ state: "failed", error }, []]);
  const [turn, effects] = after([
    replied({ content: [call("a")], stop: "calls" }),
    { type: "failed", error },
  ]);
  assertEquals(turn, { state: "failed", error });
  assertEquals(answers(effects), { a: "not finished" });
});

Deno.test("step() ignores what comes too late", () => {
  const ended: Turn = { state: "ended", stop: "end_turn" };
  for (
    const event of [
      replied({ content: [], stop: "end" }),
      { type: "call_ended", result: result("a") },
      { type: "cancelled", said: "x" },
      { type: "failed", error: new Error() },
      { type: "steered", steer: STEER },
      { type: "recovered", isShorter: true },
      { type: "checked", objections: [] },
    ] as TurnEvent[]
  ) assertEquals(step(ended, event, LIMITS), [ended, []]);
  assertEquals(step(ASKING, { type: "call_ended", result: result("a") }, LIMITS), [ASKING, []]);
});

Deno.test("step() answers each call once, keeps each steer once and ends once, whatever happens in whatever order", () => {
  const tooLong = new SkepError("CONTEXT_TOO_LONG", "x", { provider: "p" });
  const event = fc.oneof<fc.Arbitrary<TurnEvent>[]>(
    fc.record({
      type: fc.constant("replied" as const),
      reply: fc.record({
        content: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 })
          .map((ids) => ids.map(call)),
        stop: fc.constantFrom("end", "calls", "max_tokens", "refusal", "pause", "error", "other"),
      }),
    }),
    fc.constantFrom("a", "b", "c", "d", "unknown").map((id) => ({
      type: "call_ended" as const,
      result: result(id),
    })),
    fc.constantFrom("a", "b", "unknown").map((id) => ({
      type: "call_ran" as const,
      result: result(id),
    })),
    fc.nat(99).map((text) => ({
      type: "steered" as const,
      steer: [{ type: "text" as const, text: `steer ${text}` }],
    })),
    fc.boolean().map((isShorter) => ({ type: "recovered" as const, isShorter })),
    fc.boolean().map((may) => ({
      type: "checked" as const,
      objections: may ? [] : [{ role: "user" as const, content: [] }],
    })),
    fc.string().map((said) => ({ type: "cancelled" as const, said })),
    fc.constantFrom<unknown>("x", tooLong).map((error) => ({ type: "failed" as const, error })),
  );
  const limits = { ...LIMITS, maxRounds: 6, maxStopRejections: 2 };
  fc.assert(fc.property(fc.array(event, { maxLength: 30 }), (events) => {
    let [turn, effects] = startTurn();
    let open: string[] = [];
    let ends = 0;
    const taken: unknown[] = [];
    const kept: unknown[] = [];
    for (const event of events) {
      const wasOver = isOver(turn);
      if (event.type === "steered" && !wasOver) taken.push(event.steer);
      [turn, effects] = step(turn, event, limits);
      if (isOver(turn) && !wasOver) ends++;
      if (wasOver) assertEquals(effects, []);
      for (const effect of effects) {
        if (effect.type !== "append") continue;
        if (effect.message.role === "user") kept.push(effect.message.content);
        else if (effect.message.role === "tool") {
          assertEquals(effect.message.results.map((one) => one.callId), open);
          open = [];
        } else {
          assertEquals(open, []);
          open = effect.message.content.flatMap((part) => part.type === "call" ? [part.id] : []);
        }
      }
      assertEquals("steers" in turn ? [...kept, ...turn.steers] : kept, taken);
      if (isOver(turn)) assertEquals(open, []);
    }
    assertEquals(ends <= 1, true);
  }));
});

function isOver(turn: Turn): boolean {
  return turn.state === "ended" || turn.state === "failed";
}
