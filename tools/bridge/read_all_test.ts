import { assertEquals, assertRejects } from "@std/assert";
import { readAll } from "./read_all.ts";
import { RemoteError } from "./remote_error.ts";

Deno.test("readAll() reads a body exactly at its limit in bytes, and none past it", async () => {
  assertEquals(await readAll(new Response("12345\u00e9"), 7), "12345\u00e9");
  await assertRejects(
    () => readAll(new Response("123456\u00e9"), 7),
    RemoteError,
    "The server's answer takes more than 7 bytes",
  );
  assertEquals(await readAll(new Response(null), 0), "");
});
