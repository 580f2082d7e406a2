import { assertEquals } from "@std/assert";
import type { Launch } from "../launch.ts";
import { grantedEntries, makeGrantedFolders } from "./granted_entries.ts";

const entry = (value: string) => ({ value, origin: "its entry" });
const LAUNCH = {
  kind: "bundled",
  grant: {
    workspace: "/ws",
    tmp: "/p/tmp",
    read: [
      ...["/ws", "/p/tmp", "/p/home", "/data", "/out", "/none"].map(entry),
      { value: "/code", origin: "own files" },
    ],
    write: ["/ws", "/p/tmp", "/out", "/file", "/gone"].map(entry),
    run: [entry("/usr/bin/git")],
    net: ["loopback", "loopback:80", "a.example:443", "unix:/s"].map(entry),
    cut: [
      { list: "run", value: "x", reason: "there is no such program on PATH" },
      { list: "env", value: "Y", reason: "it is not set" },
    ],
  },
} as unknown as Launch;
const FOLDERS = ["/data", "/out", "/real/notes"];

function world(made: string[] = []) {
  return {
    platform: { os: "linux" as const },
    files: {
      // deno-lint-ignore no-explicit-any
      stat: (path: string): Promise<any> =>
        Promise.resolve(
          FOLDERS.includes(path)
            ? { isDirectory: true }
            : path === "/file"
            ? { isDirectory: false }
            : undefined,
        ),
      makeFolder: (path: string) => Promise.resolve(void made.push(path)),
    },
  } as unknown as Parameters<typeof makeGrantedFolders>[2];
}

Deno.test("grantedEntries() has each entry used once, and says of what is not there that it is not there", async () => {
  const { used, untried } = await grantedEntries(LAUNCH, world());
  assertEquals(used, {
    grantedRead: ["/data"],
    grantedWrite: ["/out"],
    grantedRun: ["/usr/bin/git"],
    grantedPorts: [0, 80],
  });
  assertEquals(untried.map(({ probe, outcome, detail }) => [probe, outcome, detail]), [
    ["granted-write /file", "skipped", "it is no folder: what is there is not touched"],
    ["granted-write /gone", "skipped", "it is not there"],
    ["granted-read /none", "skipped", "it is not there"],
    ["granted-net a.example:443", "skipped", "it is not tried: it would reach what is there"],
    ["granted-net unix:/s", "skipped", "it is not tried: it would reach what is there"],
    ["granted-run x", "skipped", "not granted: there is no such program on PATH"],
  ]);
});

Deno.test("makeGrantedFolders() makes the workspace's folders in the probe's", async () => {
  const made: string[] = [];
  const launch = {
    grant: {
      workspace: "/ws",
      read: [entry("/ws"), entry("/ws/none")],
      write: [entry("/ws/notes")],
    },
  } as unknown as Launch;
  await makeGrantedFolders(launch, "/real", world(made));
  assertEquals(made, ["/ws/notes"]);
});
