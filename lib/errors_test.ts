import { assert, assertEquals } from "@std/assert";
import { isSkepError, messageOf, SkepError } from "./errors.ts";

Deno.test("SkepError keeps code, message, details and what led to it", () => {
  const cause = new RangeError("too far");
  const error = new SkepError("TOOL_UNKNOWN", "no such tool", { tool: "x" }, { cause });
  assert(error instanceof Error);
  assertEquals([error.name, error.code, error.message], [
    "SkepError",
    "TOOL_UNKNOWN",
    "no such tool",
  ]);
  assertEquals([error.details, error.cause], [{ tool: "x" }, cause]);
  assertEquals(String(error), "SkepError: no such tool");
});

Deno.test("isSkepError() tells an error by its code, and nothing else by its looks", () => {
  const error = new SkepError("CANCELLED", "given up", {});
  assertEquals([isSkepError(error, "CANCELLED"), isSkepError(error, "DEFECT")], [true, false]);
  assertEquals(isSkepError({ code: "CANCELLED" }, "CANCELLED"), false);
  assertEquals(isSkepError(undefined, "CANCELLED"), false);
});

Deno.test("messageOf() is an error's message, else the text of what was thrown", () => {
  assertEquals([new Error("a"), "b", 3, undefined].map(messageOf), ["a", "b", "3", "undefined"]);
});
