import { assertEquals } from "@std/assert";
import { availableCommands, readCommand } from "./commands.ts";

const SKILLS = [
  { name: "review", description: "Reviews\n a change" },
  { name: "compact", description: "Not skep's own" },
  { name: "two words", description: "Cannot be typed" },
];
const session = { modelId: "anthropic:x", skills: () => SKILLS };
const offline = { ...session, modelId: "offline" };
const text = (text: string) => [{ type: "text" as const, text }];
const MEANING = "[/review is a skill: load it with load_skill first, and do as it says.]";

Deno.test("availableCommands() lists compact, and the skills whose names can be typed", () => {
  const [compact, ...skills] = availableCommands(session);
  assertEquals(compact!.name, "compact");
  assertEquals(skills, [
    { name: "review", description: "Reviews a change", input: { hint: "what to use it for" } },
  ]);
  assertEquals(availableCommands(offline), [compact!]);
});

Deno.test("readCommand() says behind a skill's name what it is, and keeps the words as typed", () => {
  assertEquals(readCommand(text("/review a.ts\nand b.ts"), session), {
    kind: "turn",
    content: text(`/review a.ts\nand b.ts\n\n${MEANING}`),
  });
  const image = { type: "image" as const, data: "aGk=", mediaType: "image/png" };
  const withImage = [...text("/review"), image];
  assertEquals(readCommand(withImage, session), {
    kind: "turn",
    content: [...text(`/review\n\n${MEANING}`), image],
  });
});

Deno.test("readCommand() takes /compact alone, and leaves all else as it is", () => {
  assertEquals(readCommand(text("/compact \n"), session), { kind: "compact" });
  assertEquals(readCommand(text("/compact"), offline), { kind: "compact" });
  for (
    const line of ["hi", "/compacted now", "/reviews x", "review x", " /review", "/", "/two words"]
  ) {
    assertEquals(readCommand(text(line), session), { kind: "turn", content: text(line) });
  }
  assertEquals(readCommand(text("/review"), offline), { kind: "turn", content: text("/review") });
});

Deno.test("/compact with words went to the model as plain text", () => {
  const focus = "keep the numbers";
  assertEquals(readCommand(text("/compact keep the numbers"), session), { kind: "compact", focus });
  const why = "/compact takes text alone: nothing was done";
  assertEquals(readCommand([...text("/compact"), ...text("more")], session), {
    kind: "refused",
    why,
  });
});
