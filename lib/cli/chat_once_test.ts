import { assertEquals, assertRejects } from "@std/assert";
import type { Session } from "../session/session.ts";
import type { TurnStop, Update } from "../turn/update.ts";
import { answerOnce } from "./chat_once.ts";
import { testHost } from "./test_host.ts";

/** A session with one turn, which shows its updates and ends as it is told to; it notes its cancels. */
function sessionOf(updates: readonly Update[], stop: TurnStop): Session & { cancels: number } {
  const session = {
    cancels: 0,
    prompt: (_content: unknown, onUpdate: (update: Update) => void) => {
      updates.forEach(onUpdate);
      return Promise.resolve(stop);
    },
    cancel: () => void session.cancels++,
  };
  return session as unknown as Session & { cancels: number };
}

const HELLO: Update[] = [
  { type: "text", message: "1", text: "Look" },
  { type: "text", message: "2", text: "Hello" },
];

Deno.test("answerOnce() prints the answer and ends its line", async () => {
  const { host, stdout, messages } = testHost();
  await answerOnce(sessionOf(HELLO, "end_turn"), "hi", host);
  assertEquals([stdout(), messages], ["Look\nHello\n", []]);
});

Deno.test("answerOnce() says every stop that is no plain end", async () => {
  const stops: [TurnStop, string][] = [
    ["max_tokens", "skep: the answer is cut off: it reached the model's output limit (max_tokens)"],
    [
      "max_turn_requests",
      "skep: the turn was ended at its round limit (max_turn_requests; SKEP_MAX_ROUNDS or the persona's limits set it)",
    ],
    ["refusal", "skep: the model refused to answer (refusal)"],
    ["cancelled", "skep: cancelled"],
  ];
  for (const [stop, message] of stops) {
    const { host, stdout, messages } = testHost();
    await answerOnce(sessionOf(HELLO, stop), "hi", host);
    assertEquals([stdout(), messages], ["Look\nHello\n", [message]]);
  }
});

Deno.test("answerOnce() gives one object for --json, with what the turn ended as", async () => {
  const { host, stdout } = testHost();
  await answerOnce(sessionOf(HELLO, "refusal"), "hi", host, { isJson: true });
  assertEquals(stdout(), '{"stop":"refusal","text":"Look\\nHello"}\n');
});

Deno.test("answerOnce() cancels the turn when nobody reads its answer, and fails", async () => {
  const { host } = testHost({ print: () => Promise.reject(new Error("gone")) });
  const session = sessionOf(HELLO, "cancelled");
  await assertRejects(() => answerOnce(session, "hi", host), Error, "gone");
  assertEquals(session.cancels, 1);
});
