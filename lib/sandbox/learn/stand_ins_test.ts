import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { denoFiles } from "../../host/files.ts";
import { jsonToCopies, makeStandIn, toCopies, toReal } from "./stand_ins.ts";

const PAIRS = [{ real: "/home/me/w", copy: "/tmp/1" }, { real: "/home/me/w/in", copy: "/tmp/2" }];

Deno.test("toCopies() puts a copy's path where the real one stands, whole and the longest first", () => {
  const cases: [text: string, expected: string][] = [
    ["/home/me/w", "/tmp/1"],
    ["--root=/home/me/w/a", "--root=/tmp/1/a"],
    ["file:///home/me/w/in/b", "file:///tmp/2/b"],
    ["/home/me/w:/home/me/w/in", "/tmp/1:/tmp/2"],
    ["It lies in /home/me/w.", "It lies in /tmp/1."],
    ["/home/me/w2 /home/me/w.txt /home/me/w-old /home/me/wörk", "unchanged"],
    ["x/home/me/w", "unchanged"],
  ];
  for (const [text, expected] of cases) {
    assertEquals(toCopies(text, PAIRS), expected === "unchanged" ? text : expected, text);
  }
  assertEquals(toReal("no /tmp/2/b, no /tmp/1", PAIRS), "no /home/me/w/in/b, no /home/me/w");
  assertEquals(toCopies("/home/me/w", []), "/home/me/w");
});

Deno.test("jsonToCopies() reaches each text of a call's arguments", () => {
  assertEquals(
    jsonToCopies(
      { path: "/home/me/w/a", list: ["/home/me/w", 1, null], "/home/me/w": true },
      PAIRS,
    ),
    { path: "/tmp/1/a", list: ["/tmp/1", 1, null], "/home/me/w": true },
  );
});

Deno.test("makeStandIn() copies a folder up to its limits, and says when that was not all", async () => {
  const files = denoFiles();
  const real = await files.makeTempFolder("skep-test-");
  const made: string[] = [];
  try {
    await files.makeFolder(join(real, "sub"));
    await files.writeText(join(real, "a"), "12345");
    await files.writeText(join(real, "sub", "b"), "12345");
    const copied = async (
      isShown: boolean,
      maxLearnCopyBytes: number,
      maxLearnCopyFiles: number,
    ) => {
      const limits = { maxLearnCopyBytes, maxLearnCopyFiles };
      const standIn = await makeStandIn(real, isShown, files, limits);
      made.push(standIn.folder);
      const there = ["a", "sub", "sub/b"].filter((name) => hasFile(join(standIn.copy, name)));
      return [standIn.isWhole, ...there];
    };
    assertEquals(await copied(true, 10, 4), [true, "a", "sub", "sub/b"]); // exactly at both
    assertEquals(await copied(true, 9, 4), [false, "a", "sub"]);
    assertEquals(await copied(true, 10, 3), [false, "a", "sub"]);
    assertEquals(await copied(false, 10, 4), [false]);
  } finally {
    for (const path of [real, ...made]) await files.remove(path);
  }
});

Deno.test("makeStandIn() copies one file where its folder is not to be had, and makes a folder of nothing", async () => {
  const files = denoFiles();
  const real = await files.makeTempFolder("skep-test-");
  const limits = { maxLearnCopyBytes: 10, maxLearnCopyFiles: 10 };
  await files.writeText(join(real, "a"), "12345");
  const one = await makeStandIn(join(real, "a"), true, files, limits);
  const none = await makeStandIn(join(real, "none"), true, files, limits);
  try {
    assertEquals(await files.readText(one.copy, 10), "12345");
    assertEquals([await files.list(none.copy), none.isWhole], [[], true]);
  } finally {
    for (const path of [real, one.folder, none.folder]) await files.remove(path);
  }
});

function hasFile(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
