import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { ownPrompt } from "./own_prompt.ts";

const LIMITS = { maxSystemPromptBytes: 100 };

/** Reads it with these variables, where `/work/p.md` says "From a file." and `/work/none.md` nothing. */
function read(variables: Readonly<Record<string, string>>) {
  const texts: Readonly<Record<string, string>> = {
    "/work/p.md": "From a file.\n",
    "/work/none.md": " \n",
  };
  const files = {
    readText: (path: string) =>
      path in texts ? Promise.resolve(texts[path]!) : Promise.reject(new Error("it is not there")),
  };
  return ownPrompt({ env: (name) => variables[name], files, cwd: () => "/work" }, LIMITS);
}

Deno.test("ownPrompt() takes a text or a file, skep's own variable before buzz-agent's", async () => {
  assertEquals(await read({}), undefined);
  assertEquals(
    await read({ BUZZ_AGENT_SYSTEM_PROMPT: " ", SKEP_SYSTEM_PROMPT_FILE: "" }),
    undefined,
  );
  const buzz = { BUZZ_AGENT_SYSTEM_PROMPT: "You are Bee." };
  assertEquals(await read(buzz), { text: "You are Bee.", source: "BUZZ_AGENT_SYSTEM_PROMPT" });
  assertEquals((await read({ ...buzz, SKEP_SYSTEM_PROMPT: "Ant." }))?.text, "Ant.");
  const source = "BUZZ_AGENT_SYSTEM_PROMPT_FILE";
  assertEquals(await read({ [source]: "p.md" }), { text: "From a file.\n", source });
});

Deno.test("ownPrompt() refuses two prompts at once, a file that it cannot use, and what is too long", async () => {
  const refused: [Record<string, string>, string][] = [
    [
      { BUZZ_AGENT_SYSTEM_PROMPT: "a", BUZZ_AGENT_SYSTEM_PROMPT_FILE: "p.md" },
      "Cannot use BUZZ_AGENT_SYSTEM_PROMPT: BUZZ_AGENT_SYSTEM_PROMPT_FILE is set, too",
    ],
    [
      { BUZZ_AGENT_SYSTEM_PROMPT_FILE: "gone.md" },
      'Cannot use BUZZ_AGENT_SYSTEM_PROMPT_FILE="gone.md": it is not there',
    ],
    [
      { SKEP_SYSTEM_PROMPT_FILE: "none.md" },
      'Cannot use SKEP_SYSTEM_PROMPT_FILE="none.md": the file is empty',
    ],
    [
      { SKEP_SYSTEM_PROMPT: "x".repeat(101) },
      "Cannot use SKEP_SYSTEM_PROMPT: it has 101 bytes: the limit is 100",
    ],
  ];
  for (const [variables, why] of refused) {
    assertEquals(
      (await assertRejects(() => read(variables), SkepError, why)).code,
      "CONFIG_INVALID",
    );
  }
  assertEquals((await read({ SKEP_SYSTEM_PROMPT: "x".repeat(100) }))?.text.length, 100);
});
