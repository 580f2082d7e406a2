import { dirname, isAbsolute, join, resolve } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "./host.ts";

/** The slice of the host that finding Deno takes. */
export type DenoBinaryHost = Pick<
  Host,
  "env" | "files" | "platform" | "execPath" | "isStandalone" | "cwd"
>;

/** No real Deno is this small, in bytes: what is smaller is a script that starts one. */
const LEAST_BINARY_BYTES = 1024 * 1024;

/**
 * The real `deno` program that starts the children, as an absolute path: `SKEP_DENO`, else the program
 * that runs us, else one beside a compiled program, else the first on PATH. npm's package puts a
 * Node script in its place when installed without its install script: then the binary that the
 * script would start is taken.
 *
 * @throws {SkepError} `DENO_NOT_FOUND`, which says what to do; also when `SKEP_DENO` leads nowhere.
 */
export async function findDeno(host: DenoBinaryHost): Promise<string> {
  const chosen = host.env("SKEP_DENO");
  if (chosen !== undefined && chosen !== "") {
    const found = await realDeno(resolve(host.cwd(), chosen), host);
    if (found !== undefined) return found;
    const message = `Cannot use SKEP_DENO="${chosen}": there is no deno program at that path`;
    throw new SkepError("DENO_NOT_FOUND", message, {});
  }
  for (const candidate of candidates(host)) {
    const found = await realDeno(candidate, host);
    if (found !== undefined) return found;
  }
  throw new SkepError(
    "DENO_NOT_FOUND",
    "Cannot find a deno program to start servers with: install Deno, put it beside skep or on PATH, " +
      "or set SKEP_DENO to its path",
    {},
  );
}

/**
 * The folder that holds what Deno has fetched, by Deno's own rules: `DENO_DIR`, else `deno` in the
 * user's cache folder, else `.deno` where we were started.
 *
 * @see https://docs.deno.com/runtime/reference/env_variables/
 */
export function denoDir(host: Pick<Host, "env" | "platform" | "cwd">): string {
  const set = (name: string) => host.env(name) || undefined;
  const chosen = set("DENO_DIR");
  if (chosen !== undefined) return resolve(host.cwd(), chosen);
  if (host.platform.os === "windows") {
    const local = set("LOCALAPPDATA");
    return local === undefined ? join(host.cwd(), ".deno") : join(local, "deno");
  }
  const home = set("HOME");
  if (host.platform.os === "darwin") {
    if (home !== undefined) return join(home, "Library", "Caches", "deno");
  } else {
    const cache = set("XDG_CACHE_HOME");
    if (cache !== undefined) return join(resolve(host.cwd(), cache), "deno");
    if (home !== undefined) return join(home, ".cache", "deno");
  }
  return join(host.cwd(), ".deno");
}

/** Where a program named `deno` may lie, the most trusted place first. */
function candidates({ env, platform, execPath, isStandalone }: DenoBinaryHost): string[] {
  const isWindows = platform.os === "windows";
  const names = isWindows ? ["deno.exe", "deno.cmd"] : ["deno"];
  const folders = (env("PATH") ?? "").split(isWindows ? ";" : ":").filter(isAbsolute);
  const first = isStandalone ? names.map((name) => join(dirname(execPath()), name)) : [execPath()];
  return [...first, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))];
}

async function realDeno(path: string, host: DenoBinaryHost): Promise<string | undefined> {
  const { files } = host;
  // A folder that this user may not look into has no program for them.
  const facts = await files.stat(path).catch(() => undefined);
  if (facts === undefined || !facts.isFile) return undefined;
  const real = await files.realPath(path);
  if (facts.bytes >= LEAST_BINARY_BYTES) return real;
  const name = host.platform.os === "windows" ? "deno.exe" : "deno";
  // The wrapper lies in npm's package `deno` or, on Windows, as a script in the folder above it.
  for (const folder of [dirname(real), join(dirname(real), "node_modules", "deno")]) {
    const beside = [folder, ...await platformPackages(folder, host)];
    for (const binary of beside.map((place) => join(place, name))) {
      if (((await files.stat(binary))?.bytes ?? 0) >= LEAST_BINARY_BYTES) return binary;
    }
  }
  return undefined;
}

/** The folders of npm's packages `@deno/…`, below the package `deno` or beside it. */
async function platformPackages(
  folder: string,
  { files, platform }: DenoBinaryHost,
): Promise<string[]> {
  const system = platform.os === "windows" ? "win32" : platform.os;
  const machine = platform.arch === "x86_64" ? "x64" : "arm64";
  const found: string[] = [];
  for (const scope of [join(folder, "node_modules", "@deno"), join(folder, "..", "@deno")]) {
    if (await files.stat(scope) === undefined) continue;
    const fitting = (await files.list(scope)).filter((name) =>
      name.startsWith(`${system}-${machine}`)
    );
    found.push(...fitting.map((name) => join(scope, name)));
  }
  return found;
}
