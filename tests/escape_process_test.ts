// The escape suite: the probe in the place of the shipped default's server, behind every backend of this
// machine, as whoever runs the tests and as an ordinary user; and with Deno's flags alone, where the same
// attempts get through, so that the suite is known to be able to fail.
import { assert, assertEquals } from "@std/assert";
import { dirname } from "@std/path";
import { confinerFinder } from "../lib/cli/find_confiner.ts";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { isSurprise, type ProbeResult } from "../lib/sandbox/probe/probe_result.ts";
import { runProbes } from "../lib/sandbox/probe/run_probes.ts";
import { Ground, NAMESPACE_BACKENDS } from "./confined.ts";
import { childEnv, fromRepo, runChild, tempFolder } from "./harness.ts";
import { CAN_BE_ANOTHER, ordinaryUser, type TestUser, thisUser } from "./other_user.ts";

const DENO_DIR = denoDir(denoHost());
const ME = Deno.uid() === 0 ? "root" : "this user";
const USERS: [name: string, make: (denoDir: string) => Promise<TestUser>][] = [
  [ME, thisUser],
  ...(CAN_BE_ANOTHER ? [["an ordinary user", ordinaryUser] as [string, typeof ordinaryUser]] : []),
];
/** The programs of the system: what version managers put on a PATH is for their own home folder. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

/** Runs the suite as a user, whose environment holds a key that no server may see. */
async function probe(
  backend: string,
  make: (denoDir: string) => Promise<TestUser>,
): Promise<ProbeResult[] | { missing: string }> {
  await using user = await make(DENO_DIR);
  const command = [
    ...user.before,
    ...[Deno.execPath(), "run", "--allow-all", "--no-prompt", "--no-remote", "--cached-only"],
    ...[`--config=${fromRepo("deno.json")}`, `--lock=${fromRepo("deno.lock")}`, "--frozen"],
    ...[fromRepo("tests/fixtures/probe_driver.ts"), backend, user.folder],
  ];
  const env = childEnv(user.folder, {
    PATH,
    DENO_DIR: user.denoDir,
    TMPDIR: "/tmp",
    BUZZ_PRIVATE_KEY: `nsec1${"q".repeat(58)}`,
    NODE_OPTIONS: "--no-warnings",
    BASH_ENV: "/nonexistent",
  });
  const [program = "", ...args] = command;
  const { code, stdout, stderr } = await runChild(program, args, { env });
  assertEquals(code, 0, stderr);
  const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
  return "missing" in lines[0] ? lines[0] : lines;
}

function surprises(results: readonly ProbeResult[]): string[] {
  return results.filter(isSurprise)
    .map(({ from, probe, outcome, detail }) => `${from}: ${probe} was ${outcome}: ${detail}`);
}

/** What was attempted that must be denied, each kind once. */
function mustDeny(results: readonly ProbeResult[]): Set<string> {
  return new Set(
    results.filter(({ expected }) => expected === "denied").map(({ probe }) => probe),
  );
}

/** What may be left out: a call that this processor does not have, a place whose program is not there. */
function strangelySkipped(results: readonly ProbeResult[]): string[] {
  return results
    .filter(({ outcome, probe }) =>
      outcome === "skipped" && probe !== "python" && !probe.startsWith("call-")
    )
    .map(({ from, probe, detail }) => `${from}: ${probe}: ${detail}`);
}

for (const [who, make] of USERS) {
  for (const backend of ["bwrap", "unshare"]) {
    Deno.test(`nothing gets out under ${backend} as ${who}, and what is granted works (T51, T52, T53, T86)`, async () => {
      const results = await probe(backend, make);
      if ("missing" in results) return; // said by doctor; the other backend is what such a machine has
      assertEquals(surprises(results), []);
      assertEquals(strangelySkipped(results), []);
      assertEquals(new Set(results.map((result) => result.backend)), new Set([backend]));
      const places = new Set(results.map(({ from }) => from));
      assertEquals(places, new Set(["js", "bash", "deno", "python"]));
      const attempts = mustDeny(results);
      assert(attempts.size >= 60, `${attempts.size} kinds of attempts`);
      for (const each of ["static-import-json", "import-from-host", "read-old-link"]) {
        assert(attempts.has(each), each);
      }
    });
  }

  Deno.test(`nothing but what the audit names gets out under Landlock alone as ${who}`, async () => {
    const results = await probe("landlock", make);
    if ("missing" in results) return;
    const open = new Set(results.filter(isSurprise).map(({ probe }) => probe));
    const unnamed = [...open].filter((probe) =>
      !LANDLOCK_LEAVES_OPEN.some((each) => probe.startsWith(each))
    );
    assertEquals(unnamed, []);
    assertEquals(strangelySkipped(results), []);
    assert(open.has("chmod-outside") && open.has("protected-append .git/config"));
  });

  Deno.test(`the same attempts get through flags alone as ${who}, so the suite can fail`, async () => {
    const results = await probe("off", make);
    assert(!("missing" in results));
    assertEquals(new Set(results.map((result) => result.backend)), new Set(["flags"]));
    assertEquals(strangelySkipped(results), []);
    // What the grant allows works, confined or not.
    assertEquals(
      results.filter(({ expected, outcome }) => expected === "allowed" && outcome !== "allowed"),
      [],
    );
    const open = (place: string) =>
      results.filter((result) => result.from === place && isSurprise(result))
        .map(({ probe }) => probe);
    for (const each of FLAGS_LEAVE_OPEN) assert(open("js").includes(each), `js: ${each}`);
    for (const place of ["bash", "deno", "python"]) {
      const held = results.filter(({ from, expected, outcome }) =>
        from === place && expected === "denied" && outcome === "denied"
      ).map(({ probe }) => probe);
      const strangelyHeld = held.filter((probe) =>
        !probe.startsWith("after-") && !HELD_WITHOUT.includes(probe) &&
        !(make === ordinaryUser || ME !== "root" ? HELD_FROM_USERS : []).includes(probe)
      );
      assertEquals(strangelyHeld, [], place);
    }
  });
}

Deno.test("a grant that leaks is found out, from every place that it reaches", async () => {
  const backend = NAMESPACE_BACKENDS[0];
  if (backend === undefined) return; // a machine without user namespaces
  await using leak = await tempFolder();
  await using ground = await Ground.make("ws", { TMPDIR: leak.path });
  await using finder = confinerFinder(backend, fromRepo("."), denoHost());
  const results = await runProbes(() => ({
    name: "dev",
    command: "skep",
    args: ["mcp", "dev"],
    env: {},
    permissions: { read: ["${WORKSPACE}", leak.path], run: ["bash"] },
    origin: { kind: "flag", where: "--mcp" },
  }), ground.context(() => finder.find()));
  const leaks = results.filter(isSurprise);
  for (const from of ["js", "bash", "deno", "python"]) {
    const probes = leaks.filter((each) => each.from === from).map(({ probe }) => probe);
    assert(probes.includes("read-outside") && probes.includes("read-old-link"), from);
  }
  // What was granted is reading, and nothing else came of it.
  assertEquals(
    leaks.filter(({ probe }) => /write|create|chmod|key|tcp|^call-|^after-/.test(probe)),
    [],
  );
});

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test(`${backend}: a native server that may write above what skep runs from changes none of it`, async () => {
    await using ground = await Ground.make();
    await using finder = confinerFinder(backend, fromRepo("."), denoHost());
    const above = [DENO_DIR, await Deno.realPath(Deno.execPath())].map((path) => dirname(path));
    const results = await runProbes(() => ({
      name: "native",
      command: "bash",
      args: [],
      env: {},
      permissions: { write: above, run: ["bash", "python3"] },
      origin: { kind: "flag", where: "--mcp" },
    }), ground.context(() => finder.find()));
    const attempts = results.filter(({ probe }) =>
      /^write-(run-|skep|deno-dir|beside-deno)/.test(probe)
    );
    assertEquals(surprises(attempts), []);
    for (const from of ["bash", "python"]) {
      const tried = attempts.filter((each) => each.from === from && each.outcome === "denied");
      assert(tried.some(({ probe }) => probe === "write-run-folders"), from);
    }
    // The grant is no empty one: beside them it may write.
    const granted = results.filter(({ probe }) => probe.startsWith(`granted-write ${above[0]}`));
    assert(granted.some(({ outcome }) => outcome === "allowed"), JSON.stringify(granted));
  });
}

/** What Landlock does not restrict, as deno-facts 27 has it and the audit says. */
const LANDLOCK_LEAVES_OPEN = [
  "stat-outside",
  "enter-outside",
  "watch-outside",
  "chmod-",
  "chown-outside",
  "utime-outside",
  "xattr-outside",
  "see-processes",
  "protected-",
  "after-files-are-as-before", // of the attempts above
];

/** What a JavaScript server can do under Deno's flags. */
const FLAGS_LEAVE_OPEN = [
  "read-old-link",
  "read-old-folder-link",
  "write-old-link",
  "create-by-folder-link",
  "storage-in-deno-dir",
  "static-import-json",
  "static-import-text",
];

/** What does not work here for other reasons than a grant. */
const HELD_WITHOUT = [
  "environment", // made anew for every server
  "proc-cmdline", // no key is ever in one
  "tcp-outside", // a machine without a way out
  "call-kexec-load", // left out of many kernels
  "call-init-module",
  "call-iopl",
  "call-io-uring",
  "socket-alg",
  "socket-vsock",
];

/** What only the administrator can do anyway. */
const HELD_FROM_USERS = [
  "write-skep",
  "write-run-files",
  "write-beside-deno",
  "write-program",
  "settings-of-kernel",
  "write-sys",
  "control-groups",
  "chmod-device",
  "make-device",
  "file-capability",
  "type-into-terminal",
  "call-bpf",
  "call-perf-event-open",
  "call-userfaultfd",
  "call-fanotify-init",
  "call-open-by-handle-at",
  "call-pivot-root",
  "call-chroot",
  "call-move-mount",
  "call-fsopen",
  "call-reboot",
  "call-swapoff",
  "call-syslog",
  "call-settimeofday",
  "call-clock-settime",
  "call-sethostname",
  "call-unshare", // where users may make no namespaces
  "new-namespace",
  "clone-user-namespace",
  "socket-raw",
  "socket-raw6",
  "socket-packet",
];
