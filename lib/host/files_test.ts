import { assertEquals, assertRejects } from "@std/assert";
import { denoFiles } from "./files.ts";

const files = denoFiles();

async function folder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await files.makeTempFolder("skep-files-test-");
  return { path, [Symbol.asyncDispose]: () => files.remove(path) };
}

Deno.test("readText() takes a file exactly at its limit, and refuses one byte more", async () => {
  await using temp = await folder();
  await Deno.writeTextFile(`${temp.path}/a`, "four");
  assertEquals(await files.readText(`${temp.path}/a`, 4), "four");
  await assertRejects(() => files.readText(`${temp.path}/a`, 3), RangeError, "the limit is 3");
});

Deno.test("readText() refuses what is no UTF-8 text, no regular file, or not there", async () => {
  await using temp = await folder();
  await Deno.writeFile(`${temp.path}/a`, new Uint8Array([0x61, 0xff]));
  await assertRejects(() => files.readText(`${temp.path}/a`, 9), TypeError, "it is not UTF-8 text");
  await assertRejects(() => files.readText(temp.path, 9), TypeError, "it is not a regular file");
  await assertRejects(() => files.readText(`${temp.path}/b`, 9), Deno.errors.NotFound);
});

Deno.test("writeText() replaces a file in one step, for its owner alone, and leaves nothing beside it", async () => {
  await using temp = await folder();
  const path = `${temp.path}/a`;
  await files.writeText(path, "one");
  await files.writeText(path, "two");
  assertEquals([await files.readText(path, 9), await files.list(temp.path)], ["two", ["a"]]);
  if (Deno.build.os !== "windows") assertEquals((await files.stat(path))?.mode, 0o600);
  await assertRejects(() => files.writeText(`${temp.path}/no/b`, "x"), Deno.errors.NotFound);
});

Deno.test("stat() follows a link, lstat() does not, and nothing there is undefined", async () => {
  await using temp = await folder();
  await Deno.mkdir(`${temp.path}/sub`);
  await Deno.symlink("sub", `${temp.path}/link`);
  const facts = [await files.stat(`${temp.path}/link`), await files.lstat(`${temp.path}/link`)];
  assertEquals(facts.map((each) => [each?.isDirectory, each?.isSymlink]), [[true, false], [
    false,
    true,
  ]]);
  assertEquals(await files.stat(`${temp.path}/none`), undefined);
  await Deno.writeTextFile(`${temp.path}/a`, "");
  assertEquals(await files.stat(`${temp.path}/a/b`), undefined);
});

Deno.test("list() sorts names, and remove() takes what is there with all below it", async () => {
  await using temp = await folder();
  await files.makeFolder(`${temp.path}/b/c`);
  await Deno.writeTextFile(`${temp.path}/a`, "");
  assertEquals(await files.list(temp.path), ["a", "b"]);
  await files.remove(`${temp.path}/b`);
  await files.remove(`${temp.path}/b`);
  assertEquals(await files.list(temp.path), ["a"]);
});

Deno.test("makeFolder() and makeTempFolder() make folders for their owner alone", async () => {
  await using temp = await folder();
  await files.makeFolder(`${temp.path}/a/b`);
  if (Deno.build.os === "windows") return;
  const paths = [temp.path, `${temp.path}/a`, `${temp.path}/a/b`];
  const modes = await Promise.all(paths.map((path) => files.stat(path)));
  assertEquals(modes.map((facts) => facts?.mode), [0o700, 0o700, 0o700]);
});

Deno.test("append() makes a file for this user alone, and adds to the one that is there", async () => {
  await using temp = await folder();
  await files.append(`${temp.path}/log`, "a\n");
  await files.append(`${temp.path}/log`, "b\n");
  assertEquals(await files.readText(`${temp.path}/log`, 4), "a\nb\n");
  if (Deno.build.os !== "windows") {
    assertEquals((await files.stat(`${temp.path}/log`))?.mode, 0o600);
  }
});
