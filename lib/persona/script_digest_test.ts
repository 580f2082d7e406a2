import { assertEquals, assertRejects } from "@std/assert";
import { folderWith } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { scriptDigest } from "./script_digest.ts";

const FILES = { "hooks/a.sh": "1", "hooks/lib/b.sh": "2", "top.sh": "3", "README.md": "4" };

Deno.test("scriptDigest() tells what a script holds, and what lies beside and below it", async () => {
  await using pack = await folderWith(FILES);
  const digest = (script: string) => scriptDigest(pack.path, script, denoFiles(), DEFAULT_LIMITS);
  const before = [await digest("./hooks/a.sh"), await digest("top.sh")];
  await Deno.writeTextFile(`${pack.path}/README.md`, "other");
  assertEquals([await digest("hooks/a.sh"), await digest("top.sh")], before);
  await Deno.writeTextFile(`${pack.path}/hooks/lib/b.sh`, "other");
  const [inHooks, top] = [await digest("hooks/a.sh"), await digest("top.sh")];
  assertEquals([inHooks === before[0], top === before[1]], [false, true]);
  await Deno.writeTextFile(`${pack.path}/top.sh`, "other");
  assertEquals(await digest("top.sh") === top, false);
});

Deno.test("scriptDigest() reads nothing outside of the pack, and follows no folder round and round", async () => {
  await using pack = await folderWith(FILES);
  await using outside = await folderWith({ "x": "secret" });
  const digest = () => scriptDigest(pack.path, "hooks/a.sh", denoFiles(), DEFAULT_LIMITS);
  const before = await digest();
  await Deno.symlink(`${outside.path}/x`, `${pack.path}/hooks/x`);
  await Deno.symlink(outside.path, `${pack.path}/hooks/y`);
  await Deno.symlink(".", `${pack.path}/hooks/z`);
  assertEquals(await digest(), before);
});

Deno.test("scriptDigest() takes a folder exactly at its bounds, and refuses one more", async () => {
  await using pack = await folderWith({ "hooks/a.sh": "12", "hooks/b.sh": "34" });
  const digest = (maxPackFiles: number, maxPackArchiveBytes: number) => {
    const limits = { ...DEFAULT_LIMITS, maxPackFiles, maxPackArchiveBytes };
    return scriptDigest(pack.path, "hooks/a.sh", denoFiles(), limits);
  };
  assertEquals((await digest(2, 4)).startsWith("sha256:"), true);
  await assertRejects(() => digest(1, 4), Error, "has over 1 files, the limit");
  await assertRejects(() => digest(2, 3), Error, "holds more than 3 bytes, the limit");
});
