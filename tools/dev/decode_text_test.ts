import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { SkepError } from "../../lib/errors.ts";
import { type DecodedText, decodeText, encodeText } from "./decode_text.ts";

const CONTEXT = { tool: "read_file" };
const decode = (...bytes: number[]) => decodeText(new Uint8Array(bytes), "f", CONTEXT);
const refusal = (...bytes: number[]) => assertThrows(() => decode(...bytes), SkepError).message;

Deno.test("decodeText() drops a byte order mark and tells it", () => {
  const utf8 = { encoding: "utf-8" } as const;
  assertEquals(decode(0xef, 0xbb, 0xbf, 0x61), { text: "a", hasBom: true, ...utf8 });
  assertEquals(decode(0x61, 0xc3, 0xbc), { text: "aü", hasBom: false, ...utf8 });
  assertEquals(decode(), { text: "", hasBom: false, ...utf8 });
});

Deno.test("decodeText() reads UTF-16 by its byte order mark", () => {
  const [text, hasBom] = ["aü", true];
  assertEquals(decode(0xff, 0xfe, 0x61, 0, 0xfc, 0), { text, hasBom, encoding: "utf-16le" });
  assertEquals(decode(0xfe, 0xff, 0, 0x61, 0, 0xfc), { text, hasBom, encoding: "utf-16be" });
  assertEquals(
    refusal(0xff, 0xfe, 0x61),
    'Cannot read "f": its byte order mark says UTF-16LE, and that it is not',
  );
});

Deno.test("decodeText() names the line that is not UTF-8, and offers latin-1", () => {
  const line = (number: number) =>
    `Cannot read "f": line ${number} is not UTF-8; ` +
    `pass encoding="latin-1" to read each byte as a character`;
  assertEquals(refusal(0xff), line(1));
  assertEquals(refusal(0x61, 0x0a, 0x0a, 0xc3, 0x0a, 0xbc), line(3));
  assertEquals(decodeText(new Uint8Array([0xe4, 0x80]), "f", CONTEXT, "latin-1"), {
    text: "ä\x80",
    encoding: "latin-1",
    hasBom: false,
  });
});

Deno.test("decodeText() tells binary files apart from text", () => {
  assertEquals(
    refusal(0x7f, 0x45, 0x00),
    'Cannot read "f": it looks like a binary file of 3 bytes (NUL at byte 2)',
  );
});

Deno.test("encodeText() gives the bytes that decodeText() reads as the same", () => {
  const encodings = ["utf-8", "utf-16le", "utf-16be"] as const;
  const unit = fc.string({ unit: "grapheme" }).filter((text) =>
    !text.includes("\0") && !text.startsWith("\ufeff")
  );
  fc.assert(fc.property(unit, fc.constantFrom(...encodings), (text, encoding) => {
    const decoded: DecodedText = { text, encoding, hasBom: true };
    const bytes = encodeText(decoded);
    assertEquals(decodeText(bytes!, "f", CONTEXT), decoded);
  }));
});

Deno.test("encodeText() refuses what latin-1 has no byte for", () => {
  const encode = (text: string) => encodeText({ text, encoding: "latin-1", hasBom: false });
  assertEquals(encode("ÿ"), new Uint8Array([0xff]));
  assertEquals(encode("Ā"), undefined);
});
