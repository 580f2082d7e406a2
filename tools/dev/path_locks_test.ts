import { assertEquals } from "@std/assert";
import { PathLocks } from "./path_locks.ts";

Deno.test("PathLocks runs work on one path in order, whatever becomes of it", async () => {
  const locks = new PathLocks();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = [
    locks.run("a", async () => {
      await first.promise;
      done.push("a1");
      throw new Error("no");
    }),
    locks.run("a", () => Promise.resolve(void done.push("a2"))),
    locks.run("b", () => Promise.resolve(void done.push("b"))),
  ];
  await work[2];
  first.resolve();
  await Promise.allSettled(work);
  assertEquals(done, ["b", "a1", "a2"]);
});
