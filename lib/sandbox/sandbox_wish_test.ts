import { assertEquals } from "@std/assert";
import type { Ceiling } from "./ceiling.ts";
import { readCommand } from "./command.ts";
import { parsePolicy } from "./policy.ts";
import { sandboxWish } from "./sandbox_wish.ts";
import type { SandboxMode } from "./spec.ts";
import { testSpec } from "./test_grant.ts";

const ANY: Ceiling = { reach: "any", reason: "" };
const LIMITED: Ceiling = { reach: "workspace", reason: "a client may ask for the workspace alone" };
const P = "policy /p.yaml";

function wish(own: SandboxMode | undefined, policy: string | undefined, ceiling = ANY) {
  const spec = testSpec(own === undefined ? {} : { permissions: { sandbox: own } });
  const asked = own === undefined ? {} : { sandbox: own };
  const parsed = policy === undefined ? undefined : parsePolicy(policy, "/p.yaml", "linux");
  return sandboxWish(spec, readCommand(spec), asked, ceiling, parsed);
}

Deno.test("sandboxWish() is the server's own without a policy", () => {
  assertEquals(wish(undefined, undefined), { sandbox: undefined });
  assertEquals(wish("prefer", undefined), { sandbox: "prefer" });
  assertEquals(wish("off", undefined).notice?.includes("is taken for prefer"), true);
});

Deno.test("sandboxWish() lets the stricter of server and policy win", () => {
  assertEquals(wish("prefer", "sandbox: { mode: require }"), {
    sandbox: "require",
    requiredBy: P,
  });
  for (
    const policy of [
      "permissions: { sandbox: require }",
      "servers: { s: { permissions: { sandbox: require } } }",
    ]
  ) assertEquals(wish("off", policy), { sandbox: "require", requiredBy: P }, policy);
  assertEquals(wish("require", "sandbox: { mode: prefer }"), { sandbox: "require" });
  assertEquals(wish("prefer", "servers: { other: { permissions: { sandbox: require } } }"), {
    sandbox: "prefer",
  });
});

Deno.test("sandboxWish() takes a policy's prefer for a server that says nothing", () => {
  assertEquals(wish(undefined, "sandbox: { mode: prefer }"), { sandbox: "prefer" });
  assertEquals(wish(undefined, "permissions: { sandbox: prefer }"), { sandbox: undefined });
});

Deno.test("sandboxWish() lets nobody ask for less whose entry was not accepted, and says that it does not", () => {
  const notice = (mode: string) =>
    `Server "s" is not granted sandbox ${mode}: a client may ask for the workspace alone`;
  assertEquals(wish("prefer", undefined, LIMITED), {
    sandbox: undefined,
    notice: notice("prefer"),
  });
  assertEquals(wish("off", undefined, LIMITED), { sandbox: undefined, notice: notice("off") });
  assertEquals(wish("prefer", "sandbox: { mode: require }", LIMITED), {
    sandbox: "require",
    requiredBy: P,
    notice: notice("prefer"),
  });
  assertEquals(wish(undefined, undefined, LIMITED), { sandbox: undefined });
  assertEquals(wish("require", undefined, LIMITED), { sandbox: "require" });
  assertEquals(wish("prefer", "sandbox: { mode: prefer }", LIMITED), { sandbox: "prefer" });
});
