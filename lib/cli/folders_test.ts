import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type Folders, foldersOf } from "./folders.ts";

function of(variables: Readonly<Record<string, string>>): Folders {
  return foldersOf((name) => variables[name], "linux");
}

Deno.test("foldersOf() takes the defaults of XDG below HOME", () => {
  assertEquals(of({ HOME: "/home/u" }), {
    config: "/home/u/.config/skep",
    state: "/home/u/.local/state/skep",
    cache: "/home/u/.cache/skep",
  });
});

Deno.test("foldersOf() lets the XDG folders win over HOME, and our own over both", () => {
  const xdg = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" };
  assertEquals(of(xdg), { config: "/c/skep", state: "/s/skep", cache: "/k/skep" });
  assertEquals(of({ ...xdg, HOME: "/h", SKEP_STATE_DIR: "/own" }).state, "/own");
  assertEquals(of({ HOME: "/h", XDG_STATE_HOME: "" }).state, "/h/.local/state/skep");
});

Deno.test("foldersOf() refuses a path that is not absolute, and an environment that names none", () => {
  const error = assertThrows(() => of({ HOME: "/h", SKEP_CACHE_DIR: "here" }), SkepError);
  assertEquals(error.message, 'Cannot use SKEP_CACHE_DIR="here": it must be an absolute path');
  assertEquals(assertThrows(() => of({}), SkepError).details, { source: "HOME" });
});
