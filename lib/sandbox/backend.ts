import type { Confinement } from "./confinement.ts";
import { encode } from "./bpf.ts";
import { bwrapArguments } from "./bwrap.ts";
import { launcherPlan } from "./launcher_plan.ts";
import { seatbeltArguments, seatbeltProfile } from "./seatbelt.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Arch } from "./syscalls.ts";
import { ENVIRONMENT_VARIABLE, environmentScript, innerScript, outerScript } from "./wrapper.ts";
import type { SpawnCommand } from "../host/process.ts";
import { SYSTEM_PATH } from "../host/system_path.ts";

/** What can hold a grant, the strongest of a system first. `seatbelt` is macOS's, the others Linux's. */
export const BACKEND_NAMES = ["bwrap", "unshare", "landlock", "seatbelt"] as const;

/** One of {@linkcode BACKEND_NAMES}. */
export type BackendName = typeof BACKEND_NAMES[number];

/** A backend that works here, with the programs it takes. */
export interface Backend {
  readonly name: BackendName;
  /** Absolute path of `bwrap`, `unshare` or `sandbox-exec`; of no meaning for Landlock. */
  readonly program: string;
  /** The command that it starts behind, to which its own is appended. */
  readonly before?: readonly string[];
}

/** Where a confined start finds what it takes. */
export interface ConfineOptions {
  readonly backend: Backend;
  readonly arch: Arch;
  /** The FIFO that the runtime holds open. */
  readonly lifeline: string;
  /** A private folder of this server's own that the server itself cannot see. */
  readonly folder: string;
  /** Absolute path of the launcher. */
  readonly launcher: string;
  /** The real `deno`, and its cache. */
  readonly deno: string;
  readonly denoDir: string;
  /** How long the forwarder to the network proxy may take to start. */
  readonly proxyStartS: number;
}

/** A command that starts confined, and the files that it reads on the way, to be written first. */
export interface ConfinedCommand {
  readonly command: SpawnCommand;
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> }[];
}

/**
 * Turns a command into one that starts behind a confinement: a shell that watches the lifeline, then
 * the backend, then inside it a shell that sets environment and limits and becomes the command.
 */
export function confined(
  command: SpawnCommand,
  confinement: Confinement,
  options: ConfineOptions,
): ConfinedCommand {
  const { backend, folder } = options;
  if (backend.name === "seatbelt") return confinedBySeatbelt(command, confinement, options);
  const { forwarder } = confinement;
  const isShared = backend.name === "landlock";
  const filter = encode(seccompFilter(options.arch, confinement.sockets, isShared));
  const filterPath = `${folder}/filter`;
  const emptyPath = `${folder}/empty`;
  const planPath = `${folder}/plan.json`;
  const inner = [
    "/bin/sh",
    "-c",
    innerScript(
      confinement.limits,
      backend.name === "unshare" ? "first" : isShared ? "shared" : "own",
      forwarder === undefined ? undefined : { command: forwarder, startS: options.proxyStartS },
    ),
    "sh",
  ];
  const target = [...inner, command.program, ...command.args];
  const files = [
    { path: filterPath, bytes: filter },
    { path: emptyPath, bytes: new Uint8Array() },
  ];
  let start: string[];
  if (backend.name === "bwrap") {
    const args = bwrapArguments(confinement, command.cwd, emptyPath);
    start = [...backend.before ?? [], backend.program, ...args, ...target];
  } else {
    const plan = launcherPlan(confinement, {
      newRoot: backend.name === "unshare" ? `${folder}/root` : undefined,
      emptyFile: emptyPath,
      filter,
      cwd: command.cwd,
      target,
    });
    files.push({ path: planPath, bytes: new TextEncoder().encode(JSON.stringify(plan)) });
    const launcher = [
      options.deno,
      ...LAUNCHER_FLAGS,
      `--allow-read=${planPath}`,
      options.launcher,
      planPath,
    ];
    start = backend.name === "unshare"
      ? [backend.program, ...unshareArguments(confinement), ...launcher]
      : launcher;
  }
  return {
    files,
    command: {
      program: "/bin/sh",
      args: [
        "-c",
        outerScript(confinement.limits, confinement.placeholders),
        "sh",
        options.lifeline,
        filterPath,
        folder,
        ...start,
      ],
      cwd: "/",
      env: outerEnvironment(command, options),
    },
  };
}

function confinedBySeatbelt(
  command: SpawnCommand,
  confinement: Confinement,
  options: ConfineOptions,
): ConfinedCommand {
  const { backend, folder, lifeline } = options;
  const profile = `${folder}/profile.sb`;
  const bytes = new TextEncoder().encode(seatbeltProfile(confinement));
  const inner = innerScript(confinement.limits, "own");
  const places = { program: backend.program, profile, lifeline, folder };
  return {
    files: [{ path: profile, bytes }],
    command: {
      program: "/bin/sh",
      args: seatbeltArguments(command, inner, places),
      cwd: "/",
      env: outerEnvironment(command, options),
    },
  };
}

function outerEnvironment(
  { env }: SpawnCommand,
  { denoDir }: ConfineOptions,
): Record<string, string> {
  return {
    PATH: SYSTEM_PATH,
    DENO_DIR: denoDir, // the launcher's: a user without a home folder has no other
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    [ENVIRONMENT_VARIABLE]: environmentScript(env),
  };
}

/** The launcher is trusted: it makes the confinement, and needs the C library for it. */
const LAUNCHER_FLAGS = [
  "run",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--allow-ffi",
  `--allow-env=${ENVIRONMENT_VARIABLE}`,
];

function unshareArguments({ network }: Confinement): string[] {
  return [
    "--user",
    "--map-root-user",
    "--mount",
    "--ipc",
    "--uts",
    "--cgroup",
    ...(network === "own" ? ["--net"] : []),
    "--pid",
    "--fork",
    "--kill-child",
    "--",
  ];
}
