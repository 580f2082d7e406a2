import { assertEquals } from "@std/assert";
import { bwrapArguments } from "./bwrap.ts";
import type { Mount } from "./mounts.ts";

/** The arguments that follow the first `option`, `count` of them. */
function after(args: readonly string[], option: string, count: number): string[] {
  const place = args.indexOf(option);
  return place === -1 ? [] : args.slice(place + 1, place + 1 + count);
}

const make = (mounts: readonly Mount[], network: "own" | "shared" = "own") =>
  bwrapArguments({ mounts, network }, "/ws", "/private/empty");

Deno.test("bwrapArguments() makes every namespace, a network of its own unless shared, and drops what it can", () => {
  const args = make([]);
  for (
    const option of ["user", "ipc", "pid", "uts", "net"].map((name) => `--unshare-${name}`)
      .concat("--die-with-parent", "--new-session", "--unshare-cgroup-try")
  ) assertEquals(args.includes(option), true, option);
  assertEquals([after(args, "--cap-drop", 1), after(args, "--seccomp", 1)], [["ALL"], ["9"]]);
  assertEquals(make([], "shared").includes("--unshare-net"), false);
  assertEquals(args.slice(-3), ["--chdir", "/ws", "--"]);
});

Deno.test("bwrapArguments() says each mount, in order, and shuts the root last", () => {
  const args = make([
    { type: "link", path: "/bin", to: "/usr/bin" },
    { type: "read", path: "/etc/resolv.conf", source: "/run/resolv.conf", isFolder: false },
    { type: "tmpfs", path: "/tmp", bytes: 1024, mode: 0o1777 },
    { type: "folder", path: "/start" },
    { type: "write", path: "/ws", isFolder: true },
    { type: "proc", path: "/proc" },
    { type: "dev", path: "/dev", bytes: 64 },
  ]);
  const from = args.indexOf("--symlink");
  assertEquals(args.slice(from, -3), [
    ...["--symlink", "/usr/bin", "/bin"],
    ...["--ro-bind", "/run/resolv.conf", "/etc/resolv.conf"],
    ...["--perms", "1777", "--size", "1024", "--tmpfs", "/tmp"],
    ...["--perms", "0555", "--size", "4096", "--tmpfs", "/start"],
    ...["--bind", "/ws", "/ws"],
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...["--dev", "/dev", "--perms", "1777", "--size", "64", "--tmpfs", "/dev/shm"],
    ...["--remount-ro", "/dev", "--remount-ro", "/start", "--remount-ro", "/"],
  ]);
});

Deno.test("bwrapArguments() makes masks read-only after what is shown below them, an empty file for a file", () => {
  const args = make([
    { type: "mask", path: "/h/.ssh", isFolder: true },
    { type: "read", path: "/h/.ssh/known", isFolder: false },
    { type: "mask", path: "/h/.netrc", isFolder: false },
  ]);
  const from = args.indexOf("--perms");
  assertEquals(args.slice(from, -3), [
    ...["--perms", "0555", "--size", "4096", "--tmpfs", "/h/.ssh"],
    ...["--ro-bind", "/h/.ssh/known", "/h/.ssh/known"],
    ...["--ro-bind", "/private/empty", "/h/.netrc"],
    ...["--remount-ro", "/h/.ssh", "--remount-ro", "/"],
  ]);
});
