import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Confinement } from "./confinement.ts";
import { seatbeltArguments, seatbeltProfile } from "./seatbelt.ts";

const HELD: Confinement = {
  mounts: [
    { type: "read", path: "/usr", isFolder: true },
    { type: "write", path: "/Users/u/ws", isFolder: true },
    { type: "write", path: "/Users/u/ws/.git", isFolder: true },
    { type: "read", path: "/Users/u/ws/.git/hooks", isFolder: true },
    { type: "mask", path: "/Users/u/ws/.ssh", isFolder: true },
    { type: "tmpfs", path: "/tmp", bytes: 1, mode: 0o1777 },
    { type: "proc", path: "/proc" },
  ],
  network: "own",
  sockets: { internet: "none", unix: false },
  limits: {},
  placeholders: [],
};

const lines = (held: Partial<Confinement> = {}) =>
  seatbeltProfile({ ...HELD, ...held }).split("\n");

Deno.test("seatbeltProfile() denies by default, and says the grant in an order in which the later rule counts", () => {
  const all = lines();
  assertEquals(all.slice(0, 2), ["(version 1)", "(deny default)"]);
  const from = all.indexOf('(allow file-read* (subpath "/usr"))');
  assertEquals(all.slice(from), [
    '(allow file-read* (subpath "/usr"))',
    '(deny file-write* (subpath "/usr"))',
    '(allow file-read* file-write* (subpath "/Users/u/ws"))',
    '(deny file-write-unlink (literal "/Users/u/ws"))',
    '(allow file-read* file-write* (subpath "/Users/u/ws/.git"))',
    '(deny file-write-unlink (literal "/Users/u/ws/.git"))',
    '(allow file-read* (subpath "/Users/u/ws/.git/hooks"))',
    '(deny file-write* (subpath "/Users/u/ws/.git/hooks"))',
    '(deny file-read* file-write* (subpath "/Users/u/ws/.ssh"))',
    "",
  ]);
});

Deno.test("seatbeltProfile() lets a program look at the folders above what it may read, and no others", () => {
  const [rule = ""] = lines().filter((line) => line.startsWith("(allow file-read-metadata"));
  for (const path of ["/", "/Users", "/Users/u", "/private", "/private/etc"]) {
    assertStringIncludes(rule, `(literal "${path}")`);
  }
  assertEquals(rule.includes("/Users/v"), false);
});

Deno.test("seatbeltProfile() has no network unless shared, and unix sockets only in what is shown", () => {
  assertEquals(lines().filter((line) => line.includes("network")), []);
  assertEquals(lines({ network: "shared" }).includes("(allow network*)"), true);
  const sockets = lines({ sockets: { internet: "none", unix: true } })
    .filter((line) => line.includes("network"));
  assertEquals(
    sockets[1],
    '(allow network-outbound (remote unix-socket (subpath "/Users/u/ws")))',
  );
});

Deno.test("seatbeltProfile() lets no path out of its quotes", () => {
  const path = '/x") (allow default) (literal "\\';
  assertStringIncludes(
    seatbeltProfile({ ...HELD, mounts: [{ type: "read", path, isFolder: true }] }),
    '(subpath "/x\\") (allow default) (literal \\"\\\\")',
  );
});

Deno.test("seatbeltProfile() is balanced, a rule a line", () => {
  for (const line of lines({ network: "shared", sockets: { internet: "tcp_udp", unix: true } })) {
    const bare = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    assertEquals(bare.split("(").length, bare.split(")").length, line);
  }
});

Deno.test("seatbeltArguments() pass the server's own command untouched, behind the profile and the script", () => {
  const command = { program: "/bin/x", args: ["a b", "$(id)"], cwd: "/ws", env: {} };
  const args = seatbeltArguments(command, "INNER", {
    program: "/usr/bin/sandbox-exec",
    profile: "/p/profile.sb",
    lifeline: "/l/line",
    folder: "/p",
  });
  assertEquals(args[0], "-c");
  assertEquals(args.slice(2), [
    ...["sh", "/l/line", "/p", "/ws"],
    ...["/usr/bin/sandbox-exec", "-f", "/p/profile.sb"],
    ...["/bin/sh", "-c", "INNER", "sh", "/bin/x", "a b", "$(id)"],
  ]);
});
