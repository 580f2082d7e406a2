import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { formatModelId, parseModelId } from "./model_id.ts";

Deno.test("parseModelId() splits at the first colon alone", () => {
  assertEquals(parseModelId("ollama:llama3:8b"), { provider: "ollama", model: "llama3:8b" });
  assertEquals(parseModelId(" script:C:\\a b.yaml "), {
    provider: "script",
    model: "C:\\a b.yaml",
  });
});

Deno.test("parseModelId() takes a string without a colon as a provider alone", () => {
  assertEquals(parseModelId("offline"), { provider: "offline", model: "" });
});

Deno.test("parseModelId() refuses a string that has only one side of the colon, or none", () => {
  for (const text of ["", "  ", ":", ":gpt", "anthropic:"]) {
    const error = assertThrows(() => parseModelId(text), SkepError, "it must be PROVIDER:MODEL");
    assertEquals(error.code, "MODEL_UNKNOWN");
  }
});

Deno.test("formatModelId() gives back what was parsed", () => {
  for (const text of ["offline", "ollama:llama3:8b"]) {
    assertEquals(formatModelId(parseModelId(text)), text);
  }
});
