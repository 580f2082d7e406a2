import { assertEquals } from "@std/assert";
import type { Confinement } from "./confinement.ts";
import { launcherPlan } from "./launcher_plan.ts";

const HELD: Confinement = {
  mounts: [
    { type: "read", path: "/usr", isFolder: true },
    { type: "read", path: "/etc/resolv.conf", source: "/run/resolv.conf", isFolder: false },
    { type: "link", path: "/bin", to: "/usr/bin" },
    { type: "tmpfs", path: "/tmp", bytes: 1, mode: 0o1777 },
    { type: "write", path: "/ws", isFolder: true },
    { type: "read", path: "/ws/.husky", isFolder: true },
    { type: "mask", path: "/ws/.ssh", isFolder: true },
  ],
  network: "own",
  sockets: { internet: "tcp", unix: false },
  limits: {},
  placeholders: [{ path: "/ws/.husky" }],
};

function plan(newRoot: string | undefined, held = HELD) {
  return launcherPlan(held, {
    newRoot,
    emptyFile: "/private/empty",
    filter: new Uint8Array([1, 0xab]),
    cwd: "/ws",
    target: ["/bin/sh", "-c", "x"],
  });
}

Deno.test("launcherPlan() with a new root has every mount, and raises an own loopback", () => {
  assertEquals(plan("/private/root"), {
    newRoot: "/private/root",
    emptyFile: "/private/empty",
    mounts: HELD.mounts,
    loopback: true,
    landlock: null,
    seccomp: "01ab",
    cwd: "/ws",
    program: "/bin/sh",
    args: ["-c", "x"],
  });
  assertEquals(plan("/private/root", { ...HELD, network: "shared" }).loopback, false);
});

Deno.test("launcherPlan() without one lists for Landlock what may be read and written, by where it lies", () => {
  const { newRoot, mounts, loopback, landlock } = plan(undefined);
  assertEquals([newRoot, mounts, loopback], [undefined, [], false]);
  assertEquals(landlock?.paths.filter(({ path }) => !path.startsWith("/dev/")), [
    { path: "/usr", access: "read", isFolder: true },
    { path: "/run/resolv.conf", access: "read", isFolder: false },
    { path: "/ws", access: "write", isFolder: true },
    { path: "/ws/.husky", access: "read", isFolder: true },
    { path: "/proc", access: "read", isFolder: true },
  ]);
  assertEquals(landlock?.paths.filter(({ path }) => path.startsWith("/dev/")).length, 6);
});
