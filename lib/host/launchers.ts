/**
 * What people start skep through, such as `npx deno task acp`: programs that run another one and wait
 * for it. Each of them pass signals on, or not; none tells what it started when it is killed.
 */
const LAUNCHER =
  /^(\S*\/)?(npm (exec|run)|npx|pnpm|yarn|bunx?|sh -c|dash -c|bash -c|deno task|node \S*(npx|npm|deno))\b/;

/** Programs that a package manager's own launcher is, which says so in the environment of what it starts. */
const PACKAGE_MANAGER = /^(\S*\/)?(npm (exec|run)|npx|pnpm|yarn|node \S*(npx|npm))\b/;
/** What takes over a process whose parent is gone. */
const REAPER = /^(\S*\/)?(init|systemd|tini|dumb-init|launchd)\b/;

/** The launchers between us and who really started us. */
export interface Launchers {
  /** The lowest first. */
  readonly pids: readonly number[];
  /** Of these the package manager that started us, the highest if there are more, and those below it. */
  readonly managed: readonly number[];
  /** One that started the highest of them is gone already. */
  readonly isCut: boolean;
}

/**
 * The launchers above a process: its parent, if that is one, and so on up to the first program that
 * is none, which is who really started us. None where `ps` does not tell.
 *
 * @param pid The process to start from, usually our parent.
 */
export async function launchersAbove(pid: number): Promise<Launchers> {
  const none = { pids: [], managed: [], isCut: false };
  if (Deno.build.os === "windows") return none;
  let text: string;
  try {
    const { stdout } = await new Deno.Command("ps", {
      args: ["-e", "-o", "pid=,ppid=,args="],
      stdin: "null",
      stderr: "null",
    }).output();
    text = new TextDecoder().decode(stdout);
  } catch {
    return none; // there is no ps: then only our own parent can be watched
  }
  return launchersIn(text, pid, Deno.env.get("npm_execpath") !== undefined);
}

/** The same from the text of `ps`. @param isFromNpm The environment says that a package manager started us. */
export function launchersIn(text: string, pid: number, isFromNpm = false): Launchers {
  const rows = new Map(
    text.split("\n").flatMap((line) => {
      const [, own, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return own === undefined ? [] : [[Number(own), { parent: Number(parent), args: args ?? "" }]];
    }) as [number, { parent: number; args: string }][],
  );
  const pids: number[] = [];
  let managed: readonly number[] = [];
  let next = pid;
  while (pids.length < rows.size) {
    const row = rows.get(next);
    if (row === undefined || !LAUNCHER.test(row.args)) break;
    pids.push(next);
    if (PACKAGE_MANAGER.test(row.args)) managed = [...pids];
    next = row.parent;
  }
  const above = rows.get(next);
  const isReaped = next === 1 || above !== undefined && REAPER.test(above.args);
  const isCut = pids.length > 0 && managed.length === 0 && isReaped && isFromNpm;
  return { pids, managed, isCut };
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
