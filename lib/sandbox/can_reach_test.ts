import { assertEquals } from "@std/assert";
import { canReach } from "./can_reach.ts";
import type { Mount } from "./mounts.ts";
import type { Permissions } from "./spec.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const BOTH = { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"] };

async function reached(
  paths: readonly string[],
  access: "read" | "write",
  permissions: Permissions = BOTH,
  mounts?: readonly Mount[],
): Promise<boolean[]> {
  const { grant } = await testGrant({ permissions }, testContext({ files: { "/work/ws/a": "" } }));
  const confinement = { mounts, network: "own", sockets: {}, limits: {}, placeholders: [] };
  const confined = mounts === undefined ? {} : { confined: { confinement } as never };
  return paths.map((path) => canReach(path, access, { grant, ...confined }));
}

Deno.test("canReach() is true of what a grant allows, and of nothing else", async () => {
  const paths = ["/work/ws/a", "/work/ws", "/work/wsx", "/etc/passwd", "/home/u/.ssh/id"];
  assertEquals(await reached(paths, "read"), [true, true, false, false, false]);
  assertEquals(await reached(paths, "write"), [true, true, false, false, false]);
  assertEquals(await reached(["/work/ws/a"], "write", { read: ["${WORKSPACE}"] }), [false]);
});

Deno.test("canReach() lets nobody write a protected file", async () => {
  const paths = ["/work/ws/.git/config", "/work/ws/sub/.git/hooks/x", "/work/ws/.envrc"];
  assertEquals(await reached(paths, "read"), [true, true, true]);
  assertEquals(await reached(paths, "write"), [false, false, false]);
});

Deno.test("canReach() sees no more than the system shows a confined server", async () => {
  const mounts: Mount[] = [
    { type: "write", path: "/work/ws", isFolder: true },
    { type: "read", path: "/work/ws/held", isFolder: true },
    { type: "mask", path: "/work/ws/hidden", isFolder: true },
    { type: "read", path: "/work/ws/other", source: "/elsewhere", isFolder: false },
  ];
  const paths = ["/work/ws/a", "/work/ws/held/a", "/work/ws/hidden/a", "/work/ws/other"];
  assertEquals(await reached(paths, "read", BOTH, mounts), [true, true, false, false]);
  assertEquals(await reached(paths, "write", BOTH, mounts), [true, false, false, false]);
  assertEquals(await reached(["/work/ws/a"], "read", BOTH, []), [false]);
});
