import { assertEquals } from "@std/assert";
import { titleOf } from "./title_of.ts";

Deno.test("titleOf() is the first line that says something, on one line", () => {
  assertEquals(
    titleOf([{ type: "text", text: "\n  Fix\tthe \u202ebug \nand more" }], 80),
    "Fix the bug",
  );
  const image = { type: "image", data: "QUJD", mediaType: "image/png" } as const;
  assertEquals(titleOf([image, { type: "text", text: "What is this?" }], 80), "What is this?");
  assertEquals(titleOf([image], 80), undefined);
});

Deno.test("titleOf() keeps a title at its limit, and cuts one past it between characters", () => {
  assertEquals(titleOf([{ type: "text", text: "üü" }], 4), "üü");
  assertEquals(titleOf([{ type: "text", text: "üüü" }], 5), "ü…");
});
