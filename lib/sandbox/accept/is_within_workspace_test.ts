import { assertEquals } from "@std/assert";
import type { Permissions } from "../spec.ts";
import { grantRequest } from "./grant_request.ts";
import { isWithinWorkspace } from "./is_within_workspace.ts";

Deno.test("isWithinWorkspace() is what every server gets unasked, and nothing more", () => {
  const of = (permissions?: Permissions) =>
    isWithinWorkspace(
      grantRequest({
        name: "s",
        command: "x",
        args: [],
        env: { FOO: "1" },
        ...(permissions && { permissions }),
        origin: { kind: "file", where: "/w/mcp.json" },
      }, "linux"),
    );
  assertEquals([of(), of({ write: ["${WORKSPACE}/a", "${TMP}"] })], [true, true]);
  const more: Permissions[] = [
    { read: ["/etc"] },
    { write: ["${WORKSPACE}/../x"] },
    { read: ["${WORKSPACE}x"] },
    { net: ["loopback"] },
    { run: ["git"] },
    { sys: ["uid"] },
    { secrets: { A: "env:B" } },
    { limits: { processes: 1 } },
    { sandbox: "prefer" },
  ];
  for (const each of more) assertEquals(of(each), false, JSON.stringify(each));
});
