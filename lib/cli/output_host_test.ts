import { assertEquals } from "@std/assert";
import { outputHost } from "./output_host.ts";
import { testHost } from "./test_host.ts";

const HOSTILE = "a\x1b]52;c;bad\x07b\r\n\x9bc\td\n";

Deno.test("outputHost() gives a terminal no sequence that does more than show", async () => {
  const { host, stdout, messages } = testHost({ isTerminal: () => true });
  const output = outputHost(host, false);
  await output.print(HOSTILE);
  output.warn("x\x1b[2Jy");
  assertEquals(stdout(), "a\ufffd]52;c;bad\ufffdb\n\ufffdc\td\n");
  assertEquals(messages, ["x\ufffd[2Jy"]);
});

Deno.test("a hook's reason reached stderr with its escapes, and what turns the text, when that was no terminal", () => {
  const { host, messages } = testHost();
  outputHost(host, false).warn("refused: \x1b[2J\u202egnp.exe\u2066\n");
  assertEquals(messages, ["refused: \ufffd[2J\ufffdgnp.exe\ufffd\n"]);
});

Deno.test("outputHost() gives a file or a pipe the text as it is", async () => {
  const { host, stdout } = testHost();
  await outputHost(host, false).print(HOSTILE);
  assertEquals(stdout(), HOSTILE);
});

Deno.test("outputHost() makes messages objects for --json, and leaves data alone", async () => {
  const { host, stdout, messages } = testHost();
  const output = outputHost(host, true);
  await output.print('{"a":1}\n');
  output.warn('say "hi"');
  assertEquals([stdout(), messages], ['{"a":1}\n', ['{"message":"say \\"hi\\""}']]);
});

Deno.test("outputHost() opens stdin only when it is used", () => {
  let opened = 0;
  const { host } = testHost();
  Object.defineProperty(host, "stdin", {
    get: () => {
      opened++;
      return new Blob([]).stream();
    },
    enumerable: true,
  });
  const output = outputHost(host, false);
  assertEquals(opened, 0);
  assertEquals([output.stdin instanceof ReadableStream, opened], [true, 1]);
});
