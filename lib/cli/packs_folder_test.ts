import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { packsFolder } from "./packs_folder.ts";

function of(variables: Readonly<Record<string, string>>): string {
  return packsFolder({ env: (name) => variables[name], platform: { os: "linux", arch: "x86_64" } });
}

Deno.test("packsFolder() lets its own variable win over XDG's folder, and that over HOME", () => {
  const home = { HOME: "/h" };
  assertEquals(of(home), "/h/.local/share/skep/packs");
  assertEquals(of({ ...home, XDG_DATA_HOME: "/d" }), "/d/skep/packs");
  assertEquals(of({ ...home, XDG_DATA_HOME: "/d", SKEP_PACKS_DIR: "/own" }), "/own");
});

Deno.test("packsFolder() refuses a relative path, and no home at all", () => {
  assertThrows(
    () => of({ SKEP_PACKS_DIR: "here" }),
    SkepError,
    'SKEP_PACKS_DIR="here": it must be',
  );
  assertThrows(() => of({}), SkepError, 'HOME="": it must be an absolute path');
});
