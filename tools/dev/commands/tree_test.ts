import { assertEquals, assertRejects } from "@std/assert";
import { disk } from "./test_disk.ts";
import { tree, type TreeOptions } from "./tree.ts";

const OPTIONS: TreeOptions = {
  depth: 50,
  hasSizes: false,
  isHiddenTaken: false,
  isIgnoredTaken: false,
  maxEntries: 100,
  maxFileBytes: 1000,
  maxLines: 100,
  maxBytes: 10_000,
};

async function drawn(
  files: Readonly<Record<string, string>>,
  options: Partial<TreeOptions> = {},
): Promise<[string, readonly string[]]> {
  const signal = new AbortController().signal;
  const { text, notes } = await tree("/w", { ...OPTIONS, ...options }, disk(files), signal);
  return [text, notes];
}

const FILES = { "/w/a": "1\n2", "/w/b/c": "1\n", "/w/b/d/e": "", "/w/.h": "1\n" };

Deno.test("tree() counts lines, and sums whatever the depth", async () => {
  assertEquals(await drawn(FILES), [
    "w/  [3]\n  a  [2]\n  b/  [1]\n    c  [1]\n    d/  [0]\n      e  [0]\n",
    [],
  ]);
  assertEquals(await drawn(FILES, { depth: 1 }), ["w/  [3]\n  a  [2]\n  b/  [1]\n", []]);
});

Deno.test("tree() shows sizes and hidden files when asked to", async () => {
  assertEquals(
    await drawn({ "/w/.h": "1\n", "/w/k": "x".repeat(1000) + "\n" }, {
      hasSizes: true,
      isHiddenTaken: true,
      maxFileBytes: 2000,
    }),
    ["w/  [2, 1003 B]\n  .h  [1, 2 B]\n  k  [1, 1001 B]\n", []],
  );
});

Deno.test("tree() reads a file exactly at its limit, and no longer one", async () => {
  const at = { "/w/at": "x\n".repeat(500), "/w/past": "x\n".repeat(500) + "x" };
  assertEquals((await drawn(at))[0], "w/  [500]\n  at  [500]\n  past  [not counted, 1001 B]\n");
});

Deno.test("tree() leaves out what rules ignore, a nested rule deciding first", async () => {
  const files = {
    "/w/.gitignore": "*.log\nout/\n",
    "/w/b/.gitignore": "!keep.log\n",
    "/w/b/keep.log": "",
    "/w/b/no.log": "",
    "/w/out/x": "",
  };
  assertEquals((await drawn(files))[0], "w/  [0]\n  b/  [0]\n    keep.log  [0]\n");
  const all = (await drawn(files, { isIgnoredTaken: true }))[0];
  assertEquals(all.includes("no.log") && all.includes("out/"), true);
});

Deno.test("tree() looks at as many entries as its limit, and says when there are more", async () => {
  assertEquals((await drawn(FILES, { maxEntries: 5 }))[1], []);
  assertEquals(await drawn(FILES, { maxEntries: 4 }), [
    "w/  [at least 3]\n  a  [2]\n  b/  [1]\n    c  [1]\n    d/  [0]\n",
    ["not all was looked at (after 4 entries): sums are too small"],
  ]);
});

Deno.test("tree() gives as many lines and bytes as its limits, and counts the rest", async () => {
  const [whole] = await drawn(FILES);
  assertEquals(await drawn(FILES, { maxLines: 6, maxBytes: whole.length }), [whole, []]);
  const rest = (count: number) => [
    `${count} more lines left out: give a smaller depth, or a folder below`,
  ];
  assertEquals((await drawn(FILES, { maxLines: 5 }))[1], rest(1));
  assertEquals((await drawn(FILES, { maxBytes: whole.length - 1 }))[1], rest(1));
});

Deno.test("tree() shows a name with control characters as JSON", async () => {
  assertEquals((await drawn({ "/w/a\nb": "" }))[0], 'w/  [0]\n  "a\\nb"  [0]\n');
});

Deno.test("tree() fails for a root that cannot be read", async () => {
  await assertRejects(() => drawn({}), Error, "no such folder");
});
