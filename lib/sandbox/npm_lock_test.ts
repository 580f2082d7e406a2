import { assertEquals, assertThrows } from "@std/assert";
import { parseNpmLock } from "./npm_lock.ts";

Deno.test("parseNpmLock() reads versions and packages, peers left out", () => {
  const lock = parseNpmLock(JSON.stringify({
    version: "5",
    specifiers: { "npm:@a/b@^1": "1.2.3_zod@4.6.7", "npm:c@2": "2.0.0-rc.1" },
    npm: {
      "@a/b@1.2.3_zod@4.6.7": { integrity: "x" },
      "c@2.0.0-rc.1": { integrity: "x", scripts: true },
    },
  }));
  assertEquals([...lock.versions], [["npm:@a/b@^1", "1.2.3"], ["npm:c@2", "2.0.0-rc.1"]]);
  assertEquals(lock.packages, [
    { name: "@a/b", version: "1.2.3", hasScripts: false },
    { name: "c", version: "2.0.0-rc.1", hasScripts: true },
  ]);
});

Deno.test("parseNpmLock() refuses what is no lock file it knows", () => {
  assertThrows(() => parseNpmLock("{"), SyntaxError);
  assertThrows(() => parseNpmLock('{"version":"4"}'), TypeError, "version 4");
  assertThrows(() => parseNpmLock("[]"), TypeError);
  assertThrows(() => parseNpmLock('{"version":"5","npm":{"x":{}}}'), TypeError, '"x"');
});
