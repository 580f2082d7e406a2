import { assertEquals, assertRejects } from "@std/assert";
import { watchPackageManager, watchParent } from "./watch_parent.ts";

Deno.test("watchParent() calls once when the parent changed", async () => {
  const parents = [7, 7, 7, 1];
  const slept: number[] = [];
  let deaths = 0;
  const host = {
    parentPid: () => parents.length > 1 ? parents.shift()! : 1,
    sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
    launchersAbove: () => Promise.resolve({ pids: [], managed: [], isCut: false }),
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
    launchersAbove: () => Promise.resolve({ pids: [], managed: [], isCut: false }),
    isAlive: () => true,
  };
  await watchParent(host, () => looks = -1, 250, stop.signal);
  assertEquals(looks, 3);
});

Deno.test("watchParent() hands on what goes wrong", async () => {
  const host = {
    parentPid: () => 7,
    sleep: () => Promise.reject(new Error("no clock")),
    launchersAbove: () => Promise.resolve({ pids: [], managed: [], isCut: false }),
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
    launchersAbove: (pid: number) =>
      Promise.resolve({ pids: pid === 7 ? [7, 5] : [], managed: [], isCut: false }),
    isAlive: (pid: number) => pid === 7 || ++looks < 3,
  };
  await watchParent(host, () => deaths++, 250, new AbortController().signal);
  assertEquals([deaths, looks], [1, 3]);
});

Deno.test("watchParent() calls when the launcher was gone before the first look", async () => {
  let deaths = 0;
  const host = {
    parentPid: () => 7,
    sleep: () => Promise.resolve(),
    launchersAbove: () => Promise.resolve({ pids: [7], managed: [], isCut: true }),
    isAlive: () => true,
  };
  await watchParent(host, () => deaths++, 250, new AbortController().signal);
  assertEquals(deaths, 1);
});

Deno.test("an npx that was killed and that nobody waited for was taken for alive", async () => {
  let deaths = 0;
  let searches = 0;
  const host = {
    parentPid: () => 7,
    sleep: () => Promise.resolve(),
    // A zombie has a number; what it started has another parent.
    launchersAbove: () =>
      Promise.resolve({ pids: ++searches < 3 ? [7, 5] : [7], managed: [], isCut: false }),
    isAlive: () => true,
  };
  await watchParent(host, () => deaths++, 250, new AbortController().signal);
  assertEquals([deaths, searches], [1, 3]);
});

Deno.test("watchPackageManager() watches nothing where none started us", async () => {
  let sleeps = 0;
  const host = {
    parentPid: () => 7,
    sleep: () => Promise.resolve(void sleeps++),
    launchersAbove: () => Promise.resolve({ pids: [7, 5], managed: [], isCut: false }),
    isAlive: () => false,
  };
  const fail = () => {
    throw new Error("nobody died that matters");
  };
  await watchPackageManager(host, fail, 250, new AbortController().signal);
  assertEquals(sleeps, 1);
});

Deno.test("watchPackageManager() calls when npx is gone, whatever our parent is", async () => {
  let deaths = 0;
  let looks = 0;
  const host = {
    parentPid: () => ++looks, // it changes
    sleep: () => Promise.resolve(),
    launchersAbove: () => Promise.resolve({ pids: [7, 5, 4], managed: [7, 5], isCut: false }),
    isAlive: (pid: number) => pid !== 5,
  };
  await watchPackageManager(host, () => deaths++, 250, new AbortController().signal);
  assertEquals(deaths, 1);
});
