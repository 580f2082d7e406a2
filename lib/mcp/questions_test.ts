import { assertEquals } from "@std/assert";
import { Deadline } from "./deadline.ts";
import type { Elicitation, ElicitationAnswer } from "./elicitation.ts";
import { Questions } from "./questions.ts";

const NEVER = new AbortController().signal;
const PARAMS = { message: "who?", requestedSchema: { properties: {} } };

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}

/** Questions whose person answers when told to. */
function asked() {
  const person = Promise.withResolvers<ElicitationAnswer>();
  const seen: Elicitation[] = [];
  const questions = new Questions({
    server: "s",
    limits: { maxQuestionCharacters: 100 },
    log: () => {},
    elicitor: {
      modes: ["form"],
      ask: (question, signal) => {
        seen.push(question);
        signal.addEventListener("abort", () => person.reject(signal.reason));
        return person.promise;
      },
    },
  });
  return { person, questions, seen };
}

Deno.test("Questions holds a call's deadline still while a person thinks, and starts it anew then", async () => {
  const { person, questions } = asked();
  using deadline = new Deadline(20, NEVER, sleep);
  using _ = questions.during(deadline);
  const answer = questions.answer(PARAMS, NEVER);
  assertEquals(questions.areOpen, true);
  await sleep(60);
  assertEquals(deadline.isLate, false);
  person.resolve({ action: "accept", content: {} });
  assertEquals(await answer, { action: "accept", content: {} });
  await sleep(60);
  assertEquals(deadline.isLate, true);
});

Deno.test("Questions asks nobody for a call that is over, and declines what nobody can be asked", async () => {
  const { questions, seen } = asked();
  const deadline = new Deadline(1000, NEVER, sleep);
  const running = questions.during(deadline);
  const answer = questions.answer(PARAMS, NEVER);
  running[Symbol.dispose]();
  deadline[Symbol.dispose]();
  assertEquals(await answer, { action: "cancel" });
  assertEquals(seen.map(({ server, message }) => [server, message]), [["s", "who?"]]);
  const url = { message: "go", mode: "url", url: "https://h" };
  assertEquals(await questions.answer(url, NEVER), { action: "decline" });
  const nobody = new Questions({
    server: "s",
    limits: { maxQuestionCharacters: 100 },
    log: () => {},
  });
  assertEquals(await nobody.answer(PARAMS, NEVER), { action: "decline" });
  assertEquals([questions.capability, nobody.capability], [{ elicitation: { form: {} } }, {}]);
});
