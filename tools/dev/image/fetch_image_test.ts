import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../../lib/errors.ts";
import { testContext } from "../test_context.ts";
import type { ToolContext } from "../tool.ts";
import type { World } from "../world.ts";
import { checkedAddress, fetchImage, shownAddress } from "./fetch_image.ts";
import { ImageRefused } from "./read_image.ts";

const GRANTED = ["a.test:443", "b.test:443", "inner.test:443", "10.0.0.1:443", "[fd00::1]:8443"];

/** A network of a few hosts: `answers` by address. */
async function network(answers: Record<string, () => Response>): Promise<ToolContext> {
  const addresses: Record<string, string[]> = { "inner.test": ["192.168.0.9"] };
  const world = {
    permissions: {
      query: ({ host }: { host?: string }) =>
        Promise.resolve({
          state: host !== undefined && GRANTED.includes(host) ? "granted" : "prompt",
        }),
    },
    resolveDns: (name: string, type: string) =>
      Promise.resolve(type === "A" ? addresses[name] ?? ["1.1.1.1"] : []),
  } as unknown as Partial<World>;
  return {
    ...await testContext("view_image", world, { maxImageBytes: 4 }),
    fetch: (url, init) => {
      assertEquals(init?.redirect, "manual");
      return Promise.resolve(answers[String(url)]?.() ?? new Response(null, { status: 404 }));
    },
  };
}

const never = new AbortController().signal;
const moved = (location: string) => () =>
  new Response(null, { status: 302, headers: { location } });

async function fetched(url: string, answers: Record<string, () => Response>): Promise<number> {
  return (await fetchImage(checkedAddress(url), await network(answers), never)).length;
}

async function refusal(url: string, answers: Record<string, () => Response> = {}): Promise<string> {
  const run = async () => await fetchImage(checkedAddress(url), await network(answers), never);
  return (await assertRejects(run, ImageRefused)).message;
}

Deno.test("fetchImage() takes an image exactly at its limit, and refuses one byte more", async () => {
  const body = (bytes: number) => ({
    "https://a.test/x": () => new Response(new Uint8Array(bytes)),
  });
  assertEquals(await fetched("https://a.test/x", body(4)), 4);
  assertEquals(await refusal("https://a.test/x", body(5)), "it has more than 4 bytes");
});

Deno.test("fetchImage() follows a redirect within the grant", async () => {
  const length = await fetched("https://a.test/x", {
    "https://a.test/x": moved("https://b.test/y"),
    "https://b.test/y": () => new Response("abc"),
  });
  assertEquals(length, 3);
});

Deno.test("fetchImage() looks at each redirect as if it had been given", async () => {
  const context = await network({ "https://a.test/x": moved("https://other.test/") });
  const error = await assertRejects(
    () => fetchImage(checkedAddress("https://a.test/x"), context, never),
    SkepError,
  );
  assertEquals([error.code, error.details], ["ACCESS_DENIED", {
    server: "dev",
    access: "net",
    value: "other.test:443",
  }]);
  const to = (location: string) =>
    refusal("https://a.test/x", { "https://a.test/x": moved(location) });
  assertEquals(
    await to("http://a.test/x"),
    "http:// is not fetched, only https://".replace("http://", "http://"),
  );
  assertEquals(
    await to("https://inner.test/"),
    "inner.test:443 is not public (192.168.0.9), and the net list of this server's grant does not name 192.168.0.9:443",
  );
  assertEquals(await to("https://a.test/x"), "it was redirected more than 5 times");
});

Deno.test("fetchImage() goes to an inner address that the grant names with its port", async () => {
  const answers = {
    "https://10.0.0.1/": () => new Response("a"),
    "https://[fd00::1]:8443/": () => new Response("a"),
  };
  assertEquals(await fetched("https://10.0.0.1/", answers), 1);
  assertEquals(await fetched("https://[fd00::1]:8443/", answers), 1);
});

Deno.test("fetchImage() tells the status that it got", async () => {
  assertEquals(await refusal("https://a.test/none"), "the host answered with status 404");
});

Deno.test("fetchImage() says why it cannot connect, and shows no secret of the address", async () => {
  const cause = (text: string) =>
    new Error(
      `error sending request for url (https://a.test/?t=secret): client error (Connect): ${text}`,
    );
  const refused = async (error: Error) => {
    const context = { ...await network({}), fetch: () => Promise.reject(error) };
    const run = () => fetchImage(checkedAddress("https://a.test/?t=secret"), context, never);
    return (await assertRejects(run, ImageRefused)).message;
  };
  const failed = (text: string) => new TypeError("fetch failed", { cause: cause(text) });
  assertEquals(
    await refused(failed("invalid peer certificate: UnknownIssuer")),
    "cannot connect: invalid peer certificate: UnknownIssuer",
  );
  assertEquals(
    await refused(failed("tcp connect error: Connection refused (os error 111)")),
    "cannot connect: tcp connect error: Connection refused (os error 111)",
  );
  assertEquals(await refused(new TypeError("fetch failed")), "fetch failed");
});

Deno.test("shownAddress() leaves out what may be secret", () => {
  const url = new URL("https://user:pass@a.test/x?token=1#y");
  assertEquals(shownAddress(url), "https://a.test/x?…");
  assertEquals(shownAddress(new URL("ftp://user:pass@a.test:7/x")), "ftp://a.test:7/x");
  assertEquals(shownAddress(new URL("file:///x")), "file:///x");
});
