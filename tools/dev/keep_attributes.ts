import type { World } from "./world.ts";

/** What only a program can copy: access lists, extended attributes. */
const COPY = 'exec cp --attributes-only --preserve=mode,xattr -- "$1" "$2"';

/**
 * Gives a file the access list and the extended attributes of another one, where the server may run
 * programs and there is a `cp` that can.
 *
 * @returns What a person should know of it.
 */
export async function keepAttributes(
  from: string,
  to: string,
  { Command }: Pick<World, "Command">,
): Promise<string[]> {
  let result;
  try {
    result = await new Command("bash", {
      args: ["-c", COPY, "bash", from, to],
      env: { LC_ALL: "C" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
  } catch {
    return []; // no bash, or no grant for it
  }
  const isKept = result.success || !/^cp: setting|^cp: preserving/m.test(textOf(result.stderr));
  return isKept ? [] : ["its access list or extended attributes could not all be kept"];
}

function textOf(bytes: Uint8Array): string {
  // A file system without them has none to lose.
  return new TextDecoder().decode(bytes).replaceAll(/^.*Operation not supported$/gm, "");
}
