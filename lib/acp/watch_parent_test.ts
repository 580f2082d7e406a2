import { assertEquals, assertRejects } from "@std/assert";
import { watchParent } from "./watch_parent.ts";

Deno.test("watchParent() calls once when the parent changed", async () => {
  const parents = [7, 7, 7, 1];
  const slept: number[] = [];
  let deaths = 0;
  const host = {
    parentPid: () => parents.length > 1 ? parents.shift()! : 1,
    sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
    launchersAbove: () => Promise.resolve([]),
    isAlive: () => true,
  };
  await watchParent(host, () => deaths++, 250, new AbortController().signal);
  assertEquals([deaths, slept], [1, [250, 250, 250]]);
});

Deno.test("watchParent() takes a parent with pid 1 for alive", async () => {
  const stop = new AbortController();
  let looks = 0;
  const host = {
    parentPid: () => 1,
    sleep: () => {
      if (++looks === 3) stop.abort();
      return stop.signal.aborted ? Promise.reject(stop.signal.reason) : Promise.resolve();
    },
    launchersAbove: () => Promise.resolve([]),
    isAlive: () => true,
  };
  await watchParent(host, () => looks = -1, 250, stop.signal);
  assertEquals(looks, 3);
});

Deno.test("watchParent() hands on what goes wrong", async () => {
  const host = {
    parentPid: () => 7,
    sleep: () => Promise.reject(new Error("no clock")),
    launchersAbove: () => Promise.resolve([]),
    isAlive: () => true,
  };
  await assertRejects(
    () => watchParent(host, () => {}, 250, new AbortController().signal),
    Error,
    "no clock",
  );
});

Deno.test("watchParent() calls when a launcher above the parent is gone, though the parent lives", async () => {
  let looks = 0;
  let deaths = 0;
  const host = {
    parentPid: () => 7,
    sleep: () => Promise.resolve(),
    launchersAbove: (pid: number) => Promise.resolve(pid === 7 ? [7, 5] : []),
    isAlive: (pid: number) => pid === 7 || ++looks < 3,
  };
  await watchParent(host, () => deaths++, 250, new AbortController().signal);
  assertEquals([deaths, looks], [1, 3]);
});
