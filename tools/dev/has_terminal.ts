import type { World } from "./world.ts";

const known = new WeakMap<World["Command"], Promise<boolean>>();

/**
 * Tells whether this process has a controlling terminal, whatever its stdio is. It starts a bash the
 * first time and remembers the answer, which does not change.
 *
 * @throws What the system says when bash cannot be started.
 */
export function hasTerminal(world: Pick<World, "Command">): Promise<boolean> {
  const answer = known.get(world.Command) ?? ask(world);
  known.set(world.Command, answer);
  answer.catch(() => known.delete(world.Command)); // the next call may have more luck
  return answer;
}

async function ask({ Command }: Pick<World, "Command">): Promise<boolean> {
  const { success } = await new Command("bash", {
    args: ["-c", ": </dev/tty"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn().status;
  return success;
}
