import { assertEquals } from "@std/assert";
import type { Image, Text } from "../model/message.ts";
import { readArtifactTool } from "./read_artifact_tool.ts";

const NEVER = new AbortController().signal;
const IMAGE: Image = { type: "image", data: "AAAA", mediaType: "image/png" };
const KEPT: Record<string, Text | Image> = {
  a1: { type: "text", text: "one\nzwö\nthree\n" },
  a2: IMAGE,
  a3: { type: "text", text: `${"x".repeat(500)}needle${"y".repeat(500)}\nneedle` },
};

async function read(
  args: Record<string, unknown>,
  maxArtifactTextBytes = 1024,
): Promise<[isError: boolean, text: string]> {
  const store = { size: 3, get: (id: string) => Promise.resolve(KEPT[id]) };
  const { isError, content } = await readArtifactTool(store, { maxArtifactTextBytes })
    .run(args, NEVER);
  return [isError, content.map((part) => part.type === "text" ? part.text : part.data).join("")];
}

Deno.test("readArtifactTool() is listed once there is something to read", () => {
  const listed = (size: number) =>
    readArtifactTool({ size, get: () => Promise.resolve(undefined) }, {
      maxArtifactTextBytes: 1,
    }).isListed!();
  assertEquals([listed(0), listed(1)], [false, true]);
});

Deno.test("readArtifactTool() gives a text piece by piece, in whole characters", async () => {
  assertEquals(await read({ id: "a1" }), [false, "[bytes 0 to 15 of 15]\none\nzwö\nthree\n"]);
  // Byte 7 is the second one of ö.
  assertEquals(await read({ id: "a1" }, 7), [
    false,
    "[bytes 0 to 6 of 15; go on with offset 6]\none\nzw",
  ]);
  assertEquals(await read({ id: "a1", offset: 6 }, 3), [
    false,
    "[bytes 6 to 9 of 15; go on with offset 9]\nö\n",
  ]);
  assertEquals(await read({ id: "a1", offset: 7 }), [false, "[bytes 8 to 15 of 15]\n\nthree\n"]);
  assertEquals(await read({ id: "a1", offset: 15 }), [
    false,
    "[byte 15 is past the end: there are 15]",
  ]);
});

Deno.test("readArtifactTool() gives the lines that hold a text, and an image as it is", async () => {
  assertEquals(await read({ id: "a1", find: "e" }), [false, "0: one\n9: three"]);
  assertEquals(await read({ id: "a1", find: "e", offset: 1 }), [false, "9: three"]);
  assertEquals(await read({ id: "a1", find: "E" }), [false, "[no line from byte 0 on holds it]"]);
  assertEquals(await read({ id: "a1", find: "e" }, 8), [
    false,
    "0: one\n[more lines hold it; go on with offset 9]",
  ]);
  assertEquals(await read({ id: "a2" }), [false, "AAAA"]);
});

Deno.test("readArtifactTool() shows a line that is too long around what was looked for", async () => {
  const [, text] = await read({ id: "a3", find: "needle" }, 256);
  assertEquals(text, `0: … ${"x".repeat(16)}needle${"y".repeat(10)} …\n1007: needle`);
});

Deno.test("readArtifactTool() says what of its arguments cannot be used", async () => {
  assertEquals(await read({}), [true, "id must be a text, such as a1"]);
  assertEquals(await read({ id: "a9" }), [true, 'There is no artifact "a9", or no more']);
  assertEquals(await read({ id: "a1", offset: -1 }), [
    true,
    "offset must be a whole number from 0, not -1",
  ]);
  assertEquals(await read({ id: "a1", find: "" }), [true, "find must be a text that is not empty"]);
});
