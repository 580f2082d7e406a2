import { assertEquals } from "@std/assert";
import { basePath, findProgram, programEndings } from "./programs.ts";
import { testContext } from "./test_world.ts";

Deno.test("basePath() leaves out relative folders and those that can be written", () => {
  const { host } = testContext({ env: { PATH: "/a::rel:/w/bin:/usr/bin:/wx" } });
  assertEquals(basePath(host, ["/w"]), "/a:/usr/bin:/wx");
});

Deno.test("basePath() has the usual folders where the runtime has no PATH", () => {
  const { host } = testContext({ env: { PATH: "" } });
  assertEquals(basePath(host, []), "/usr/local/bin:/usr/bin:/bin");
});

Deno.test("findProgram() takes the first of that name, and no relative path", async () => {
  const { host } = testContext({ files: { "/a/tool": "#!", "/b/tool": "#!", "/a/dir/x": "y" } });
  assertEquals(await findProgram("tool", "/none:/a:/b", host), "/a/tool");
  assertEquals(await findProgram("/b/tool", "/a", host), "/b/tool");
  assertEquals(await findProgram("./tool", "/a", host), undefined);
  assertEquals(await findProgram("dir", "/a", host), undefined);
  assertEquals(await findProgram("nope", "/a", host), undefined);
});

Deno.test("programEndings() follows PATHEXT on Windows (T72)", () => {
  assertEquals(programEndings("npx", "windows", ".COM;.EXE;.CMD"), [".COM", ".EXE", ".CMD"]);
  assertEquals(programEndings("npx.cmd", "windows", ".COM;.EXE;.CMD"), [""]);
  assertEquals(programEndings("a.b", "windows", undefined), [".EXE", ".COM", ".BAT", ".CMD"]);
  assertEquals(programEndings("npx", "linux", ".EXE"), [""]);
});

Deno.test("findProgram() goes on past a folder that it may not look into", async () => {
  const { host } = testContext({ files: { "/b/tool": "#!" } });
  const stat = (path: string) =>
    path.startsWith("/root/") ? Promise.reject(new Error("denied")) : host.files.stat(path);
  const guarded = { ...host, files: { ...host.files, stat } };
  assertEquals(await findProgram("tool", "/root/bin:/b", guarded), "/b/tool");
});
