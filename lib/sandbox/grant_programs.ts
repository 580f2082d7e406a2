import { basename, dirname, join } from "@std/path";
import type { GrantInput } from "./compute_grant.ts";
import type { LaunchContext } from "./context.ts";
import { checkText, type EntryPlace } from "./entries.ts";
import type { Cut, Entry } from "./grant.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { narrow } from "./narrow.ts";
import { isWithin } from "./paths.ts";
import { basePath, findProgram } from "./programs.ts";

type World = Pick<LaunchContext["host"], "env" | "files" | "platform">;

/**
 * The programs that a server may run, by their absolute paths. They are looked for on the runtime's own
 * PATH, without what the server may write.
 *
 * @throws {SkepError} `GRANT_INVALID` for a program that the server could replace (T68), and for Deno where
 * nothing confines it: it would start programs that may do all.
 */
export async function grantPrograms(
  input: Pick<GrantInput, "spec" | "asked" | "enforcement" | "places" | "rules" | "bounds">,
  host: World,
  writable: readonly string[],
  cut: Cut[],
): Promise<Entry[]> {
  const { asked, bounds, enforcement, rules } = input;
  const at: EntryPlace = { server: input.spec.name, entry: "run" };
  const path = basePath(host, writable);
  const granted = new Map<string, Entry>();
  for (const { value, origin } of asked.run) {
    checkText(value, at);
    if (value.includes("*")) throw grantInvalid(at, value, "programs are granted one by one");
    const found = rules.ceiling.reach === "workspace"
      ? { reason: rules.ceiling.reason }
      : !enforcement.mayRunPrograms
      ? { reason: "flags do not hold what a program does; --sandbox off lets it run unconfined" }
      : await judgeProgram(value, path, input, host, writable, at);
    if ("reason" in found) cut.push({ list: "run", value, reason: found.reason });
    else if (!granted.has(found.path)) granted.set(found.path, { value: found.path, origin });
  }
  const whereabouts = async (name: string) => [name, await placeOf(name, path, host)] as const;
  const lies = new Map(await Promise.all([...granted.keys()].map(whereabouts)));
  const ceilings = await Promise.all(bounds.map(async ({ run, origin }) => ({
    origin,
    allowed: run && await Promise.all(run.map((name) => placeOf(name, path, host))),
  })));
  const left = narrow(
    "run",
    [...granted.values()],
    ceilings,
    (program, allowed) => lies.get(program) === allowed ? program : undefined,
  );
  cut.push(...left.cut);
  return [...left.entries];
}

async function judgeProgram(
  name: string,
  path: string,
  { enforcement, places, rules }: Pick<GrantInput, "enforcement" | "places" | "rules">,
  host: World,
  writable: readonly string[],
  at: EntryPlace,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  const program = await findProgram(name, path, host);
  if (program === undefined) return { reason: "there is no such program on PATH" };
  const real = await host.files.realPath(program);
  const isDeno = real === places.deno || /^(deno|denort)(\.exe)?$/i.test(basename(real));
  if (isDeno && enforcement.backend === undefined) {
    throw grantInvalid(
      at,
      name,
      "nothing confines it here, and it starts programs that may do all",
    );
  }
  const folder = writable.find((each) =>
    [program, real].some((place) => isWithin(place, each, rules.os))
  );
  if (folder !== undefined) {
    const why = `the server may write ${folder}, and so the program itself (${program})`;
    throw grantInvalid(at, name, why);
  }
  checkText(program, at);
  return { path: program };
}

/** A program by the folder it really lies in. Its own link is not followed: one file may be many programs. */
async function placeOf(name: string, path: string, host: World): Promise<string> {
  const program = await findProgram(name, path, host) ?? name;
  const folder = dirname(program);
  const real = await host.files.realPath(folder).catch(() => folder); // a program that is not there
  return join(real, basename(program));
}
