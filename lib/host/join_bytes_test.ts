import { assertEquals } from "@std/assert";
import { joinBytes } from "./join_bytes.ts";

Deno.test("joinBytes() gives pieces in their order, and nothing of none", () => {
  assertEquals(
    joinBytes([new Uint8Array([1, 2]), new Uint8Array(), new Uint8Array([3])]),
    new Uint8Array([1, 2, 3]),
  );
  assertEquals(joinBytes([]), new Uint8Array());
});
