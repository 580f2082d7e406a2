import { assertEquals } from "@std/assert";
import type { Grant } from "./grant.ts";
import { widened } from "./widened.ts";

const entry = (value: string) => ({ value, origin: "test" });

const NOTHING = { read: [], write: [], net: [], run: [], env: [], sys: [], secrets: [] };

function grant(more: Partial<Grant>): Grant {
  const rest = { tmp: "/tmp/0", home: "/tmp/0h", limits: {}, sandbox: "prefer" };
  return { ...NOTHING, ...rest, ...more } as unknown as Grant; // what is compared of one
}

Deno.test("widened() tells what a grant has more, and nothing of its own new folders", () => {
  const before = grant({ tmp: "/tmp/1", home: "/tmp/1h", write: [entry("/tmp/1")], net: [] });
  const same = { ...before, tmp: "/tmp/2", home: "/tmp/2h", write: [entry("/tmp/2")] };
  assertEquals(widened(before, same), []);
  const more = { ...same, write: [...same.write, entry("/work")], net: [entry("a.org:443")] };
  assertEquals(widened(before, more), ["write /work", "net a.org:443"]);
  assertEquals(widened(more, before), []);
});

Deno.test("widened() tells of limits that are gone or higher, and of a weaker confinement", () => {
  const before = grant({ limits: { memory_mb: 512, processes: 8 }, sandbox: "require" });
  const after = grant({ limits: { memory_mb: 1024 }, sandbox: "prefer" });
  assertEquals(widened(before, after), [
    "limits memory_mb 1024",
    "limits processes none",
    "sandbox prefer",
  ]);
  assertEquals(widened(after, before), []);
});

Deno.test("widened() counts all of a server that was not there", () => {
  const after = grant({ net: [entry("a.org")] });
  assertEquals(widened(undefined, after), ["net a.org"]);
});
