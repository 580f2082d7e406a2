import { assertEquals } from "@std/assert";
import { Artifacts } from "./artifacts.ts";
import { CommandOutput } from "./command_output.ts";
import type { World } from "./world.ts";

const encoder = new TextEncoder();
const LIMITS = { maxShellOutputBytes: 9, maxArtifacts: 2, maxArtifactBytes: 20 };

/** A disk in memory. */
function disk(): { files: Map<string, string>; artifacts: Artifacts } {
  const files = new Map<string, string>();
  const world = {
    mkdir: () => Promise.resolve(),
    remove: (path: string) => Promise.resolve(void files.delete(path)),
    open: (path: string) => {
      files.set(path, "");
      return Promise.resolve({
        write: (bytes: Uint8Array) => {
          files.set(path, files.get(path) + new TextDecoder().decode(bytes));
          return Promise.resolve(bytes.length);
        },
        close: () => {},
      });
    },
  } as unknown as World;
  return { files, artifacts: new Artifacts("/t", LIMITS, world) };
}

async function take(output: CommandOutput, ...chunks: string[]): Promise<void> {
  for (const chunk of chunks) await output.push(encoder.encode(chunk));
}

Deno.test("CommandOutput keeps no file of an output exactly at its bound", async () => {
  const { files, artifacts } = disk();
  using output = new CommandOutput(LIMITS, artifacts);
  await take(output, "abc", "defghi");
  assertEquals(output.show(), { text: "abcdefghi", notes: [] });
  assertEquals(files.size, 0);
});

Deno.test("CommandOutput keeps the whole in a file one byte past its bound", async () => {
  const { files, artifacts } = disk();
  using output = new CommandOutput(LIMITS, artifacts);
  await take(output, "abc", "defghi", "j", "k");
  const { text, notes } = output.show();
  assertEquals(text, "abc\n[… 2 bytes with 0 line ends left out …]\nfghijk");
  assertEquals(notes, ["the whole of the output is in /t/000001.txt"]);
  assertEquals(files.get("/t/000001.txt"), "abcdefghijk");
});

Deno.test("CommandOutput fills a file exactly to its bound, and says when that was not enough", async () => {
  const { files, artifacts } = disk();
  using output = new CommandOutput(LIMITS, artifacts);
  await take(output, "0123456789", "0123456789");
  assertEquals(output.show().notes, ["the whole of the output is in /t/000001.txt"]);
  await take(output, "x".repeat(10));
  assertEquals(output.show().notes, ["the beginning of the output is in /t/000001.txt"]);
  assertEquals(files.get("/t/000001.txt"), "01234567890123456789");
});

Deno.test("CommandOutput keeps as many files as it may, the newest", async () => {
  const { files, artifacts } = disk();
  for (let count = 0; count < 3; count++) {
    using output = new CommandOutput(LIMITS, artifacts);
    await take(output, "0123456789");
  }
  assertEquals([...files.keys()], ["/t/000002.txt", "/t/000003.txt"]);
});

Deno.test("CommandOutput shows what came since the last look", async () => {
  using output = new CommandOutput(LIMITS, undefined);
  await take(output, "one\n");
  assertEquals(output.show().text, "one\n");
  assertEquals(output.show().text, "");
  await take(output, "two\n");
  assertEquals(output.show().text, "two\n");
  assertEquals(output.size, "8 bytes of output, 2 lines");
});

Deno.test("CommandOutput works without a place for files", async () => {
  using output = new CommandOutput(LIMITS, undefined);
  await take(output, "0123456789", "a");
  assertEquals(output.show().notes, []);
});

Deno.test("CommandOutput tells a U+FFFD that was written from bytes that are none", async () => {
  using output = new CommandOutput(LIMITS, undefined);
  await take(output, "\ufffd");
  assertEquals(output.show(), { text: "\ufffd", notes: [] });
  await output.push(new Uint8Array([0xff]));
  assertEquals(output.show().notes, ["some bytes are not UTF-8 and shown as \ufffd"]);
});

Deno.test("CommandOutput shows text with NULs in it, as of a failure, and of what is binary the beginning", async () => {
  using text = new CommandOutput(LIMITS, undefined);
  await take(text, "a\0b\0no\n");
  assertEquals(text.show(), {
    text: "a\u2400b\u2400no\n",
    notes: ["NUL characters are shown as \u2400"],
  });
  const { artifacts } = disk();
  using binary = new CommandOutput(LIMITS, artifacts);
  await binary.push(new Uint8Array([0x61, 0x62, 0, 0xff]));
  assertEquals(binary.show(), {
    text: "ab",
    notes: [
      "the output looks binary (4 bytes, NUL at byte 2) and is not shown from there on: " +
      "look at it with the shell, such as od -c",
      "the whole of the output is in /t/000001.txt",
    ],
  });
});

Deno.test("CommandOutput has the last lines for a note of progress", async () => {
  using output = new CommandOutput({ maxShellOutputBytes: 10_000 }, undefined);
  assertEquals(output.end, "");
  for (let line = 1; line <= 20; line++) await take(output, `${line}\n`);
  assertEquals(output.end, "11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n");
  await take(output, "x".repeat(2000));
  assertEquals(output.end, "x".repeat(1000));
});
