import { assertEquals, assertRejects } from "@std/assert";
import { AnswerPrinter } from "./answer_printer.ts";
import { testHost } from "./test_host.ts";

function text(message: string, words: string): { type: "text"; message: string; text: string } {
  return { type: "text", message, text: words };
}

Deno.test("AnswerPrinter prints increments as they come, and each reply on a line of its own", async () => {
  const { host, stdout } = testHost();
  const printer = new AnswerPrinter(host, () => {});
  for (
    const update of [text("1", "Look"), text("1", "ing."), text("2", "Done\n"), text("3", "Bye")]
  ) {
    printer.show(update);
  }
  printer.endLine();
  printer.endLine();
  await printer.flush();
  assertEquals(stdout(), "Looking.\nDone\nBye\n");
});

Deno.test("AnswerPrinter says notices on stderr between the lines of the answer", async () => {
  const { host, stdout, messages } = testHost({ isTerminal: () => true });
  const printer = new AnswerPrinter(host, () => {});
  printer.show(text("1", "a"));
  printer.show({ type: "notice", text: "careful" });
  printer.show(text("1", "b"));
  printer.show({ type: "call", callId: "1", tool: "s__t", input: {} });
  await printer.flush();
  assertEquals([stdout(), messages], ["a\nb\n", ["careful", "→ s__t {}"]]);
});

Deno.test("a call was shown right above its question with what turns the text in it", async () => {
  const { host, messages } = testHost({ isTerminal: () => true });
  const printer = new AnswerPrinter(host, () => {});
  printer.show({ type: "call", callId: "1", tool: "s__t", input: { command: "rm \u202ex\u200b" } });
  await printer.flush();
  assertEquals(messages, ['→ s__t {"command":"rm \\u{202e}x\\u{200b}"}']);
});

Deno.test("AnswerPrinter does not cut an answer in a file where a broken stream was gone on with", async () => {
  const { host, stdout, messages } = testHost({ isTerminal: (stream) => stream === "stderr" });
  const printer = new AnswerPrinter(host, () => {});
  printer.show(text("1", "Half an "));
  printer.show({ type: "notice", text: "Going on in 0.5 s" });
  printer.show(text("1", "answer"));
  await printer.flush();
  assertEquals([stdout(), messages], ["Half an answer", ["Going on in 0.5 s"]]);
});

Deno.test("AnswerPrinter shows calls to a person who watches, and to nobody else", async () => {
  for (const [isWatched, expected] of [[true, ['→ s__t {"a":1}']], [false, []]] as const) {
    const { host, messages } = testHost({ isTerminal: () => isWatched });
    const printer = new AnswerPrinter(host, () => {});
    printer.show({ type: "call", callId: "1", tool: "s__t", input: { a: 1 } });
    await printer.flush();
    assertEquals(messages, [...expected]);
  }
});

Deno.test("AnswerPrinter keeps the order when printing is slow", async () => {
  const printed: string[] = [];
  const { host } = testHost({
    print: async (words) => {
      await Promise.resolve();
      printed.push(words);
    },
    warn: (line) => void printed.push(`(${line})`),
  });
  const printer = new AnswerPrinter(host, () => {});
  printer.show(text("1", "a\n"));
  printer.show({ type: "notice", text: "n" });
  printer.show(text("1", "b"));
  await printer.flush();
  assertEquals(printed, ["a\n", "(n)", "b"]);
});

Deno.test("AnswerPrinter tells once that nobody reads, and prints no more", async () => {
  let tries = 0;
  let told = 0;
  const { host } = testHost({ print: () => Promise.reject(new Error(`broken ${++tries}`)) });
  const printer = new AnswerPrinter(host, () => told++);
  printer.show(text("1", "a"));
  printer.show(text("1", "b"));
  await assertRejects(() => printer.flush(), Error, "broken 1");
  assertEquals([tries, told], [1, 1]);
});
