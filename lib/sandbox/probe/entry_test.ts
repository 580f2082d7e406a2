import { assertEquals } from "@std/assert";
import type { Launch } from "../launch.ts";
import { ENTRIES, type Entry, isPossible, standIn } from "./entry.ts";

const [JS, BASH] = ENTRIES as [Entry, Entry];

function launch(kind: Launch["kind"], args: string[]): Launch {
  const command = { program: "/opt/deno", args, cwd: "/ws", env: { A: "1" } };
  return { kind, command, grant: { tmp: "/tmp/t" } } as unknown as Launch;
}

Deno.test("standIn() keeps Deno's flags, folder and variables, and replaces program and arguments", () => {
  const args = [
    "run",
    "--no-prompt",
    "--allow-read=.",
    "/skep/tools/dev/main.ts",
    "--confined",
    "x",
  ];
  assertEquals(standIn(JS, launch("bundled", args)), {
    program: "/opt/deno",
    args: ["run", "--no-prompt", "--allow-read=.", "/tmp/t/probe/probe.js", "js", "/tmp/t/probe"],
    cwd: "/ws",
    env: { A: "1" },
  });
});

Deno.test("standIn() starts a script's probe through the entry that scripts have", () => {
  const entry = "file:///skep/tools/entry/main.ts?target=file%3A%2F%2F%2Fws%2Fa.ts";
  const { args } = standIn(JS, launch("script", ["run", "--no-prompt", entry]));
  assertEquals(args, [
    "run",
    "--no-prompt",
    "file:///skep/tools/entry/main.ts?target=file%3A%2F%2F%2Ftmp%2Ft%2Fprobe%2Fprobe.js",
    "js",
    "/tmp/t/probe",
  ]);
});

Deno.test("standIn() starts bash in a native server's place; JavaScript is not possible there", () => {
  const native = launch("native", ["--serve"]);
  assertEquals(standIn(BASH, native).args.slice(2), [
    "/tmp/t/probe/probe.sh",
    "/tmp/t/probe",
  ]);
  assertEquals(
    ENTRIES.map((entry) => [entry.name, isPossible(entry, native)]),
    [
      ["js", false],
      ["bash", true],
      ["deno", false],
      ["python", true],
      ["static-import-json", false],
      ["static-import-text", false],
    ],
  );
});
