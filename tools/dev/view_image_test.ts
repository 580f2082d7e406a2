import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { SkepError } from "../../lib/errors.ts";
import type { Limits } from "../../lib/limits.ts";
import { testContext } from "./test_context.ts";
import { viewImage } from "./view_image.ts";

const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const BYTES = 42;

async function view(limits: Partial<Limits>): Promise<string> {
  const context = await testContext("view_image", {}, limits);
  await using _state = context.state;
  const source = `data:image/gif;base64,${GIF}`;
  return (await viewImage.run({ source }, context, new AbortController().signal)).text;
}

async function refusal(limits: Partial<Limits>): Promise<string> {
  const { message } = await assertRejects(() => view(limits), SkepError);
  return message.replace("Cannot show the data: URL: ", "");
}

Deno.test("view_image takes as many pixels as its limit, and refuses one more", async () => {
  const shown = `1×1, ${BYTES} bytes (image/gif from data: URL)`;
  assertEquals(await view({ maxImagePixels: 1 }), shown);
  assertEquals(await refusal({ maxImagePixels: 0 }), "it has 1×1 = 1 pixels, the limit is 0");
});

Deno.test("view_image takes as many bytes as its limit, and refuses one more", async () => {
  assertEquals((await view({ maxImageBytes: BYTES })).slice(0, 3), "1×1");
  assertEquals(
    await refusal({ maxImageBytes: BYTES - 3 }),
    "it has 56 characters, the limit is 39 bytes",
  );
});

Deno.test("view_image shows as many bytes as its limit, and writes anew what has more", async () => {
  assertEquals((await view({ maxShownImageBytes: BYTES })).slice(0, 13), "1×1, 42 bytes");
  const message = await refusal({ maxShownImageBytes: BYTES - 1 });
  assertMatch(message, /^it has \d+ bytes when made smaller, the limit is 41$/);
});

Deno.test("view_image gives up on what takes too long to unpack", async () => {
  assertEquals(await refusal({ imageTimeoutMs: 0 }), "it takes more than 0 ms to unpack");
});
