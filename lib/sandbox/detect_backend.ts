import { dirname } from "@std/path";
import type { Host } from "../host/host.ts";
import { SYSTEM_PATH } from "../host/system_path.ts";
import type { Backend, BackendName } from "./backend.ts";
import { basePath, findProgram } from "./programs.ts";
import { runTrial } from "./run_trial.ts";
import { seatbeltProfile } from "./seatbelt.ts";

/** What a backend came to when it was tried. */
export interface BackendTrial {
  readonly name: BackendName;
  readonly backend?: Backend;
  /** Why it does not work here, and what would help. */
  readonly problem?: string;
}

type World = Pick<Host, "spawn" | "files" | "env" | "platform" | "isRoot" | "cwd">;

/** What the kernel is asked for, and what it is good for; the same as a real start asks. */
const UNSHARE_TRIAL = [
  "--user",
  "--map-root-user",
  "--mount",
  "--ipc",
  "--uts",
  "--net",
  "--pid",
  "--fork",
  "--kill-child",
  "--",
  "/bin/sh",
  "-c",
  "mount -t tmpfs tmpfs /tmp && mkdir /tmp/proc && mount -t proc proc /tmp/proc",
];

const BWRAP_TRIAL = [
  "--unshare-user",
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-net",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "--dev",
  "/dev",
  "--",
  "/bin/true",
];

/**
 * What the administrator's `bwrap` starts behind. It shows the machine's own device files, and whoever
 * owns a file may change its mode unless it lies on a read-only mount; `bwrap` takes over what it finds.
 */
const READ_ONLY_DEVICES = [
  "--user",
  "--map-root-user",
  "--mount",
  "--",
  "/bin/sh",
  "-c",
  'mount --rbind /dev /dev && mount -o remount,bind,ro,nosuid,noexec /dev && exec "$@"',
  "sh",
];

/** What there may be on a system, the strongest first. */
const BACKENDS: { readonly [Os in World["platform"]["os"]]?: readonly BackendName[] } = {
  linux: ["bwrap", "unshare", "landlock"],
  darwin: ["seatbelt"],
};

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
/** The rules that every server has there must let a program start. */
const SEATBELT_TRIAL = [
  "-p",
  seatbeltProfile({ mounts: [], network: "own", sockets: { internet: "none", unix: false } }),
  "/usr/bin/true",
];

/**
 * Tries the backends, the strongest first, and gives what each came to. Nothing is guessed from
 * versions or settings: each does, on this machine, what it would have to do for a server.
 *
 * @param wanted One backend alone, or `auto`: then those after the first that works are not tried.
 */
export async function tryBackends(
  wanted: "auto" | "all" | BackendName,
  world: World,
  landlock: () => Promise<string | undefined>,
): Promise<BackendTrial[]> {
  const { os } = world.platform;
  const here = BACKENDS[os] ?? [];
  const isChosen = wanted !== "auto" && wanted !== "all";
  if (isChosen && !here.includes(wanted)) {
    return [{ name: wanted, problem: `there is no ${wanted} on ${os}` }];
  }
  if (here.length === 0) return [{ name: "bwrap", problem: `there is no backend for ${os} yet` }];
  const trials: BackendTrial[] = [];
  for (const name of isChosen ? [wanted] : here) {
    const trial = name === "landlock"
      ? await tryLandlock(landlock)
      : name === "seatbelt"
      ? await tryBackend({ name, program: SANDBOX_EXEC }, SEATBELT_TRIAL, world)
      : await tryNamespaces(name, world);
    trials.push(trial);
    if (wanted === "auto" && trial.backend !== undefined) break;
  }
  return trials;
}

async function tryNamespaces(name: "bwrap" | "unshare", world: World): Promise<BackendTrial> {
  // Nothing from where we were started: that may be a workspace with a program of that name. The root of all
  // is none, and where desktops start the agents of editors.
  const cwd = world.cwd();
  const path = basePath(world, dirname(cwd) === cwd ? [] : [cwd]);
  const program = await findProgram(name, path, world);
  if (program === undefined) return { name, problem: missing(name) };
  const backend: Backend = { name, program };
  if (name === "unshare") return await tryBackend(backend, UNSHARE_TRIAL, world);
  if (!world.isRoot()) return await tryBackend(backend, BWRAP_TRIAL, world);
  const unshare = await findProgram("unshare", path, world);
  if (unshare === undefined) return { name, problem: missing("unshare") };
  const before = [unshare, ...READ_ONLY_DEVICES];
  return await tryBackend({ ...backend, before }, BWRAP_TRIAL, world);
}

function missing(name: "bwrap" | "unshare"): string {
  const install = name === "bwrap" ? "install bubblewrap" : "install util-linux";
  return `there is no ${name} on PATH: ${install}`;
}

async function tryBackend(
  backend: Backend,
  args: readonly string[],
  world: World,
): Promise<BackendTrial> {
  const { name, program, before = [] } = backend;
  const [first = program, ...rest] = [...before, program, ...args];
  const { code, stderr } = await runTrial(first, rest, SYSTEM_PATH, world);
  if (code === 0) return { name, backend };
  const why = stderr.trim().split("\n").at(-1) ?? "";
  const hint = name === "seatbelt" ? "" : ": are user namespaces allowed here?";
  return { name, problem: `${program} failed (${why})${hint}` };
}

async function tryLandlock(landlock: () => Promise<string | undefined>): Promise<BackendTrial> {
  const problem = await landlock();
  return problem === undefined
    ? { name: "landlock", backend: { name: "landlock", program: "" } }
    : { name: "landlock", problem };
}
