import { assertEquals, assertRejects } from "@std/assert";
import { crc32, deflateSync } from "node:zlib";
import { checkUnpacked } from "./check_unpacked.ts";
import { ImageRefused } from "./read_image.ts";

const MAX_TEXT = 100;
const never = new AbortController().signal;

/** How an image is packed: what is not said is 8×8 pixels of a byte each, in one piece. */
interface Png {
  readonly pixels: Uint8Array;
  readonly header?: readonly [width: number, height: number, bits: number, colour: number];
  readonly isInterlaced?: boolean;
  readonly more?: readonly (readonly [string, Uint8Array])[];
}

function png({ pixels, header = [8, 8, 8, 0], isInterlaced = false, more = [] }: Png): Uint8Array {
  const [width, height, bits, colour] = header;
  const ihdr = [0, 0, 0, width, 0, 0, 0, height, bits, colour, 0, 0, isInterlaced ? 1 : 0];
  const chunks = [["IHDR", new Uint8Array(ihdr)], ...more, ["IDAT", pixels], [
    "IEND",
    new Uint8Array(),
  ]] as const;
  return new Uint8Array([
    ...new Array(8).fill(0),
    ...chunks.flatMap(([name, data]) => chunk(name, data)),
  ]);
}

function chunk(name: string, data: Uint8Array): number[] {
  const named = [...new TextEncoder().encode(name), ...data];
  const number = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
  return [...number(data.length), ...named, ...number(crc32(new Uint8Array(named)))];
}

const packed = (bytes: number): Uint8Array => new Uint8Array(deflateSync(new Uint8Array(bytes)));
const text = (start: string, bytes: number): Uint8Array =>
  new Uint8Array([...new TextEncoder().encode(start), ...packed(bytes)]);

async function refusal(image: Png): Promise<string> {
  const run = () => checkUnpacked(png(image), MAX_TEXT, never);
  return (await assertRejects(run, ImageRefused)).message;
}

Deno.test("checkUnpacked() refuses a small PNG whose pixels unpack to more than its size says", async () => {
  await checkUnpacked(png({ pixels: packed(72) }), MAX_TEXT, never);
  const what = "what its pixels are packed in unpacks to more than";
  assertEquals(await refusal({ pixels: packed(73) }), `${what} 72 bytes`);
  assertEquals(await refusal({ pixels: packed(20_000_000) }), `${what} 72 bytes`);
  const rgba = { header: [3, 2, 16, 6] } as const;
  await checkUnpacked(png({ ...rgba, pixels: packed(50) }), MAX_TEXT, never);
  assertEquals(await refusal({ ...rgba, pixels: packed(51) }), `${what} 50 bytes`);
  const bits = { header: [9, 2, 1, 3] } as const;
  await checkUnpacked(png({ ...bits, pixels: packed(6) }), MAX_TEXT, never);
  assertEquals(await refusal({ ...bits, pixels: packed(7) }), `${what} 6 bytes`);
});

Deno.test("checkUnpacked() knows the passes of an interlaced PNG", async () => {
  // 8×8: 1, 1, 2, 4, 8, 16 and 32 pixels, in 1, 1, 1, 2, 2, 4 and 4 rows.
  const interlaced = { isInterlaced: true };
  await checkUnpacked(png({ ...interlaced, pixels: packed(79) }), MAX_TEXT, never);
  assertEquals(
    await refusal({ ...interlaced, pixels: packed(80) }),
    "what its pixels are packed in unpacks to more than 79 bytes",
  );
  const one = { isInterlaced: true, header: [1, 1, 8, 0] } as const;
  await checkUnpacked(png({ ...one, pixels: packed(2) }), MAX_TEXT, never);
});

Deno.test("checkUnpacked() refuses a PNG with a text or a profile that unpacks to more than its bound", async () => {
  const pixels = packed(72);
  for (
    const [name, start] of [
      ["zTXt", "a\0\0"],
      ["iCCP", "a\0\0"],
      ["iTXt", "a\0\u0001\0en\0b\0"],
    ] as const
  ) {
    const more = (bytes: number) => ({ pixels, more: [[name, text(start, bytes)]] as const });
    await checkUnpacked(png(more(100)), MAX_TEXT, never);
    assertEquals(await refusal(more(101)), `its chunk ${name} unpacks to more than 100 bytes`);
  }
  const plain = [["iTXt", new TextEncoder().encode("a\0\0\0\0\0text")]] as const;
  await checkUnpacked(png({ pixels, more: plain }), MAX_TEXT, never);
});

Deno.test("checkUnpacked() refuses a PNG whose pixels cannot be unpacked", async () => {
  assertEquals(
    await refusal({ pixels: new Uint8Array([1, 2, 3, 4, 5]) }),
    "it is damaged: what its pixels are packed in cannot be unpacked",
  );
});
