import { assertEquals } from "@std/assert";
import { retryAfterMs, retryDelayMs, waitInWords } from "./retry_after.ts";

const NOON = Date.parse("2026-05-01T12:00:00Z");

function wait(value: string): number | undefined {
  return retryAfterMs(new Headers({ "retry-after": value }), () => NOON);
}

Deno.test("retryAfterMs() reads seconds and dates", () => {
  assertEquals(wait("3"), 3_000);
  assertEquals(wait(" 0.5 "), 500);
  assertEquals(wait("Fri, 01 May 2026 12:00:05 GMT"), 5_000);
});

Deno.test("retryAfterMs() ignores what is no wait", () => {
  for (const value of ["0", "-1", "soon", "", "Fri, 01 May 2026 11:59:59 GMT"]) {
    assertEquals(wait(value), undefined);
  }
  assertEquals(retryAfterMs(undefined, () => 0), undefined);
});

Deno.test("retryDelayMs() reads the wait in the details of Google's errors, and nothing else", () => {
  const info = (retryDelay: unknown) => [
    { "@type": "type.googleapis.com/google.rpc.Help" },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
  ];
  assertEquals(retryDelayMs(info("34.074824224s")), 34_075);
  assertEquals(retryDelayMs(info("7s")), 7_000);
  for (const value of ["0s", "7", "-1s", 7, null, undefined]) {
    assertEquals(retryDelayMs(info(value)), undefined);
  }
  for (const details of [undefined, "7s", [null, 1], [{ retryDelay: "7s" }]]) {
    assertEquals(retryDelayMs(details), undefined);
  }
});

Deno.test("waitInWords() tells long waits in hours too", () => {
  const waits = [1, 61_000, 3_599_000, 3_600_000, 86_400_000, Infinity].map(waitInWords);
  assertEquals(waits, [
    "1 s",
    "61 s",
    "3,599 s",
    "3,600 s, which is 1 h",
    "86,400 s, which is 24 h",
    "a time without end",
  ]);
});
