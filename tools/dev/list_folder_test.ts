import { assertEquals } from "@std/assert";
import { listFolder } from "./list_folder.ts";
import { testContext } from "./test_context.ts";
import type { World } from "./world.ts";

type Entry = { name: string; isFile: boolean; isDirectory: boolean; isSymlink: boolean };

const file = (name: string): Entry => ({
  name,
  isFile: true,
  isDirectory: false,
  isSymlink: false,
});

async function list(
  entries: Entry[],
  limits = {},
  window = { offset: 1, limit: 100 },
): Promise<string> {
  const readDir = (() => ReadableStream.from(entries)) as unknown as World["readDir"];
  const context = await testContext("read_file", { readDir }, limits);
  return await listFolder("d", "/w/d", window, context, new AbortController().signal);
}

Deno.test("listFolder() sorts, and marks folders and links", async () => {
  const entries = [
    file("b"),
    { ...file("l"), isFile: false, isSymlink: true },
    { ...file("a"), isFile: false, isDirectory: true },
  ];
  assertEquals(await list(entries), "d is a folder (3 entries)\na/\nb\nl@");
  assertEquals(await list([]), "d is a folder (0 entries)");
  assertEquals(await list([file("a")]), "d is a folder (1 entry)\na");
});

Deno.test("listFolder() takes as many entries as its limit, and says when there are more", async () => {
  const limits = { maxFolderEntries: 2 };
  assertEquals(await list([file("b"), file("a")], limits), "d is a folder (2 entries)\na\nb");
  assertEquals(
    await list([file("c"), file("b"), file("a")], limits),
    "d is a folder (more than 2 entries)\nb\nc",
  );
});

Deno.test("listFolder() ends at the bound of its text and names the next offset", async () => {
  const entries = ["aa", "bb", "cc"].map(file);
  assertEquals(
    await list(entries, { maxReadTextBytes: 9 }),
    "d is a folder (3 entries)\naa\nbb\ncc",
  );
  assertEquals(
    await list(entries, { maxReadTextBytes: 8 }),
    "d is a folder (3 entries)\naa\nbb\n[entries 1-2 of 3 shown; use offset=3 to go on]",
  );
});
