import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import { type Confinement, confinement } from "./confinement.ts";
import type { LaunchContext } from "./context.ts";
import type { Launch } from "./launch.ts";
import type { Mount } from "./mounts.ts";
import type { ServerSpec } from "./spec.ts";
import { TEST_PLACES, testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const FILES = {
  "/opt/deno": "#!",
  "/home/u/.cache/deno/x": "x",
  "/tmp/skep-1/tmp": "/",
  "/tmp/skep-1/home": "/",
  "/bin": "->/usr/bin",
  "/etc/hosts": "x",
  "/etc/resolv.conf": "->/run/resolv.conf",
  "/run/resolv.conf": "x",
};

interface Asked {
  readonly spec?: Partial<ServerSpec>;
  readonly kind?: Launch["kind"];
  readonly backend?: BackendName;
  readonly ownFiles?: readonly string[];
  readonly files?: Record<string, string>;
  readonly more?: Partial<LaunchContext>;
}

async function made(
  { spec = {}, kind = "script", backend = "bwrap", ownFiles = [], files = {}, more = {} }: Asked,
): Promise<Confinement> {
  const context = testContext({ files: { ...FILES, ...files } }, more);
  const { grant } = await testGrant(spec, context, {}, backend);
  return await confinement({ grant, backend, kind, places: TEST_PLACES, ownFiles }, context);
}

const at = ({ mounts }: Confinement, path: string): Mount | undefined =>
  mounts.findLast((mount) => mount.path === path);
const typeAt = (held: Confinement, path: string) => at(held, path)?.type;

Deno.test("confinement() shows the base set, private files, the grant, and nothing else", async () => {
  const held = await made({
    spec: { permissions: { read: ["${WORKSPACE}", "/data"], write: ["/out"] } },
    files: { "/data/x": "x", "/out": "/", "/secret": "x" },
  });
  assertEquals(Object.fromEntries(held.mounts.map(({ path, type }) => [path, type])), {
    "/usr": "read",
    "/bin": "link",
    "/etc/hosts": "read",
    "/sys/devices/system/cpu": "read",
    "/proc": "proc",
    "/dev": "dev",
    "/tmp": "tmpfs",
    "/var/tmp": "tmpfs",
    "/data": "read",
    "/out": "write",
    "/opt/deno": "read",
    "/work/ws": "read",
    "/tmp/skep-1/tmp": "write",
    "/tmp/skep-1/home": "write",
    "/home/u/.cache/deno": "read",
  });
  assertEquals(at(held, "/bin"), { type: "link", path: "/bin", to: "/usr/bin" });
  assertEquals([held.network, held.sockets], ["own", { internet: "tcp", unix: false }]);
  assertEquals([held.placeholders, held.limits.memory_mb], [[], 2048]);
});

Deno.test("confinement() puts nothing over a program on PATH that is a link, which bwrap cannot start with", async () => {
  const files = {
    "/opt/shims/bash": "->/opt/tools/5.2/bash",
    "/opt/tools/5.2/bash": "#!",
    "/opt/shims/sh": "->/usr/bin/bash",
  };
  const held = await made({
    spec: { permissions: { run: ["bash", "sh"] } },
    files,
    more: {
      host: testContext({ files: { ...FILES, ...files }, env: { PATH: "/opt/shims" } }).host,
    },
    ownFiles: ["/opt/shims"],
  });
  const below = (path: string) => held.mounts.filter((mount) => mount.path.startsWith(path));
  assertEquals(below("/opt/shims"), [{ type: "read", path: "/opt/shims", isFolder: true }]);
  assertEquals(below("/opt/tools"), [
    { type: "read", path: "/opt/tools/5.2/bash", isFolder: false },
  ]);
  assertEquals(below("/usr/"), []);
});

Deno.test("confinement() shows a native program nothing of Deno's", async () => {
  const held = await made({ kind: "native", spec: { permissions: {} } });
  assertEquals([typeAt(held, "/opt/deno"), typeAt(held, "/home/u/.cache/deno")], [
    undefined,
    undefined,
  ]);
  assertEquals(typeAt(held, "/work/ws"), "folder");
});

Deno.test("confinement() keeps a nested write grant in a read grant, and drops a read below a write", async () => {
  const held = await made({
    spec: { permissions: { read: ["${WORKSPACE}"], write: ["${WORKSPACE}/out"] } },
    files: { "/work/ws/out/sub/x": "x" },
  });
  const order = held.mounts.map(({ path }) => path);
  assertEquals([typeAt(held, "/work/ws"), typeAt(held, "/work/ws/out")], ["read", "write"]);
  assertEquals(order.indexOf("/work/ws") < order.indexOf("/work/ws/out"), true);
  const other = await made({
    spec: { permissions: { read: ["${WORKSPACE}/out/sub"], write: ["${WORKSPACE}/out"] } },
    files: { "/work/ws/out/sub/x": "x" },
  });
  assertEquals(typeAt(other, "/work/ws/out/sub"), undefined);
});

Deno.test("confinement() holds the protected files of a writable workspace", async () => {
  const spec = { permissions: { write: ["${WORKSPACE}"] } };
  const held = await made({ spec, files: { "/work/ws/.git/config": "x" } });
  assertEquals(at(held, "/work/ws/.git/config"), {
    type: "read",
    path: "/work/ws/.git/config",
    isFolder: false,
  });
  assertEquals([typeAt(held, "/work/ws/.git"), typeAt(held, "/work/ws/.vscode")], [
    "write",
    "read",
  ]);
  assertEquals(held.placeholders.map(({ path }) => path).includes("/work/ws/.vscode"), true);
  const readable = await made({ spec: { permissions: { read: ["${WORKSPACE}"] } } });
  assertEquals(readable.placeholders, []);
});

Deno.test("confinement() hides what is never granted below something that is, kept from being made or moved", async () => {
  const held = await made({
    spec: { permissions: { write: ["${WORKSPACE}"] } },
    files: { "/home/u/.ssh/id": "key", "/home/u/.config/gh/x": "x", "/home/u/.netrc": "x" },
    more: { workspace: "/home/u" },
  });
  assertEquals(at(held, "/home/u/.ssh"), { type: "mask", path: "/home/u/.ssh", isFolder: true });
  assertEquals(at(held, "/home/u/.netrc"), {
    type: "mask",
    path: "/home/u/.netrc",
    isFolder: false,
  });
  assertEquals([typeAt(held, "/home/u/.config"), typeAt(held, "/home/u/.config/gh")], [
    "write",
    "mask",
  ]);
  // A tool of the person's must find a file where it looks for one.
  const places = held.placeholders.map(({ path, text }) => [path, text]);
  assertEquals(places.find(([path]) => path === "/home/u/.npmrc"), ["/home/u/.npmrc", ""]);
  assertEquals(places.find(([path]) => path === "/home/u/.aws"), ["/home/u/.aws", undefined]);
  assertEquals(typeAt(held, "/home/u/.cache/deno"), "read");
});

Deno.test("confinement() keeps what is never granted from being made below folders that are missing", async () => {
  const held = await made({ spec: { permissions: { write: ["/home/u"] } } });
  assertEquals(
    ["/home/u/.config", "/home/u/.config/skep", "/home/u/.local/state", "/home/u/.local/state/skep"]
      .map((path) => typeAt(held, path)),
    ["write", "mask", "write", "mask"],
  );
  const places = held.placeholders.map(({ path }) => path);
  assertEquals(places.length, new Set(places).size);
  assertEquals(
    places.filter((path) => /^.home.u.(.config|.local)(.(skep|state|state.skep))?$/.test(path)),
    [
      "/home/u/.config",
      "/home/u/.config/skep",
      "/home/u/.local",
      "/home/u/.local/state",
      "/home/u/.local/state/skep",
    ],
  );
});

Deno.test("confinement() hides what is there in a folder that may only be read, and makes nothing", async () => {
  const held = await made({
    spec: { permissions: { read: ["/home/u"] } },
    files: { "/home/u/.ssh/id": "key" },
  });
  assertEquals([typeAt(held, "/home/u/.ssh"), typeAt(held, "/home/u/.aws")], ["mask", undefined]);
  assertEquals(held.placeholders, []);
});

Deno.test("confinement() refuses to hide a link that could be replaced, and passes one that could not", async () => {
  const files = { "/home/u/.ssh": "->/elsewhere", "/elsewhere/id": "key" };
  const error = await assertRejects(
    () =>
      made({
        files,
        spec: { permissions: { write: ["/home/u"] } },
      }),
    SkepError,
    "/home/u/.ssh is a link there, which cannot be hidden for good",
  );
  assertEquals(error.code, "GRANT_REFUSED");
  const held = await made({ files, spec: { permissions: { read: ["/home/u"] } } });
  assertEquals(typeAt(held, "/home/u/.ssh"), undefined);
});

Deno.test("confinement() asks nothing of Landlock that it cannot do, and no placeholders for seatbelt", async () => {
  const spec = { permissions: { write: ["${WORKSPACE}"] } };
  const landlock = await made({ spec, backend: "landlock" });
  assertEquals([typeAt(landlock, "/work/ws/.vscode"), landlock.placeholders], [undefined, []]);
  assertEquals(landlock.sockets.internet, "none");
  const seatbelt = await made({ spec, backend: "seatbelt" });
  assertEquals([typeAt(seatbelt, "/work/ws/.vscode"), seatbelt.placeholders], ["read", []]);
});

Deno.test("confinement() shares the network with a server that Deno's flags hold, and shows where names are looked up", async () => {
  const net = ["example.org:443"];
  const held = await made({ spec: { permissions: { net } } });
  assertEquals([held.network, held.sockets.internet], ["shared", "tcp_udp"]);
  assertEquals(at(held, "/etc/resolv.conf"), {
    type: "read",
    path: "/etc/resolv.conf",
    source: "/run/resolv.conf",
    isFolder: false,
  });
  const native = await made({ kind: "native", spec: { permissions: { net } } });
  assertEquals([native.network, native.sockets], ["own", { internet: "tcp", unix: true }]);
});
