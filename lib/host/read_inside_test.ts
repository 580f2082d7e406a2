import { assertEquals, assertThrows } from "@std/assert";
import { tempFolder } from "../../tests/harness.ts";
import { folderWith } from "../../tests/packs.ts";
import { readInside } from "./read_inside.ts";

function text(folder: string, path: string, maxBytes = 100): string | undefined {
  const found = readInside(folder, `${folder}/${path}`, maxBytes);
  return found && new TextDecoder().decode(found.bytes);
}

Deno.test("readInside() reads a file exactly at its limit, and refuses one byte more", async () => {
  await using folder = await folderWith({ f: "hello", empty: "" });
  assertEquals([text(folder.path, "f", 5), text(folder.path, "empty", 0)], ["hello", ""]);
  assertThrows(
    () => text(folder.path, "f", 4),
    RangeError,
    `Cannot read "${folder.path}/f" of 5 bytes: the limit is 4`,
  );
});

Deno.test("readInside() gives undefined where there is no file", async () => {
  await using folder = await folderWith({ f: "" });
  assertEquals([text(folder.path, "none"), text(folder.path, "f/none")], [undefined, undefined]);
});

Deno.test("readInside() follows links inside the folder and refuses those that leave it", async () => {
  await using outside = await folderWith({ f: "secret" });
  await using folder = await folderWith({ "a/f": "inside" });
  await Deno.symlink("a/f", `${folder.path}/link`);
  await Deno.symlink(`${outside.path}/f`, `${folder.path}/out`);
  await Deno.symlink(outside.path, `${folder.path}/folder`);
  assertEquals(readInside(folder.path, `${folder.path}/link`, 100)?.path, `${folder.path}/a/f`);
  for (const path of ["out", "folder/f", "../"]) {
    assertThrows(() => text(folder.path, path), Error, "it leads out of");
  }
});

Deno.test("readInside() does not take a sibling with the same beginning for the folder", async () => {
  await using folder = await folderWith({ "p-other/f": "x", "p/a": "" });
  await Deno.symlink("../p-other/f", `${folder.path}/p/link`);
  assertThrows(() => text(`${folder.path}/p`, "link"), TypeError, "it leads out of");
});

Deno.test("readInside() refuses a folder and does not wait for what is no regular file", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/f`);
  assertThrows(() => text(folder.path, "f"), TypeError, "it is not a regular file");
});
