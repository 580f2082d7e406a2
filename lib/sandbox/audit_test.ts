import { assertEquals, assertStringIncludes } from "@std/assert";
import { auditOf } from "./audit.ts";
import type { Confinement } from "./confinement.ts";
import type { Launch } from "./launch.ts";
import { redactor, secretNames } from "./redact.ts";
import { renderAudit } from "./render_audit.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const ENV = { FOO: "1", MY_TOKEN: "literal-token" };

async function launchOf(): Promise<Launch> {
  const { grant, environment: { values } } = await testGrant(
    {
      command: "./server.ts",
      env: ENV,
      permissions: {
        read: ["${WORKSPACE}", "/home/u/.ssh"],
        secrets: { TOKEN: "env:GH_TOKEN" },
        limits: { memory_mb: 512 },
      },
    },
    testContext({ env: { GH_TOKEN: "from-the-runtime" } }),
    { ownFiles: ["/own/a", "/own/b"] },
  );
  const names = secretNames(values, ["TOKEN"], ENV);
  return {
    server: "s",
    kind: "script",
    grant,
    command: {
      program: "/opt/deno",
      args: ["run", "--allow-read=.", "a b", "it's", "--key=literal-token"],
      cwd: "/work/ws",
      env: values,
    },
    secretNames: names,
    redact: redactor(names.map((name) => [name, values[name] ?? ""])),
    dangers: [],
    notices: ["a notice"],
    readOwn: () => Promise.resolve(undefined),
    release: () => Promise.resolve(),
  };
}

/** The same behind `bwrap`. */
async function confinedLaunch(): Promise<Launch> {
  const launch = await launchOf();
  const confinement: Confinement = {
    mounts: [
      { type: "read", path: "/usr", isFolder: true },
      { type: "link", path: "/bin", to: "/usr/bin" },
      { type: "read", path: "/home/u/.pyenv", isFolder: true },
      { type: "write", path: "/work/ws", isFolder: true },
      { type: "write", path: "/work/ws/.git", isFolder: true },
      { type: "read", path: "/work/ws/.git/hooks", isFolder: true },
      { type: "mask", path: "/work/ws/.ssh", isFolder: true },
    ],
    network: "own",
    sockets: { internet: "tcp", unix: false },
    limits: {},
    placeholders: [],
  };
  const env = { ...launch.command.env, PYENV_ROOT: "/home/u/.pyenv" };
  const confined = {
    backend: "bwrap" as const,
    confinement,
    inner: { ...launch.command, env },
    toolchains: ["/home/u/.pyenv"],
    unenforced: ["its memory of 512 MiB is limited for each of its processes alone"],
  };
  return { ...launch, confined, dangers: ["may write .envrc: nothing protects it"] };
}

Deno.test("auditOf() has the grant with origins, the command line and the reasons", async () => {
  const audit = auditOf(await launchOf());
  assertEquals(audit.source, "--mcp");
  assertEquals(audit.permissions.read[0], { value: "/work/ws", origin: "--mcp" });
  assertEquals(audit.permissions.limits, { memory_mb: 512 });
  assertEquals(audit.limitOrigins, { memory_mb: "--mcp" });
  assertEquals(audit.command.slice(0, 3), ["/opt/deno", "run", "--allow-read=."]);
  assertEquals(audit.cut.map(({ value }) => value), ["/home/u/.ssh"]);
  assertEquals(audit.notices, ["a notice"]);
  assertEquals([audit.backend, audit.confinement], ["flags", undefined]);
  const variable = (name: string) => audit.environment.find((each) => each.name === name);
  assertEquals(variable("PATH"), { name: "PATH", reason: "where programs lie", value: "/usr/bin" });
  assertEquals(variable("FOO"), { name: "FOO", reason: "--mcp, env", value: "1" });
});

Deno.test("auditOf() has what a backend shows and hides besides the grant, and what it does not hold", async () => {
  const audit = auditOf(await confinedLaunch());
  assertEquals(audit.backend, "bwrap");
  assertEquals(audit.confinement, {
    base: ["/usr", "/bin"],
    toolchains: ["/home/u/.pyenv"],
    hidden: ["/work/ws/.ssh"],
    protected: ["/work/ws/.git/hooks"],
  });
  assertEquals(audit.unconfined, [
    "its memory of 512 MiB is limited for each of its processes alone",
  ]);
  assertEquals(audit.environment.find(({ name }) => name === "PYENV_ROOT"), {
    name: "PYENV_ROOT",
    reason: "where .pyenv lies, since its home is another one",
    value: "/home/u/.pyenv",
  });
});

Deno.test("auditOf() says that a protected file which another program replaces is held no more", async () => {
  const launch = await confinedLaunch();
  const { confinement } = launch.confined!;
  const file = { type: "read", path: "/work/ws/.git/config", isFolder: false } as const;
  const more = { ...confinement, mounts: [...confinement.mounts, file] };
  const audit = auditOf({ ...launch, confined: { ...launch.confined!, confinement: more } });
  assertEquals(
    audit.unconfined.at(-1),
    "a protected file that another program replaces meanwhile, as git config does, is held no more",
  );
});

Deno.test("auditOf() shows no secret's value, whoever wrote it and wherever (T91)", async () => {
  const audit = auditOf(await launchOf());
  const variable = (name: string) => audit.environment.find((each) => each.name === name);
  assertEquals(variable("TOKEN"), { name: "TOKEN", reason: "secret, --mcp" });
  assertEquals(variable("MY_TOKEN"), { name: "MY_TOKEN", reason: "--mcp, env" });
  assertEquals(audit.command.at(-1), "--key=[secret MY_TOKEN]");
  for (const text of [JSON.stringify(audit), renderAudit(audit)]) {
    assertEquals(text.includes("from-the-runtime") || text.includes("literal-token"), false);
  }
});

Deno.test("renderAudit() can be read by a person", async () => {
  assertEquals(
    renderAudit(auditOf(await launchOf())),
    `s: code of others, a script that Deno runs, listed in --mcp
  in short
    It reads the workspace /work/ws, and changes none of your files.
    It starts no programs.
    It reaches no network.
    It is given the secrets MY_TOKEN and TOKEN (env:GH_TOKEN): your other keys and variables stay outside.
    Only Deno holds it to that, and not all of it: see what is not confined.
  every entry of its grant, and who asked for it
    reads     /work/ws, the workspace  (its entry)
              2 folders of its own code
    changes   /tmp/skep-1/tmp, private and removed at its end  (private folder)
    secrets   TOKEN, which is env:GH_TOKEN  (its entry)
    none of   reaches, starts, system
    limits    512 MiB of memory  (its entry)
  asked for, and not granted
    read /home/u/.ssh: /home/u/.ssh is never granted: it holds SSH keys
  held by Deno's flags alone (preferred: where nothing can hold it, it starts without)
    network   none
  not confined
    links that lead out of a granted folder are followed
    its resource limits are not enforced
  its environment, made anew
    PATH: where programs lie; LANG: language of messages, and encoding; HOME: a private home folder
    TMPDIR: a private temporary folder; NO_COLOR: plain text on stderr
    DENO_DIR: Deno's cache, which a private home would move
    DENO_NO_PACKAGE_JSON: the workspace's package.json is not Deno's business
    DENO_NO_UPDATE_CHECK: no question to the network at start
    DENO_TLS_CA_STORE: which certificates Deno trusts
    FOO=1  (its entry)
    MY_TOKEN=(set, not shown)  (its entry)
    TOKEN=(set, not shown)  (secret, its entry)
  command, started in /work/ws
    /opt/deno run --allow-read=. 'a b' 'it'\\''s' '--key=[secret MY_TOKEN]'
`,
  );
});

Deno.test("renderAudit() shows dangers before everything else, then what holds the server", async () => {
  const text = renderAudit(auditOf(await confinedLaunch()));
  const [, second, third] = text.split("\n");
  assertEquals([second, third], ["  DANGER", "    it may write .envrc: nothing protects it"]);
  assertStringIncludes(
    text,
    "  held by bwrap (preferred: where nothing can hold it, it starts without): own view of files, " +
      "own processes and /tmp (what it writes there goes with it), no privileges, fewer system calls\n" +
      "    network   own loopback\n" +
      "    also sees what programs need to run: /usr, /bin; toolchains: /home/u/.pyenv\n" +
      "    hidden    /work/ws/.ssh\n" +
      "    read-only /work/ws/.git/hooks\n" +
      "  not confined\n" +
      "    its memory of 512 MiB is limited",
  );
});

Deno.test("renderAudit() shows titles bold, dangers red, cautions yellow and who asked dim on a terminal", async () => {
  const audit = { ...auditOf(await confinedLaunch()), cautions: ["can send what it reads to a.b"] };
  const text = renderAudit(audit, { columns: 200, isColored: true });
  const lines = text.split("\n").filter((line) => line.includes("\u001b[3"));
  assertEquals(lines, [
    "\u001b[31m  DANGER\u001b[0m",
    "\u001b[31m    it may write .envrc: nothing protects it\u001b[0m",
    "\u001b[33m  think about\u001b[0m",
    "\u001b[33m    it can send what it reads to a.b\u001b[0m",
  ]);
  assertStringIncludes(text, "\u001b[1m  in short\u001b[0m\n");
  const [reads = ""] = text.split("\n").filter((line) => line.startsWith("    reads "));
  assertEquals(
    reads.replace(/ {2,}/g, " "),
    " reads /work/ws, the workspace \u001b[2mits entry\u001b[0m",
  );
  assertEquals(renderAudit(audit, { columns: 200, isColored: false }).includes("\u001b"), false);
});

Deno.test("renderAudit() was as wide as its longest line on a terminal, and had no columns", async () => {
  const audit = auditOf(await confinedLaunch());
  const whole = (text: string) => text.replaceAll(/\s+/g, "");
  for (const columns of [80, 120]) {
    const lines = renderAudit(audit, { columns, isColored: false }).split("\n");
    assertEquals(lines.filter((line) => line.length > columns), []);
    const asked = lines.map((line) => line.indexOf("  its entry")).filter((place) => place > 0);
    assertEquals([asked.length > 1, new Set(asked).size], [true, 1], lines.join("\n"));
    const flags = lines.slice(lines.findIndex((line) => line.startsWith("  command,")) + 1);
    assertEquals(
      whole(flags.join("")),
      whole("/opt/deno run --allow-read=. 'a b' 'it'\\''s' '--key=[secret MY_TOKEN]'"),
    );
  }
});

Deno.test("renderAudit() counts a package's folders, in the command line too", async () => {
  const audit = auditOf(await launchOf());
  const own = Array.from({ length: 7 }, (_, index) => `/own/${index}`);
  const read = own.map((value) => ({ value, origin: "own files" }));
  const command = ["/opt/deno", "run", `--allow-read=.,${own.join(",")}`, "npm:x@1"];
  const text = renderAudit({
    ...audit,
    kind: "npm",
    command,
    permissions: { ...audit.permissions, read },
  });
  assertStringIncludes(text, "s: code of others, the npm package x@1, listed in --mcp\n");
  assertStringIncludes(text, "    reads     7 folders of its own code\n");
  assertStringIncludes(text, "'--allow-read=.,[7 folders of its own code: see --json]' npm:x@1\n");
});

Deno.test("renderAudit() is one screen for an ordinary server", async () => {
  const lines = renderAudit(auditOf(await confinedLaunch())).split("\n");
  assertEquals(lines.length < 40, true, lines.join("\n"));
});

Deno.test("renderAudit() counts the paths past the sixth", async () => {
  const audit = auditOf(await confinedLaunch());
  const hidden = Array.from({ length: 8 }, (_, index) => `/h/${index}`);
  const confinement = { ...audit.confinement!, hidden };
  assertStringIncludes(
    renderAudit({ ...audit, confinement }),
    "    hidden    /h/0, /h/1, /h/2, /h/3, /h/4, /h/5 and 2 more\n",
  );
});

Deno.test("renderAudit() shows what a terminal would act on (T76)", async () => {
  const launch = await launchOf();
  const args = ["a\u001b[2J", "b\u202ec", "d\ne"];
  const text = renderAudit(auditOf({ ...launch, command: { ...launch.command, args } }));
  assertStringIncludes(text, "'a\\u{1b}[2J'");
  assertStringIncludes(text, "'b\\u{202e}c'");
  assertStringIncludes(text, "'d\\u{a}e'");
});
