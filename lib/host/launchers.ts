/**
 * What people start skep through, such as `npx deno task acp`: programs that run another one and wait
 * for it. Each of them pass signals on, or not; none tells what it started when it is killed.
 */
const LAUNCHER =
  /^(\S*\/)?(npm (exec|run)|npx|pnpm|yarn|bunx?|sh -c|dash -c|bash -c|deno task|node \S*(npx|npm|deno))\b/;

/**
 * The launchers above a process: its parent, if that is one, and so on up to the first program that
 * is none, which is who really started us. Empty where `ps` does not tell.
 *
 * @param pid The process to start from, usually our parent.
 */
export async function launchersAbove(pid: number): Promise<number[]> {
  if (Deno.build.os === "windows") return [];
  let text: string;
  try {
    const { stdout } = await new Deno.Command("ps", {
      args: ["-e", "-o", "pid=,ppid=,args="],
      stdin: "null",
      stderr: "null",
    }).output();
    text = new TextDecoder().decode(stdout);
  } catch {
    return []; // there is no ps: then only our own parent can be watched
  }
  return launchersIn(text, pid);
}

/** The same from the text of `ps`. */
export function launchersIn(text: string, pid: number): number[] {
  const rows = new Map(
    text.split("\n").flatMap((line) => {
      const [, own, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return own === undefined ? [] : [[Number(own), { parent: Number(parent), args: args ?? "" }]];
    }) as [number, { parent: number; args: string }][],
  );
  const found: number[] = [];
  for (let next = pid; found.length < rows.size;) {
    const row = rows.get(next);
    if (row === undefined || !LAUNCHER.test(row.args)) return found;
    found.push(next);
    next = row.parent;
  }
  return found;
}

/** Whether there is a process of that number. One of another user counts. */
export function isAlive(pid: number): boolean {
  try {
    // Signal 0 sends nothing; Deno's types name only those that do.
    Deno.kill(pid, 0 as unknown as Deno.Signal);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
