import { assertEquals } from "@std/assert";
import { readStructuredContent } from "./structured.ts";

const same = (text: string) => text;

Deno.test("readStructuredContent() takes secrets out of every text and name, however deep (T91)", () => {
  const structuredContent = { "t0ken": [{ a: "a t0ken" }], n: 1, none: null };
  assertEquals(
    readStructuredContent(
      { structuredContent },
      1000,
      (text) => text.replaceAll("t0ken", "[secret]"),
    ),
    { "[secret]": [{ a: "a [secret]" }], n: 1, none: null },
  );
});

Deno.test("readStructuredContent() gives content exactly at its limit, and none past it", () => {
  const raw = { structuredContent: { a: "b" } }; // 9 bytes as JSON
  assertEquals(readStructuredContent(raw, 9, same), { a: "b" });
  assertEquals(readStructuredContent(raw, 8, same), undefined);
});

Deno.test("readStructuredContent() gives nothing for what is no object", () => {
  for (const structuredContent of [undefined, null, "text", 3, ["a"]]) {
    assertEquals(readStructuredContent({ structuredContent }, 100, same), undefined);
  }
});
