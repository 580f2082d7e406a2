import type { Confinement } from "./confinement.ts";
import type { Mount } from "./mounts.ts";

/** What `tools/launch/main.js` reads: see there. */
export interface LauncherPlan {
  readonly newRoot?: string;
  readonly emptyFile: string;
  readonly mounts: readonly Mount[];
  readonly loopback: boolean;
  readonly landlock: { readonly paths: readonly LandlockPath[] } | null;
  readonly seccomp: string;
  readonly cwd: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** A path that Landlock opens, with everything below a folder. */
export interface LandlockPath {
  readonly path: string;
  readonly access: "read" | "write";
  readonly isFolder: boolean;
}

/** Devices that programs cannot do without, where /dev is the machine's own. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/**
 * The launcher's plan for a confinement. With a new root it makes the files; without one, Landlock
 * restricts those that are there.
 */
export function launcherPlan(
  { mounts, network }: Confinement,
  options: {
    readonly newRoot: string | undefined;
    readonly emptyFile: string;
    readonly filter: Uint8Array;
    readonly cwd: string;
    readonly target: readonly string[];
  },
): LauncherPlan {
  const [program = "", ...args] = options.target;
  const { newRoot } = options;
  return {
    ...(newRoot === undefined ? {} : { newRoot }),
    emptyFile: options.emptyFile,
    mounts: newRoot === undefined ? [] : mounts,
    loopback: newRoot !== undefined && network === "own",
    landlock: newRoot === undefined ? { paths: landlockPaths(mounts) } : null,
    seccomp: options.filter.toHex(),
    cwd: options.cwd,
    program,
    args,
  };
}

/**
 * Landlock's view of the mounts. It is a list of what is allowed, so a mask below something granted
 * cannot be said; whoever chooses this backend sees to it that there is none.
 */
function landlockPaths(mounts: readonly Mount[]): LandlockPath[] {
  const granted = mounts.flatMap((mount): LandlockPath[] =>
    mount.type === "read" || mount.type === "write"
      ? [{
        path: mount.type === "read" ? mount.source ?? mount.path : mount.path,
        access: mount.type,
        isFolder: mount.isFolder,
      }]
      : []
  );
  return [
    ...granted,
    { path: "/proc", access: "read", isFolder: true },
    ...DEVICES.map((path): LandlockPath => ({ path, access: "write", isFolder: false })),
  ];
}
