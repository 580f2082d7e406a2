import { basename, dirname, isAbsolute, join } from "@std/path";
import { denoDir } from "../host/deno_binary.ts";
import type { LaunchContext } from "./context.ts";
import type { ProtectedPath } from "./never_granted.ts";
import { isWithin } from "./paths.ts";
import { OWN_PROGRAM } from "./protected_names.ts";

type World = Pick<
  LaunchContext,
  "host" | "programRoot" | "bundles" | "policy" | "workspace" | "folders"
>;
type Files = Pick<LaunchContext["host"]["files"], "lstat" | "realPath" | "stat">;

/** What a person starts skep by, looked for in each folder of PATH. */
const STARTERS: readonly string[] = ["skep", "deno"];
/** What npm puts beside a program of its own, and what that is run by. */
const OF_NPM: readonly string[] = ["bin/node", "bin/npm", "bin/npx", "lib/node_modules/npm"];

/**
 * Every place that skep itself, or what runs it, is started from: no server writes one, whatever it is
 * granted. Each path is there, and is given with each link on its way, since whoever replaces that decides what is
 * started too.
 *
 * - Deno's cache; the program that runs us, and each `deno` and `skep` that is called by that name, with
 *   the package of npm's that it comes from
 * - skep's own folder: whole, or, where the workspace lies in it, what of it runs. There a policy can lift that.
 */
export async function runPlaces(context: World): Promise<ProtectedPath[]> {
  const { host, programRoot, bundles, policy, workspace, folders } = context;
  const { os } = host.platform;
  const names = os === "windows"
    ? STARTERS.flatMap((name) => [`${name}.exe`, `${name}.cmd`])
    : STARTERS;
  const home = host.env(os === "windows" ? "USERPROFILE" : "HOME");
  const searched = [
    ...(host.env("PATH") ?? "").split(os === "windows" ? ";" : ":").filter(isAbsolute),
    ...(home === undefined ? [] : [join(home, ".local", "bin"), join(home, ".deno", "bin")]),
  ];
  const chosen = host.env("SKEP_DENO");
  const programs = [
    host.execPath(),
    ...(chosen !== undefined && isAbsolute(chosen) ? [chosen] : []),
    ...searched.flatMap((folder) => names.map((name) => join(folder, name))),
  ];
  const isWorkedOn = isWithin(workspace, programRoot, os);
  const isLifted = policy?.protect !== undefined && !policy.protect.includes("${SKEP}");
  const own = !isWorkedOn
    ? [programRoot]
    : isLifted
    ? []
    : OWN_PROGRAM.map((name) => join(programRoot, name));
  const packages = await Promise.all(programs.map((path) => npmPlaces(path, host.files)));
  const written = [
    denoDir(host),
    ...programs,
    ...packages.flat(),
    ...own,
    ...(bundles === undefined ? [] : [bundles]),
  ];
  const found = await Promise.all([
    ...[...new Set(written)].map((path) => withLinks(path, host.files)),
    // These are hidden whole: what is left is each link that leads to one.
    ...Object.values(folders).map(async (path) =>
      (await withLinks(path, host.files)).filter((each, index) => index > 0 && each !== path)
    ),
  ]);
  return [...new Set(found.flat())].map((path): ProtectedPath => ({
    path,
    holds: "programs that skep runs",
    covers: "writes",
  }));
}

/** The package that a program was installed with by npm, and what npm runs it by; empty for any other. */
async function npmPlaces(program: string, files: Files): Promise<string[]> {
  const real = await files.realPath(program).catch(() => undefined); // most names are in few folders
  const [, modules] = /^(.*[\\/]node_modules)[\\/]/.exec(real ?? "") ?? [];
  if (modules === undefined) return [];
  const prefix = dirname(dirname(modules));
  return [
    join(modules, "deno"),
    join(modules, "@deno"),
    ...OF_NPM.map((name) => join(prefix, name)),
  ];
}

/** A path as it really lies, and each link that leads there; empty where nothing is. */
async function withLinks(path: string, files: Files): Promise<string[]> {
  const real = await files.realPath(path).catch(() => undefined);
  if (real === undefined) return [];
  if (real === path) return [path];
  const links: string[] = [];
  for (let each = path; dirname(each) !== each; each = dirname(each)) {
    const facts = await files.lstat(each).catch(() => undefined);
    if (facts?.isSymlink !== true) continue;
    const folder = await files.realPath(dirname(each)).catch(() => dirname(each));
    links.push(join(folder, basename(each)));
  }
  return [real, ...links];
}
