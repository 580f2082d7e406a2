import { assertEquals, assertRejects } from "@std/assert";
import { Http, type HttpOptions } from "./http.ts";
import { RemoteError } from "./remote_error.ts";

const LIMITS = { maxRedirects: 2, maxErrorBodyBytes: 10, busyAttempts: 2, reopenMaxMs: 5000 };
const GET = { method: "GET", signal: new AbortController().signal } as const;

/** A server that gives these answers in turn, the last one again and again. */
function served(...answers: (() => Response)[]) {
  const asked: string[] = [];
  const waits: number[] = [];
  const options: HttpOptions = {
    address: new URL("https://far.example/0"),
    headers: {},
    tokens: undefined,
    limits: LIMITS,
    sleep: (ms) => Promise.resolve(void waits.push(ms)),
    fetch: (input) => {
      asked.push(new URL(String(input)).pathname);
      return Promise.resolve((answers.length > 1 ? answers.shift()! : answers[0]!)());
    },
  };
  return { http: new Http(options), asked, waits };
}

const moved = (to: string) => () => new Response(null, { status: 308, headers: { location: to } });
const busy = (wait: string, status = 429) => () =>
  new Response("busy", { status, headers: { "retry-after": wait } });
const fine = () => new Response("fine");

Deno.test("Http follows exactly as many redirects as it may, and none past them", async () => {
  const { http, asked } = served(moved("/1"), moved("/2"), fine);
  assertEquals(await (await http.send(GET)).text(), "fine");
  assertEquals(asked, ["/0", "/1", "/2"]);
  const over = served(moved("/1"), moved("/2"), moved("/3"), fine);
  await assertRejects(() => over.http.send(GET), RemoteError, "redirects to https://far.example/3");
  assertEquals(over.asked, ["/0", "/1", "/2"]);
});

Deno.test("Http tells of an answer exactly as much as it may, and nothing past it", async () => {
  const { http } = served(fine);
  const told = async (text: string) =>
    (await http.refusal(new Response(text, { status: 500 }))).message;
  assertEquals(await told("0123456789"), "far.example answered 500: 0123456789");
  assertEquals(await told("0123456789x"), "far.example answered 500: 0123456789");
  assertEquals(await told(""), "far.example answered 500");
});

Deno.test("Http sends a request again to a server that is busy, as often as it may and no more", async () => {
  const { http, asked, waits } = served(busy("1"), busy("5", 503), fine);
  assertEquals(await (await http.send(GET)).text(), "fine");
  assertEquals([asked.length, waits], [3, [1000, 5000]]);
  const over = served(busy("1"));
  const response = await over.http.send(GET);
  assertEquals([response.status, over.asked.length, over.waits], [429, 3, [1000, 1000]]);
  assertEquals(
    (await over.http.refusal(response)).message,
    "far.example answered 429, and asks to wait 1 s: busy",
  );
});

Deno.test("Http waits for a busy server exactly as long as it may, and fails at once past it", async () => {
  const { http, waits } = served(busy("5"), fine);
  assertEquals([(await http.send(GET)).status, waits], [200, [5000]]);
  const over = served(busy("6"), fine);
  assertEquals([(await over.http.send(GET)).status, over.waits], [429, []]);
  const late = served(busy("Mon, 01 Jan 2001 00:00:00 GMT"), fine);
  assertEquals([(await late.http.send(GET)).status, late.waits], [200, [0]]);
  // Only a server that is busy and says until when is asked again.
  for (const answer of [busy("soon"), busy("1", 500)]) {
    const other = served(answer, fine);
    assertEquals([(await other.http.send(GET)).ok, other.waits], [false, []]);
  }
});
