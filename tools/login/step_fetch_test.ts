import { assertEquals, assertRejects } from "@std/assert";
import { stepFetch } from "./step_fetch.ts";

const LIMITS = { loginRequestTimeoutS: 0.02, maxLoginFileBytes: 10 };

Deno.test("stepFetch() gives an answer exactly at its limit, and fails past it", async () => {
  const read = async (text: string) => {
    const bounded = stepFetch(() => Promise.resolve(new Response(text)), LIMITS);
    return await (await bounded("https://as.example/")).text();
  };
  assertEquals(await read("0123456789"), "0123456789");
  await assertRejects(() => read("0123456789x"), RangeError, "takes more than 10 bytes");
});

Deno.test("stepFetch() follows no redirect, and waits no longer than it may", async () => {
  let redirect: string | undefined;
  const hangs = stepFetch((_, init) => {
    redirect = init?.redirect;
    const { promise, reject } = Promise.withResolvers<Response>();
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    return promise;
  }, LIMITS);
  await assertRejects(() => hangs("https://as.example/"), DOMException, "timeout");
  assertEquals(redirect, "manual");
});
