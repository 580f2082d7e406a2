import { assertEquals } from "@std/assert";
import { cutText } from "./cut_text.ts";

Deno.test("cutText() leaves a text exactly at its limit, and cuts one byte more between characters", () => {
  assertEquals(cutText("üü", 4), { text: "üü", bytes: 4, allBytes: 4 });
  assertEquals(cutText("üü", 3), {
    text: "ü\n[cut here: these are the first 2 of 4 bytes]",
    bytes: 2,
    allBytes: 4,
  });
  assertEquals(cutText("😀", 3).bytes, 0);
});
