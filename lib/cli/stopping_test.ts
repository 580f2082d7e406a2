import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { untilSignal } from "./stopping.ts";
import { testHost } from "./test_host.ts";

/** A command that runs until it is told to end, and then throws as one that was given up. */
function untilAborted(signal: AbortSignal): Promise<number> {
  const { promise, reject } = Promise.withResolvers<number>();
  signal.addEventListener("abort", () => reject(new SkepError("CANCELLED", "given up", {})));
  return promise;
}

Deno.test("untilSignal() gives what the command gives, and watches no longer than it runs", async () => {
  const { host, watched } = testHost();
  const code = await untilSignal(host, () => {
    assertEquals(watched(), ["SIGINT", "SIGTERM", "SIGHUP"]);
    return Promise.resolve(3);
  });
  assertEquals([code, watched()], [3, []]);
});

Deno.test("untilSignal() gives 128 and the number of the first signal, whatever the command throws for it", async () => {
  for (const [name, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    const { host, signal, watched } = testHost();
    const running = untilSignal(host, untilAborted);
    signal(name);
    signal("SIGINT"); // changes nothing any more
    assertEquals([await running, watched()], [code, []]);
  }
});

Deno.test("untilSignal() gives the signal's code for a command that ends well in spite of it", async () => {
  const { host, signal } = testHost();
  const running = untilSignal(
    host,
    (stop) => new Promise((resolve) => stop.addEventListener("abort", () => resolve(0))),
  );
  signal("SIGTERM");
  assertEquals(await running, 143);
});

Deno.test("untilSignal() passes a failure on that no signal led to", async () => {
  const { host } = testHost();
  const error = new SkepError("USAGE", "no", {});
  assertEquals(await assertRejects(() => untilSignal(host, () => Promise.reject(error))), error);
});

Deno.test("untilSignal() watches for what Windows has", async () => {
  const { host, watched } = testHost({ platform: { os: "windows", arch: "x86_64" } });
  await untilSignal(host, () => Promise.resolve(assertEquals(watched(), ["SIGINT"]) ?? 0));
});

Deno.test("a command that hung, such as in a file that never opens, took no signal", async () => {
  const slept: number[] = [];
  const { host, signal, messages } = testHost({
    sleep: (ms) => Promise.resolve(void slept.push(ms)),
  });
  const running = untilSignal(host, () => new Promise(() => {}));
  signal("SIGTERM");
  assertEquals(await running, 143);
  assertEquals([slept, messages], [[10_000], ["skep ends with work undone after 10000 ms"]]);
});
