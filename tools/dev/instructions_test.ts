import { assertEquals } from "@std/assert";
import { instructions } from "./instructions.ts";
import type { FileFacts, World } from "./world.ts";

function worldWith(...files: string[]): Pick<World, "stat"> {
  return {
    stat: (path) =>
      files.includes(String(path))
        ? Promise.resolve({ isFile: true } as FileFacts)
        : Promise.reject(new Error("none")),
  };
}

Deno.test("instructions() tells the folder and what the project is made with", async () => {
  assertEquals(
    await instructions(
      "/w",
      undefined,
      worldWith("/w/package.json", "/w/Cargo.toml", "/w/deno.json"),
    ),
    "Working directory: /w\n" +
      "Detected stack: deno, node, rust (cargo)\n" +
      "Paths are relative to it. Pass `workdir` per call rather than `cd`.",
  );
});

Deno.test("instructions() names a stack once, and says when it sees none", async () => {
  const stack = async (...files: string[]) =>
    (await instructions("/w", undefined, worldWith(...files))).split("\n")[1];
  assertEquals(await stack("/w/bun.lock", "/w/bunfig.toml"), "Detected stack: bun");
  assertEquals(await stack("/elsewhere/go.mod"), "Detected stack: unknown");
});

Deno.test("instructions() names the shell that commands are written for", async () => {
  assertEquals(
    (await instructions("/w", "/usr/bin/zsh", worldWith())).split("\n")[2],
    "Shell: zsh; write commands in its syntax.",
  );
});
