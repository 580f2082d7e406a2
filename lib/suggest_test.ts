import { assertEquals } from "@std/assert";
import { nearest } from "./suggest.ts";

Deno.test("nearest() finds the word that a mistyped one means", () => {
  assertEquals(nearest("adit", ["chat", "audit", "acp"]), "audit");
  assertEquals(nearest("caht", ["chat", "audit"]), "chat");
  assertEquals(nearest("dev__raed_file", ["dev__read_file", "dev__write_file"]), "dev__read_file");
  assertEquals(nearest("READ", ["read", "write"]), "read");
});

Deno.test("nearest() suggests nothing when nothing is near", () => {
  assertEquals(nearest("xyz", ["chat", "audit"]), undefined);
  assertEquals(nearest("chat", []), undefined);
});

Deno.test("nearest() prefers the candidate with fewer edits", () => {
  assertEquals(nearest("serve", ["server", "serves", "serve"]), "serve");
});
