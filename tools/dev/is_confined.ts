import type { World } from "./world.ts";

/** Prints this process's own status with nothing but what bash has built in. */
const SHOW_STATUS = 'while read -r line; do echo "$line"; done </proc/self/status';

/**
 * The kernel's word that whatever this process starts is confined: a program that it starts finds a
 * filter of system calls on itself, and the way to new privileges closed. Deno's flags do neither, and
 * nothing in a workspace can make it so.
 */
export async function isConfined(world: Pick<World, "Command">): Promise<boolean> {
  try {
    const { stdout } = await new world.Command("bash", {
      args: ["-c", SHOW_STATUS],
      stdin: "null",
      stderr: "null",
    }).output();
    const status = new TextDecoder().decode(stdout);
    return /^NoNewPrivs:\s*1$/m.test(status) && /^Seccomp:\s*2$/m.test(status);
  } catch {
    return false; // no bash, or no grant for it: then nothing can be started either
  }
}
