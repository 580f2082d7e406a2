import { SYSTEM_PATH } from "./system_path.ts";

/** A span of time, in milliseconds since 1970; without an end it lasts until now. */
export interface Span {
  /** Its begin, in milliseconds since 1970. */
  readonly fromMs: number;
  /** Its end, the same; absent: it goes on. */
  readonly toMs?: number | undefined;
}

/** Ticks of a second in `/proc/PID/stat`, on every Linux. */
const TICKS = 100;

/** What a start is known to: the clock and the start are each given in whole ticks. */
const TOLERANCE_MS = 2 * 1000 / TICKS;

/**
 * The processes of a child's group and those below it, without itself, that were started within a span.
 * Without `/proc`, as on macOS, only those that are sure to be. None where `ps` does not tell.
 *
 * @param pid The child's process id, and its group's.
 */
export async function startedBelow(
  pid: number,
  { fromMs, toMs = Infinity }: Span,
): Promise<number[]> {
  const listed = below(await output("ps", "-e", "-o", "pid=,ppid=,pgid=,etime="), pid);
  if (listed.size === 0) return [];
  const [earliest, ages] = [Date.now(), await exactAges(listed)];
  const latest = Date.now(); // in between is when they were as old as that
  return [...ages].flatMap(([id, ageMs]) =>
    latest - ageMs + TOLERANCE_MS >= fromMs && earliest - ageMs - TOLERANCE_MS <= toMs ? [id] : []
  );
}

/** Deno reads nothing of /proc by itself without every permission. One that has ended meanwhile is left out. */
async function exactAges(ages: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, number>> {
  if (Deno.build.os !== "linux") return ages;
  const stats = [...ages.keys()].map((id) => `/proc/${id}/stat`);
  return agesIn(await output("cat", "/proc/uptime", ...stats));
}

/** From the text of `ps`: the processes below one and in its group, with the most that each may be old, in ms. */
export function below(text: string, pid: number): Map<number, number> {
  const rows = text.split("\n").flatMap((line) => {
    const [, id, parent, group, age] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([\d:-]+)\s*$/.exec(line) ?? [];
    return age === undefined ? [] : [{
      id: Number(id),
      isOf: new Set([Number(parent), Number(group)]),
      ageMs: (secondsOf(age) + 1) * 1000,
    }];
  });
  const found = new Map<number, number>();
  for (let tops = [pid]; tops.length > 0;) {
    const next = rows.filter(({ id, isOf }) =>
      id !== pid && !found.has(id) && tops.some((top) => isOf.has(top))
    );
    for (const { id, ageMs } of next) found.set(id, ageMs);
    tops = next.map(({ id }) => id);
  }
  return found;
}

/** `[[days-]hours:]minutes:seconds`. */
function secondsOf(etime: string): number {
  const [clock = "", days = "0"] = etime.split("-").reverse();
  return clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}

/** From the text of `/proc/uptime` and of some `/proc/PID/stat`: how old each is, in milliseconds. */
export function agesIn(text: string): Map<number, number> {
  const [uptime = "", ...stats] = text.split("\n");
  const upMs = Number.parseFloat(uptime) * 1000;
  return new Map(stats.flatMap((stat): [number, number][] => {
    // The name stands in parentheses and may hold any character; the start is the 20th field behind it.
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    if (start === undefined) return [];
    return [[Number.parseInt(stat), upMs - Number(start) * 1000 / TICKS]];
  }));
}

/** What a program of the system says on stdout, whatever comes of it; nothing when it is not there. */
async function output(program: string, ...args: string[]): Promise<string> {
  try {
    const env = { PATH: SYSTEM_PATH };
    const options = { args, env, clearEnv: true, stdin: "null", stderr: "null" } as const;
    return new TextDecoder().decode((await new Deno.Command(program, options).output()).stdout);
  } catch {
    return "";
  }
}
