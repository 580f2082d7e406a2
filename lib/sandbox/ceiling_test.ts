import { assertEquals } from "@std/assert";
import { ceilingOf, originText } from "./ceiling.ts";
import type { LaunchContext } from "./context.ts";
import type { Origin } from "./spec.ts";
import { testContext } from "./test_world.ts";

const FILES = {
  "/work/ws/mcp.json": "{}",
  "/home/u/mcp.json": "{}",
  "/home/u/linked.json": "->/work/ws/mcp.json",
  "/work/ws/linked.json": "->/home/u/mcp.json",
};

async function reach(origin: Origin, more: Partial<LaunchContext> = {}): Promise<string> {
  const spec = { command: "x", args: [], env: {}, origin };
  return (await ceilingOf(spec, testContext({ files: FILES }, more))).reach;
}

Deno.test("ceilingOf() lets what the person typed, and shipped packs, ask for anything", async () => {
  assertEquals(await reach({ kind: "flag", where: "--mcp" }), "any");
  assertEquals(await reach({ kind: "file", where: "/home/u/mcp.json" }), "any");
  assertEquals(await reach({ kind: "pack", where: "x" }), "any");
});

Deno.test("ceilingOf() gives clients and packs of others the workspace alone", async () => {
  assertEquals(await reach({ kind: "client", where: "session/new" }), "workspace");
  assertEquals(await reach({ kind: "pack", where: "x" }, { pack: "/other" }), "workspace");
});

Deno.test("ceilingOf() gives a file of the workspace no more, by whatever link it is named", async () => {
  for (const where of ["/work/ws/mcp.json", "/home/u/linked.json", "/work/ws/linked.json"]) {
    assertEquals(await reach({ kind: "file", where }), "workspace", where);
  }
});

Deno.test("ceilingOf() gives a file of a folder that a session adds no more than one of its workspace", async () => {
  const file: Origin = { kind: "file", where: "/home/u/mcp.json" };
  assertEquals(await reach(file, { addedFolders: ["/home/u"] }), "workspace");
  assertEquals(await reach(file, { addedFolders: ["/home/other"] }), "any");
});

Deno.test("originText() names an origin in a few words", () => {
  assertEquals(originText({ kind: "pack", where: "/p" }), "pack /p");
  assertEquals(originText({ kind: "pack", where: "pack guide" }), "pack guide");
  assertEquals(originText({ kind: "client", where: "session/new" }), "client session/new");
  assertEquals(originText({ kind: "file", where: "/f" }), "/f");
});
