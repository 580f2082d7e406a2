import { assertEquals } from "@std/assert";
import { nearMiss } from "./near_miss.ts";
import type { World } from "./world.ts";

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "/w": ["src", "README.md"],
  "/w/src": ["main.ts", "util.ts"],
};

const world = {
  stat: (path: string) => Promise.resolve({ isDirectory: Object.hasOwn(FOLDERS, path) }),
  readDir: (path: string) => ReadableStream.from((FOLDERS[path] ?? []).map((name) => ({ name }))),
} as unknown as World;

Deno.test("nearMiss() suggests the nearest name of the same folder, written as the caller would", async () => {
  assertEquals(
    await nearMiss("/w/src/mian.ts", "src/mian.ts", world),
    '. Did you mean "src/main.ts"?',
  );
  assertEquals(
    await nearMiss("/w/readme.md", "/w/readme.md", world),
    '. Did you mean "/w/README.md"?',
  );
});

Deno.test("nearMiss() suggests for the part of the path that is wrong", async () => {
  assertEquals(await nearMiss("/w/scr/main.ts", "scr/main.ts", world), '. Did you mean "src"?');
  assertEquals(
    await nearMiss("/w/library/x/main.ts", "library/x/main.ts", world),
    ': "." has no "library"',
  );
});

Deno.test("nearMiss() says nothing when nothing is near", async () => {
  assertEquals(await nearMiss("/w/other.txt", "other.txt", world), "");
});
