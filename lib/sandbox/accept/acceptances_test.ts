import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { accept, type AcceptanceFiles, standingOf } from "./acceptances.ts";
import { grantRequest } from "./grant_request.ts";
import type { Permissions } from "../spec.ts";

/** A state folder in memory. */
function memory(): { files: AcceptanceFiles; texts: Map<string, string> } {
  const texts = new Map<string, string>();
  const facts = { isFile: false, isDirectory: true, isSymlink: false, bytes: 0, mode: 0o700 };
  return {
    texts,
    files: {
      stat: () => Promise.resolve(texts.size === 0 ? undefined : facts),
      list: () => Promise.resolve([...texts.keys()].map((path) => path.split("/").at(-1)!)),
      readText: (path) => Promise.resolve(texts.get(path)!),
      writeText: (path, text) => Promise.resolve(void texts.set(path, text)),
      makeFolder: () => Promise.resolve(),
    },
  };
}

const asks = (permissions: Permissions) => [
  grantRequest({
    name: "s",
    command: "./server",
    args: [],
    env: {},
    permissions,
    origin: { kind: "pack", where: "/p/a.persona.md" },
  }, "linux"),
];

Deno.test("standingOf() takes what was accepted, and less; more is told, and asked for anew", async () => {
  const { files } = memory();
  const world = { state: "/state", files, os: "linux" as const, limits: DEFAULT_LIMITS };
  const standing = (permissions: Permissions) =>
    standingOf("/p/a.persona.md", asks(permissions), world);
  assertEquals(await standing({ run: ["git"] }), { kind: "new" });
  await accept("/p/a.persona.md", asks({ run: ["git"], net: ["a.example"] }), world);
  assertEquals((await standing({ run: ["git"], net: ["a.example"] })).kind, "accepted");
  assertEquals((await standing({ run: ["git"] })).kind, "accepted");
  assertEquals(await standing({ run: ["bash", "git"] }), {
    kind: "widened",
    widenings: [{ server: "s", field: "run", asked: "bash" }],
  });
  await accept("/p/a.persona.md", asks({ run: ["bash", "git"] }), world);
  assertEquals((await standing({ run: ["bash", "git"] })).kind, "accepted");
  // Each was accepted for itself: together they were not.
  assertEquals((await standing({ run: ["bash"], net: ["a.example"] })).kind, "widened");
  // What one pack may do says nothing of another.
  assertEquals((await standingOf("/q/a.persona.md", asks({}), world)).kind, "new");
});

Deno.test("standingOf() refuses an acceptance that is none, with the file", async () => {
  const { files, texts } = memory();
  const world = { state: "/state", files, os: "linux" as const, limits: DEFAULT_LIMITS };
  await accept("/p/a.persona.md", asks({}), world);
  const [path = ""] = texts.keys();
  for (const text of ["{", "null", '{"version":2}', texts.get(path)!.replace('"read"', '"raed"')]) {
    texts.set(path, text);
    const error = await assertRejects(
      () => standingOf("/p/a.persona.md", asks({}), world),
      SkepError,
      `Cannot use the acceptance ${path}`,
    );
    assertEquals(error.code, "CONFIG_INVALID");
  }
});
