import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { exifOrientation } from "./exif_orientation.ts";
import { ImageRefused, readImage } from "./read_image.ts";

const GIF = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
);

Deno.test("readImage() reads what an image says of itself", () => {
  const one = { width: 1, height: 1, orientation: 1 };
  assertEquals(readImage(GIF), { type: "image/gif", length: 42, ...one });
  assertEquals(readImage(PNG), { type: "image/png", length: PNG.length, ...one });
});

Deno.test("readImage() takes nothing that stands behind an image's end for a part of it", () => {
  const jpeg = [
    ...[0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0xff, 0, 0xff, 0xd0, 0x34],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x56, 0xff, 0xd9],
  ];
  const facts = readImage(Uint8Array.from([...jpeg, 0xff, 0xd8, 0, 0xff, 0xd9]));
  assertEquals([facts.width, facts.height, facts.length], [3, 2, jpeg.length]);
  assertThrows(() => readImage(Uint8Array.from(jpeg.slice(0, -1))), ImageRefused);
  for (const whole of [GIF, PNG]) {
    assertEquals(readImage(new Uint8Array([...whole, 1, 2, 3])).length, whole.length);
  }
});

Deno.test("readImage() notices an image that is cut off anywhere", () => {
  for (const whole of [GIF, PNG]) {
    for (let length = 0; length < whole.length; length++) {
      assertThrows(() => readImage(whole.subarray(0, length)), ImageRefused);
    }
  }
});

Deno.test("readImage() reads or refuses any bytes", () => {
  const starts = [GIF.slice(0, 13), PNG.slice(0, 33), [0xff, 0xd8, 0xff, 0xe1], "RIFF....WEBPVP8X"];
  const start = fc.constantFrom(
    ...starts.map((each) =>
      typeof each === "string" ? new TextEncoder().encode(each) : Uint8Array.from(each)
    ),
  );
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 64 }), (start, rest) => {
      const bytes = new Uint8Array([...start, ...rest]);
      try {
        readImage(bytes);
      } catch (error) {
        assertEquals(error instanceof ImageRefused, true);
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("exifOrientation() reads either order of bytes, and nothing from damaged data", () => {
  const little = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0];
  const big = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0];
  const read = (bytes: number[]) => exifOrientation(new Uint8Array(bytes));
  assertEquals([read(little), read(big)], [6, 8]);
  assertEquals([read([]), read(little.slice(0, 12)), read(big.with(19, 9))], [1, 1, 1]);
});
