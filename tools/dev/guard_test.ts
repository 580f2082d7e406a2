import { assertEquals } from "@std/assert";
import { guardRequest, readReport } from "./guard.ts";

const NOTHING = { left: [], escaped: [], isShellMissing: false, isFolderMissing: false };

Deno.test("readReport() reads what a guard had to end, names made safe to show", () => {
  assertEquals(readReport(""), NOTHING);
  assertEquals(readReport("noshell\nleft sleep\nescaped a\x1b[31m\nbash: some noise\n"), {
    left: ["sleep"],
    escaped: ["a?[31m"],
    isShellMissing: true,
    isFolderMissing: false,
  });
  assertEquals(readReport("nofolder\n"), { ...NOTHING, isFolderMissing: true });
});

Deno.test("guardRequest() counts bytes, whatever the texts hold", () => {
  const request = new TextDecoder().decode(guardRequest("/w/hö\nhe", "echo ü\n", true));
  assertEquals(request, `1 9 8${" ".repeat(26)}\n/w/hö\nheecho ü\n`);
});
