import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { enforcement, leaks, type Offer } from "./enforcement.ts";
import type { Grant } from "./grant.ts";

const OFFER: Offer = { sandbox: "auto", backend: "bwrap", problem: "", isRoot: false };
const NOTHING: Offer = { ...OFFER, backend: undefined, problem: "nothing here can do that" };
const ASKED = { run: [], sandbox: undefined };
const SPEC = { name: "s" };

Deno.test("enforcement() requires confinement of what flags do not hold, unless told otherwise", () => {
  const cases = [
    ["bundled", { ...ASKED }, "prefer"],
    ["bundled", { ...ASKED, run: ["bash"] }, "require"],
    ["npm", ASKED, "require"],
    ["script", ASKED, "require"],
    ["native", ASKED, "require"],
    ["native", { ...ASKED, sandbox: "prefer" as const }, "prefer"],
    ["bundled", { ...ASKED, sandbox: "require" as const }, "require"],
    // A server cannot switch its own confinement off.
    ["native", { ...ASKED, sandbox: "off" as const }, "prefer"],
  ] as const;
  for (const [kind, asked, mode] of cases) {
    assertEquals(enforcement(SPEC, kind, asked, OFFER), {
      mode,
      backend: "bwrap",
      mayRunPrograms: true,
    });
  }
});

Deno.test("enforcement() refuses what it requires and cannot have, with what would help (T60)", () => {
  const error = assertThrows(
    () => enforcement(SPEC, "native", ASKED, NOTHING),
    SkepError,
    'Cannot start server "s": it requires the operating system\'s confinement, and nothing here can do that. ' +
      "To start it under Deno's flags alone, write sandbox: prefer",
  );
  assertEquals(error.code, "GRANT_REFUSED");
  assertEquals(enforcement(SPEC, "native", { ...ASKED, sandbox: "prefer" }, NOTHING), {
    mode: "prefer",
    backend: undefined,
    mayRunPrograms: false,
  });
});

Deno.test("enforcement() refuses Landlock alone to the administrator, whom it does not hold", () => {
  const landlock: Offer = { ...OFFER, backend: "landlock" };
  assertEquals(enforcement(SPEC, "npm", ASKED, landlock).backend, "landlock");
  assertThrows(
    () => enforcement(SPEC, "npm", ASKED, { ...landlock, isRoot: true }),
    SkepError,
    "run skep as an ordinary user, or allow user namespaces",
  );
});

Deno.test("enforcement() switches off at the operator's word, unless the policy requires it", () => {
  const off: Offer = { ...OFFER, sandbox: "off" };
  assertEquals(enforcement(SPEC, "native", ASKED, off), {
    mode: "off",
    backend: undefined,
    mayRunPrograms: true,
  });
  const required = { ...ASKED, sandbox: "require" as const, requiredBy: "policy /p.yaml" };
  assertThrows(
    () => enforcement(SPEC, "native", required, off),
    SkepError,
    "policy /p.yaml requires the operating system's confinement, and the sandbox is off",
  );
  const error = assertThrows(() => enforcement(SPEC, "native", required, NOTHING), SkepError);
  assertEquals(error.message.includes("sandbox: prefer"), false);
});

Deno.test("leaks() spells out what flags and Landlock alone leave open (T59)", () => {
  const grant: Pick<Grant, "run" | "limits" | "write" | "workspace" | "net"> = {
    net: [],
    run: [{ value: "/usr/bin/bash", origin: "" }],
    limits: { memory_mb: 1 },
    write: [{ value: "/work/ws", origin: "" }],
    workspace: "/work/ws",
  };
  const less = { ...grant, run: [], limits: {}, write: [] };
  assertEquals(leaks("npm", grant, undefined), [
    "links that lead out of a granted folder are followed",
    "protected files of the workspace can be written",
    "what it imports statically is not checked",
    "the programs it starts are not confined",
    "its resource limits are not enforced",
  ]);
  assertEquals(leaks("script", less, undefined), [
    "links that lead out of a granted folder are followed",
  ]);
  assertEquals(leaks("native", less, undefined), ["it runs natively: nothing confines it"]);
  assertEquals(leaks("native", grant, "landlock").length, 5);
  assertEquals(leaks("native", less, "landlock").length, 4);
  assertEquals(leaks("native", grant, "seatbelt").length, 2);
  for (const backend of ["bwrap", "unshare"] as const) {
    assertEquals(leaks("native", grant, backend), []);
    const proxied = { ...grant, net: [{ value: "example.com:443", origin: "" }] };
    assertEquals(leaks("native", proxied, backend), [
      "it may open unix sockets that lie in its granted folders, since a socket is its way to the proxy",
    ]);
    assertEquals(leaks("npm", { ...proxied, run: [] }, backend), []);
  }
});
