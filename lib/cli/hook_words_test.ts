import { assertEquals } from "@std/assert";
import { redactor } from "../sandbox/redact.ts";
import { HookWords } from "./hook_words.ts";

Deno.test("a secret of a hook's words is taken out also where what is kept of their beginning and end meets", async () => {
  const secret = "sk-SECRETKEY123456";
  const redact = redactor([["KEY", secret]]);
  for (let before = 83; before <= 99; before++) { // the beginning is kept up to byte 100
    const said = "x".repeat(before) + secret + "yy";
    const words = new HookWords(ReadableStream.from([new TextEncoder().encode(said)]), 50);
    await words.ended;
    assertEquals(
      words.text(redact),
      `${"x".repeat(25)}\n[... the middle of ${said.length} bytes is left out ...]\n` +
        `${"x".repeat(11)}[secret KEY]yy`,
    );
  }
});
