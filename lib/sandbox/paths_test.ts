import { assertEquals } from "@std/assert";
import { canonicalPath, isAbsolutePath, isWithin, relativeTo } from "./paths.ts";
import { memoryFiles } from "./test_world.ts";

Deno.test("isWithin() takes a folder itself and what lies below, not a longer name", () => {
  assertEquals(isWithin("/a/b", "/a/b", "linux"), true);
  assertEquals(isWithin("/a/b/c", "/a/b/", "linux"), true);
  assertEquals(isWithin("/a/bc", "/a/b", "linux"), false);
  assertEquals(isWithin("/a", "/a/b", "linux"), false);
  assertEquals(isWithin("/a", "/", "linux"), true);
  assertEquals(isWithin("/A", "/a", "linux"), false);
  assertEquals(isWithin("/A/b", "/a", "darwin"), true);
});

Deno.test("isWithin() on Windows takes either slash and any case (T72)", () => {
  assertEquals(isWithin("C:\\a b\\.env", "c:/A B", "windows"), true);
  assertEquals(isWithin("C:\\a bc", "C:\\a b", "windows"), false);
  assertEquals(isWithin("D:\\a", "C:\\", "windows"), false);
  assertEquals(isWithin("C:\\a", "C:\\", "windows"), true);
});

Deno.test("relativeTo() says what leads down, with slashes", () => {
  assertEquals(relativeTo("/w/a/b", "/w", "linux"), "a/b");
  assertEquals(relativeTo("/w", "/w", "linux"), "");
  assertEquals(relativeTo("C:\\w\\a\\b", "C:\\w", "windows"), "a/b");
  assertEquals(relativeTo("/v", "/w", "linux"), undefined);
});

Deno.test("isAbsolutePath() knows drives and shares on Windows, and nothing relative (T72)", () => {
  for (const path of ["C:\\x", "c:/x", "\\\\host\\share", "//host/share"]) {
    assertEquals(isAbsolutePath(path, "windows"), true, path);
  }
  for (const path of ["C:x", "\\x", "/x", "x", ""]) {
    assertEquals(isAbsolutePath(path, "windows"), false, path);
  }
  assertEquals(isAbsolutePath("/x", "linux"), true);
  assertEquals(isAbsolutePath("C:\\x", "linux"), false);
});

Deno.test("canonicalPath() resolves links, also above what does not exist yet", async () => {
  const files = memoryFiles({
    "/real/sub/f": "x",
    "/link": "->/real",
    "/real/up": "->../other",
    "/other/g": "y",
  });
  assertEquals(await canonicalPath("/link/sub/f", { files }), "/real/sub/f");
  assertEquals(await canonicalPath("/link/new/deep", { files }), "/real/new/deep");
  assertEquals(await canonicalPath("/link/up/g", { files }), "/other/g");
  assertEquals(await canonicalPath("/none/x", { files }), "/none/x");
});
