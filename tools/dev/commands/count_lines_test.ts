import { assertEquals } from "@std/assert";
import { countLines } from "./count_lines.ts";

async function counted(bytes: Uint8Array, maxBytes = 1000): Promise<number | string> {
  const path = await Deno.makeTempFile({ prefix: "skep-test-" });
  try {
    await Deno.writeFile(path, bytes);
    return (await countLines(path, maxBytes, Deno)).lines;
  } finally {
    await Deno.remove(path);
  }
}

function utf16(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) {
    view.setUint16(at * 2, text.charCodeAt(at), isLittleEndian);
  }
  return new Uint8Array(view.buffer);
}

Deno.test("countLines() takes UTF-16 for text, whose bytes are half of them NULs", async () => {
  const text = "\ufeffone\ntwo\nthree";
  assertEquals([await counted(utf16(text, true)), await counted(utf16(text, false))], [3, 3]);
  assertEquals(await counted(utf16(`${text}\n`, true)), 3);
});

Deno.test("countLines() tells a binary file from one that is too long to look", async () => {
  assertEquals(await counted(new Uint8Array([0x61, 0, 0x0a])), "binary");
  assertEquals(await counted(new Uint8Array([0x61, 0x0a]), 2), 1);
  assertEquals(await counted(new Uint8Array([0x61, 0x0a]), 1), "not counted");
});
