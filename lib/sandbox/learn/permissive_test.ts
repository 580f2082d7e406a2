import { assertEquals } from "@std/assert";
import type { Launch } from "../launch.ts";
import { permissive } from "./permissive.ts";

function args(...given: string[]): readonly string[] {
  const command = { program: "/deno", args: ["run", ...given], cwd: "/w", env: {} };
  return permissive({ command, grant: { workspace: "/w" } } as unknown as Launch).args;
}

const OPEN = ["--allow-read=/", "--allow-write=/", "--allow-env", "--allow-sys"];

Deno.test("permissive() opens the lists of Deno, leaves network and programs, and the server's own arguments", () => {
  assertEquals(
    args(
      "--no-prompt",
      "--allow-read=.",
      "--allow-net=a.b",
      "--ignore-env",
      "x.ts",
      "--allow-read=c",
    ),
    ["run", "--no-prompt", "--allow-net=a.b", ...OPEN, "x.ts", "--allow-read=c"],
  );
});

Deno.test("permissive() hides from a package what no grant has, which would end it", () => {
  assertEquals(
    args("--ignore-env", "--ignore-read", "npm:x", "--ignore-read"),
    ["run", ...OPEN, "--ignore-read=/proc,/sys,/dev", "npm:x", "--ignore-read"],
  );
});
