import { assertEquals } from "@std/assert";
import { expandBraces, rg } from "./rg.ts";
import { disk } from "./test_disk.ts";

async function run(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  maxSearchedFileBytes = 1000,
): Promise<[number, string, string]> {
  const world = disk(files);
  const code = await rg(args, world, { maxSearchedFileBytes }, false);
  return [code, world.written.out, world.written.err];
}

Deno.test("rg() reads a file exactly at its limit, and tells one that is longer", async () => {
  const files = { "/w/a": "x".repeat(10), "/w/b": "x".repeat(11) };
  assertEquals(await run(["-l", "x"], files, 10), [
    2,
    "a\n",
    "rg: b: it has 11 bytes, the limit is 10\n",
  ]);
});

Deno.test("rg() shows a long line as it is told to", async () => {
  const files = { "/w/a": `${"x".repeat(5)}\n${"x".repeat(6)}\n` };
  assertEquals((await run(["-M5", "x"], files))[1], "a:xxxxx\na:[Omitted long matching line]\n");
  assertEquals(
    (await run(["-M5", "--max-columns-preview", "x"], files))[1],
    "a:xxxxx\na:xxxxx [... omitted end of long line]\n",
  );
});

Deno.test("rg() passes over binary files, and tells one that was named", async () => {
  const files = { "/w/a": "x\0" };
  assertEquals(await run(["x"], files), [1, "", ""]);
  assertEquals((await run(["x", "a"], files)).slice(0, 2), [
    0,
    'binary file matches (found "\\0" byte around offset 1)\n',
  ]);
  assertEquals((await run(["-a", "x", "a"], files)).slice(0, 2), [0, "x\0\n"]);
});

Deno.test("rg() tells a binary file that was named with its name, and lists and counts it as any other", async () => {
  const files = { "/w/a": "x\0\nx\n", "/w/d/b": "x\0" };
  const found = async (...args: string[]) => (await run(args, files)).slice(0, 2);
  const told = 'a: binary file matches (found "\\0" byte around offset 1)\n';
  assertEquals(await found("--with-filename", "--null", "x", "a"), [0, told]);
  assertEquals(await found("x", "d", "a"), [0, told]);
  assertEquals(await found("-l", "x", "a"), [0, "a\n"]);
  assertEquals(await found("-c", "x", "a"), [0, "2\n"]);
  assertEquals(await found("-c", "--with-filename", "x", "a"), [0, "a:2\n"]);
  assertEquals(await found("--files-without-match", "y", "a"), [0, "a\n"]);
  assertEquals(await found("-l", "x"), [1, ""]);
});

Deno.test("rg() helps, and lists its types", async () => {
  const [code, help] = await run(["--help"], {});
  assertEquals([code, help.includes("  -i, --ignore-case\n")], [0, true]);
  assertEquals(
    (await run(["--type-list"], {}))[1].includes("ts: *.ts, *.tsx, *.cts, *.mts\n"),
    true,
  );
});

Deno.test("expandBraces() writes out every choice", () => {
  assertEquals(expandBraces("a.{ts,js}"), ["a.ts", "a.js"]);
  assertEquals(expandBraces("{a,b}/{c,d}"), ["a/c", "a/d", "b/c", "b/d"]);
  assertEquals(expandBraces("{a,{b,c}}x"), ["ax", "bx", "cx"]);
  assertEquals(expandBraces("plain"), ["plain"]);
});
