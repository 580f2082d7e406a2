import type { Confinement } from "./confinement.ts";
import type { Mount } from "./mounts.ts";

/**
 * The arguments of `bwrap` for a confinement, up to the command's own. The seccomp filter comes by
 * descriptor 9, which {@linkcode outerScript} opens.
 *
 * @param emptyFile A file of the runtime's with nothing in it, to lie over what is masked.
 * @see bwrap(1), version 0.8
 */
export function bwrapArguments(
  { mounts, network }: Pick<Confinement, "mounts" | "network">,
  cwd: string,
  emptyFile: string,
): string[] {
  return [
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(network === "own" ? ["--unshare-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--seccomp",
    "9",
    ...mounts.flatMap((mount) => mountArguments(mount, emptyFile)),
    // Last, since what is shown below a mask needs its place first.
    ...mounts.filter((mount) => mount.type === "folder" || mount.type === "mask" && mount.isFolder)
      .flatMap((mount) => ["--remount-ro", mount.path]),
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    "--",
  ];
}

function mountArguments(mount: Mount, emptyFile: string): string[] {
  const { path } = mount;
  switch (mount.type) {
    case "read":
      return ["--ro-bind", mount.source ?? path, path];
    case "write":
      return ["--bind", path, path];
    case "folder":
      return emptyFolder(path);
    case "mask":
      return mount.isFolder ? emptyFolder(path) : ["--ro-bind", emptyFile, path];
    case "link":
      return ["--symlink", mount.to, path];
    case "tmpfs":
      return ["--perms", mount.mode.toString(8), "--size", `${mount.bytes}`, "--tmpfs", path];
    case "proc":
      // Read-only: to the administrator the machine's own settings are writable there.
      return ["--proc", path, "--remount-ro", path];
    case "dev":
      return [
        "--dev",
        path,
        "--perms",
        "1777",
        "--size",
        `${mount.bytes}`,
        "--tmpfs",
        `${path}/shm`,
        "--remount-ro",
        path,
      ];
    default:
      return mount satisfies never;
  }
}

function emptyFolder(path: string): string[] {
  return ["--perms", "0555", "--size", "4096", "--tmpfs", path];
}
