import { basename, join } from "@std/path";
import type { World } from "./world.ts";

/** A file in the working directory, and what it says of the project. */
const STACK_MARKERS: Readonly<Record<string, string>> = {
  "Cargo.toml": "rust (cargo)",
  "Gemfile": "ruby",
  "build.gradle": "java (gradle)",
  "build.gradle.kts": "kotlin (gradle)",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "bunfig.toml": "bun",
  "deno.json": "deno",
  "deno.jsonc": "deno",
  "go.mod": "go",
  "package.json": "node",
  "pom.xml": "java (maven)",
  "pyproject.toml": "python (pyproject)",
  "requirements.txt": "python",
};

/** A write there fails nowhere, and nobody finds it afterwards. */
const TEMPORARY_LINE =
  "/tmp is not the person's but this server's own, and goes with it: what is to stay belongs in the working directory.";

/**
 * What the server tells a model of the place it works in.
 *
 * @param shell The shell that commands are written for, when there is one.
 */
export async function instructions(
  cwd: string,
  shell: string | undefined,
  world: Pick<World, "stat">,
): Promise<string> {
  const shellLine = `Shell: ${basename(shell ?? "")}; write commands in its syntax.`;
  return [
    `Working directory: ${cwd}`,
    `Detected stack: ${(await stackOf(cwd, world)).join(", ") || "unknown"}`,
    ...(shell === undefined ? [] : [shellLine, TEMPORARY_LINE]),
    "Paths are relative to it. Pass `workdir` per call rather than `cd`.",
  ].join("\n");
}

async function stackOf(cwd: string, world: Pick<World, "stat">): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(STACK_MARKERS).map(([file, label]) =>
      world.stat(join(cwd, file)).then(({ isFile }) => isFile ? label : undefined, () => undefined)
    ),
  );
  return [...new Set(found.filter((label) => label !== undefined))].sort();
}
