import { assertEquals } from "@std/assert";
import { callLocations } from "./call_locations.ts";

Deno.test("callLocations() gives the absolute paths of a call, with its line", () => {
  assertEquals(callLocations("read", { path: "a.ts", offset: 40 }, "/w"), [
    { path: "/w/a.ts", line: 40 },
  ]);
  assertEquals(callLocations("edit", { path: "../b", workdir: "sub/deep" }, "/w"), [
    { path: "/w/sub/b" },
  ]);
  assertEquals(callLocations("move", { source: "/a", destination: "b" }, "/w"), [
    { path: "/a" },
    { path: "/w/b" },
  ]);
});

Deno.test("callLocations() gives nothing for what is no path, no line or no file's tool", () => {
  assertEquals(callLocations("read", { path: "~/a" }, "/w"), []);
  assertEquals(callLocations("read", { path: "https://example.com" }, "/w"), []);
  assertEquals(callLocations("read", { path: 3 }, "/w"), []);
  assertEquals(callLocations("read", { path: " " }, "/w"), []);
  assertEquals(callLocations("read", undefined, "/w"), []);
  assertEquals(callLocations("fetch", { path: "a" }, "/w"), []);
  assertEquals(callLocations("read", { path: "a", offset: 0 }, "/w"), [{ path: "/w/a" }]);
});
