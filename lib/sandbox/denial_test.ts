import { assertEquals } from "@std/assert";
import { DENIED_META, explainDenial, findDenial, isMarkedDenial } from "./denial.ts";
import type { Grant } from "./grant.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const SOURCE = { kind: "file", where: "/home/u/mcp.json" } as const;
const failed = (text: string) => ({ isError: true, content: [{ type: "text", text }] });

async function grantOf(): Promise<Grant> {
  const { grant } = await testGrant({
    origin: SOURCE,
    permissions: {
      read: ["${WORKSPACE}"],
      write: ["${WORKSPACE}/out"],
      net: ["example.com:443", "unix:/run/x.sock"],
      run: ["bash"],
      env: ["FOO"],
      sys: ["cpus"],
    },
  });
  return grant;
}

Deno.test("findDenial() believes what a server of ours says", async () => {
  const grant = await grantOf();
  const result = {
    ...failed("no"),
    _meta: { [DENIED_META]: { access: "read", value: "/etc/passwd" } },
  };
  assertEquals(findDenial(grant, result), {
    server: "s",
    access: "read",
    value: "/etc/passwd",
    isCertain: true,
  });
});

Deno.test("findDenial() takes nothing malformed for a denial", async () => {
  const grant = await grantOf();
  for (
    const meta of [null, 7, {}, { [DENIED_META]: 7 }, {
      [DENIED_META]: { access: "all", value: "x" },
    }, {
      [DENIED_META]: { access: "read", value: 7 },
    }]
  ) {
    assertEquals(findDenial(grant, { _meta: meta, content: "x", isError: true }), undefined);
  }
});

Deno.test("findDenial() reads Deno's own words, and they are certain", async () => {
  const grant = await grantOf();
  const cases: [string, string, string][] = [
    ["read", "/etc/passwd", "/etc/passwd"],
    ["write", "notes.md", "/work/ws/notes.md"],
    ["net", "example.com:80", "example.com:80"],
    ["net", "evil.org:443", "evil.org:443"],
    ["run", "bash", "bash"],
    ["env", "BAR", "BAR"],
    ["sys", "hostname", "hostname"],
    ["ffi", "libc.so.6", "libc.so.6"],
  ];
  for (const [access, named, value] of cases) {
    const text =
      `NotCapable: Requires ${access} access to "${named}", run again with the --allow-${access} flag`;
    assertEquals(findDenial(grant, failed(text)), { server: "s", access, value, isCertain: true });
  }
});

Deno.test("findDenial() takes no text for a denial that the grant allows, or that is no error", async () => {
  const grant = await grantOf();
  for (
    const [access, value] of [
      ["read", "/work/ws/a"],
      ["read", "a/b"],
      ["write", "/work/ws/out/x"],
      ["net", "example.com:443"],
      ["env", "FOO"],
      ["sys", "cpus"],
    ]
  ) {
    assertEquals(findDenial(grant, failed(`Requires ${access} access to "${value}"`)), undefined);
  }
  const text = 'Requires read access to "/etc/passwd"';
  assertEquals(findDenial(grant, { content: [{ type: "text", text }] }), undefined);
});

Deno.test("findDenial() concludes from a system error, and says that it may be wrong", async () => {
  const grant = await grantOf();
  const cases: [string, string, string][] = [
    ["EACCES: permission denied, open '/etc/shadow'", "read", "/etc/shadow"],
    ["EPERM: operation not permitted, unlink '/work/ws/a'", "write", "/work/ws/a"],
    ["cat: /root/x: Permission denied", "read", "/root/x"],
    ["touch: cannot touch '/work/ws/a': Read-only file system", "write", "/work/ws/a"],
    ["connect ENETUNREACH 1.2.3.4:443 - Local (0.0.0.0:0)", "net", "1.2.3.4:443"],
  ];
  for (const [text, access, value] of cases) {
    assertEquals(findDenial(grant, failed(text)), { server: "s", access, value, isCertain: false });
  }
  for (const text of ["ENOENT: no such file '/etc/x'", "EACCES", "EACCES '/work/ws/out/x'"]) {
    assertEquals(findDenial(grant, failed(text)), undefined, text);
  }
});

Deno.test("findDenial() takes no way out, and no answer for a name, for a host that is not granted", async () => {
  const grant = await grantOf();
  const cases: [text: string, host: string][] = [
    ["connect EPERM 1.2.3.4:443", "1.2.3.4:443"],
    ["connect EHOSTUNREACH 10.0.0.1:80", "10.0.0.1:80"],
    ["ENETUNREACH [2001:db8::1]:443", "[2001:db8::1]:443"],
    ["Error: getaddrinfo EAI_AGAIN api.evil.org", "api.evil.org"],
    ["getaddrinfo ENOTFOUND evil.org", "evil.org"],
    ["curl: (6) Could not resolve host: evil.org", "evil.org"],
    ["wget: unable to resolve host address ‘evil.org’", "evil.org"],
    ["Connecting to 1.2.3.4:443... failed: Network is unreachable.", "1.2.3.4:443"],
    [
      "HTTPSConnectionPool(host='evil.org', port=443): [Errno 101] Network is unreachable",
      "evil.org",
    ],
  ];
  for (const [text, value] of cases) {
    const found = findDenial(grant, failed(text));
    assertEquals(found, { server: "s", access: "net", value, isCertain: false }, text);
  }
  for (
    const text of [
      "getaddrinfo EAI_AGAIN example.com",
      "Could not resolve host: example.com",
      "ENETUNREACH: network is unreachable",
      "connect ECONNREFUSED 1.2.3.4:443",
    ]
  ) assertEquals(findDenial(grant, failed(text)), undefined, text);
});

Deno.test("findDenial() takes a protected file of a writable workspace that is read-only for one", async () => {
  const { grant } = await testGrant({ origin: SOURCE, permissions: { write: ["${WORKSPACE}"] } });
  for (
    const path of ["/work/ws/.git/hooks/x", "/work/ws/.envrc", "/work/ws/.git/modules/a/config"]
  ) {
    const denial = findDenial(grant, failed(`EROFS: read-only file system, open '${path}'`));
    assertEquals(denial, { server: "s", access: "write", value: path, isCertain: false });
  }
  const hook = { server: "s", access: "write", value: "/work/ws/.git/hooks/x", isCertain: false };
  assertEquals(
    explainDenial(hook, grant).split(". ").at(-1),
    ".git/hooks of a workspace is protected, since git runs them: protect: of a policy can lift that.",
  );
  for (
    const text of [
      "EROFS: read-only file system, open '/work/ws/src/x'",
      "EACCES: permission denied, open '/work/ws/.envrc'",
    ]
  ) assertEquals(findDenial(grant, failed(text)), undefined, text);
});

Deno.test("findDenial() finds a protected file in what a shell's call wrote, and leaves it no failure", async () => {
  const { grant } = await testGrant({ origin: SOURCE, permissions: { write: ["${WORKSPACE}"] } });
  const ofCall = (text: string) =>
    findDenial(grant, { content: [{ type: "text", text: `before\n${text}\n[exit code 1]` }] });
  for (
    const [text, value] of [
      ["bash: line 1: .git/config: Read-only file system", "/work/ws/.git/config"],
      [
        "error: could not write config file /work/ws/a/.git/config: Device or resource busy",
        "/work/ws/a/.git/config",
      ],
      ["touch: cannot touch '.vscode/x': Read-only file system", "/work/ws/.vscode/x"],
      ["Error: EROFS: read-only file system, open '.npmrc'", "/work/ws/.npmrc"],
      // An empty folder holds the place of one that is missing.
      ["bash: line 1: .envrc: Is a directory", "/work/ws/.envrc"],
      ["sh: 1: cannot create .envrc: Is a directory", "/work/ws/.envrc"],
      ["tee: .envrc: Is a directory", "/work/ws/.envrc"],
      ["IsADirectoryError: [Errno 21] Is a directory: '.envrc'", "/work/ws/.envrc"],
      ["Error: EISDIR: illegal operation on a directory, open '.envrc'", "/work/ws/.envrc"],
      ["mkdir: cannot create directory ‘.vscode’: File exists", "/work/ws/.vscode"],
    ] as const
  ) assertEquals(ofCall(text), { server: "s", access: "write", value, isCertain: false });
  for (
    const text of [
      "bash: line 1: src/config: Read-only file system",
      "cat: .git/config: No such file or directory",
      "grep: .envrc: Is a directory",
      "mkdir: cannot create directory ‘src’: File exists",
      "cp: cannot create regular file '/etc/x': Permission denied",
    ]
  ) assertEquals(ofCall(text), undefined, text);
});

Deno.test("explainDenial() sends nobody for an entry that the grant has already", async () => {
  const { grant } = await testGrant({ origin: SOURCE, permissions: { write: ["${WORKSPACE}"] } });
  const denial = { server: "s", access: "write", value: "/work/ws/own/x", isCertain: true };
  assertEquals(
    explainDenial(denial, grant).split(". ").at(-1),
    "It is in the grant, and read-only here: protect: of a policy names what is protected.",
  );
});

Deno.test("findDenial() takes what is hidden below something granted for not granted", async () => {
  const { grant } = await testGrant(
    { origin: SOURCE, permissions: { write: ["/home/u"] } },
    testContext(),
    {},
    "bwrap",
  );
  const denial = findDenial(
    grant,
    failed("touch: cannot touch '/home/u/.ssh/x': Read-only file system"),
  );
  assertEquals(denial?.value, "/home/u/.ssh/x");
  assertEquals(
    explainDenial(denial!, grant).endsWith("/home/u/.ssh is never granted: it holds SSH keys."),
    true,
  );
});

Deno.test("isMarkedDenial() is true of what one of our servers says of itself, and of nothing else", () => {
  const marked = { _meta: { [DENIED_META]: { access: "read", value: "/x" } } };
  assertEquals([isMarkedDenial(marked), isMarkedDenial(failed("Requires read access"))], [
    true,
    false,
  ]);
});

Deno.test("explainDenial() says where a link led that the call named", async () => {
  const grant = await grantOf();
  const meta = { access: "read", value: "/etc/passwd", through: "notes.txt" };
  const denial = findDenial(grant, { _meta: { [DENIED_META]: meta } });
  assertEquals(denial?.through, "notes.txt");
  assertEquals(
    explainDenial(denial!, grant).split(". ")[0],
    'Access denied: the grant of server "s" does not let it read "/etc/passwd", where "notes.txt" leads',
  );
});

Deno.test("explainDenial() names the grant, and the line that would allow it", async () => {
  const grant = await grantOf();
  const denial = { server: "s", access: "read", value: "/etc/passwd", isCertain: true };
  assertEquals(
    explainDenial(denial, grant),
    'Access denied: the grant of server "s" does not let it read "/etc/passwd". ' +
      'Its read list: "${WORKSPACE}". ' +
      'To allow it, write read: ["/etc/passwd"] under permissions: of server "s" in /home/u/mcp.json.',
  );
  assertEquals(
    explainDenial({ ...denial, access: "write", value: "/work/ws/a", isCertain: false }, grant),
    'Probably denied: the grant of server "s" does not let it write "/work/ws/a". ' +
      'Its write list: "${WORKSPACE}/out". ' +
      'To allow it, write write: ["${WORKSPACE}/a"] under permissions: of server "s" in /home/u/mcp.json.',
  );
});

Deno.test("explainDenial() repeats the default grant, which permissions of its own replace", async () => {
  const { grant } = await testGrant({ origin: SOURCE });
  const text = explainDenial(
    { server: "s", access: "net", value: "a.org:443", isCertain: true },
    grant,
  );
  assertEquals(
    text.split(". ").slice(1).join(". "),
    "Its net list is empty. To allow it, write permissions: " +
      '{ read: ["${WORKSPACE}"], write: ["${TMP}"], net: ["a.org:443"] } of server "s" in /home/u/mcp.json.',
  );
});

Deno.test("explainDenial() says why there is nothing to write", async () => {
  const grant = await grantOf();
  const denial = { server: "s", isCertain: true };
  const tail = (text: string) => text.split(". ").at(-1);
  assertEquals(
    tail(explainDenial({ ...denial, access: "read", value: "/home/u/.ssh/id" }, grant)),
    "/home/u/.ssh is never granted: it holds SSH keys.",
  );
  assertEquals(
    tail(explainDenial({ ...denial, access: "run", value: "bash" }, grant)),
    `It is asked for and was not granted: ${grant.cut[0]?.reason}.`,
  );
  assertEquals(
    explainDenial({ ...denial, access: "ffi", value: "libc" }, grant),
    'Access denied: server "s" may not load "libc"; no grant of ffi can be given.',
  );
  const { grant: client } = await testGrant({ origin: { kind: "client", where: "session/new" } });
  assertEquals(
    explainDenial({ ...denial, access: "read", value: "/x" }, client).includes("with --mcp"),
    true,
  );
});

Deno.test("explainDenial() recommends no entry that is cut again, for a foreign pack and a file of the workspace", async () => {
  const remedyOf = (grant: Grant, value = "/etc/hosts") => {
    const denial = { server: "s", access: "read", value, isCertain: true };
    return explainDenial(denial, grant).split(/(?<=\.) (?=To|The|A)/).at(-1);
  };
  const permissions = { read: ["${WORKSPACE}/src"] };
  const file = { kind: "file", where: "/work/ws/mcp.json" } as const;
  const { grant: inside } = await testGrant({ origin: file, permissions });
  assertEquals(
    remedyOf(inside),
    'A server file in the workspace gets the workspace at most: to allow it, write read: ["/etc/hosts"] ' +
      'under permissions: of server "s" in a file outside of it and pass that with --mcp.',
  );
  assertEquals(
    remedyOf(inside, "/work/ws/a"),
    'To allow it, write read: ["${WORKSPACE}/a"] under permissions: of server "s" in /work/ws/mcp.json.',
  );
  const pack = { kind: "pack", where: "/home/u/packs/p/persona.md" } as const;
  const context = testContext({ files: { "/home/u/packs/p": "/" } }, { pack: "/home/u/packs/p" });
  const { grant: foreign } = await testGrant({ origin: pack, permissions }, context);
  assertEquals(
    remedyOf(foreign),
    "The grants of /home/u/packs/p/persona.md are limited to the workspace until they are accepted, " +
      "since that pack does not ship with skep.",
  );
});

Deno.test("explainDenial() names few entries of a long list, and lets no value break out of its quotes", async () => {
  const { grant } = await testGrant(
    {
      origin: SOURCE,
      permissions: { read: ["/a", "/b", "/c", "/d", "/e", "/f"] },
    },
    testContext(),
    { ownFiles: ["/own"] },
  );
  const denial = { server: "s", access: "read", value: '/x"\n\u001b[2J', isCertain: true };
  const text = explainDenial(denial, grant);
  assertEquals(text.includes('Its read list: "/a", "/b", "/c", "/d" and 2 more.'), true);
  assertEquals(text.includes("\n") || text.includes("\u001b"), false);
});
