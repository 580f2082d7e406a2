import { assertEquals } from "@std/assert";
import { isPublicKey } from "./public_key.ts";

// The example of NIP-19.
const NPUB = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";

Deno.test("an npub with a bad checksum was taken for a public key", () => {
  assertEquals(isPublicKey(NPUB), true);
  assertEquals(isPublicKey(NPUB.replace("10elf", "10elg")), false);
  assertEquals(isPublicKey(NPUB.slice(0, -1) + "q"), false);
  assertEquals([isPublicKey("a".repeat(64)), isPublicKey("A".repeat(64))], [true, false]);
  assertEquals([isPublicKey(""), isPublicKey(NPUB.toUpperCase())], [false, false]);
});
