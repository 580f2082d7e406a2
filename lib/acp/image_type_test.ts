import { assertEquals } from "@std/assert";
import { imageType } from "./image_type.ts";

const of = (...bytes: (string | number)[]) =>
  imageType(
    btoa(bytes.map((each) => typeof each === "string" ? each : String.fromCharCode(each)).join("")),
  );

Deno.test("imageType() knows PNG, JPEG, GIF and WebP by their first bytes, and nothing else", () => {
  assertEquals(of(0x89, "PNG\r\n", 0x1a, "\n", 0, 0, 0, 0), "image/png");
  assertEquals(of(0xff, 0xd8, 0xff, 0xe0, "JFIF and more"), "image/jpeg");
  assertEquals(of("GIF89a and more"), "image/gif");
  assertEquals(of("RIFF", 1, 2, 3, "\nWEBPVP8 "), "image/webp");
  assertEquals(of("RIFF", 1, 2, 3, 4, "WAVEfmt "), undefined);
  assertEquals(of("<svg xmlns="), undefined);
  assertEquals(of("ABC"), undefined);
  assertEquals([imageType(""), imageType("a=bc"), imageType("A")], [
    undefined,
    undefined,
    undefined,
  ]);
});
