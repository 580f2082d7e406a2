import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Entry, Grant } from "./grant.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const TMP = "/tmp/skep-1/tmp";
const CLIENT = { kind: "client", where: "session/new" } as const;
const values = (entries: readonly Entry[]) => entries.map(({ value }) => value);
const cuts = ({ cut }: Grant) => cut.map(({ list, value }) => `${list} ${value}`);

Deno.test("computeGrant() without permissions is the default grant", async () => {
  const { grant } = await testGrant();
  assertEquals(grant.read, [
    { value: "/work/ws", origin: "default grant" },
    { value: TMP, origin: "default grant" },
  ]);
  assertEquals(grant.write, [{ value: TMP, origin: "default grant" }]);
  assertEquals([grant.net, grant.run, grant.sys, grant.secrets, grant.cut], [[], [], [], [], []]);
});

Deno.test("computeGrant() gives the private folder to a server that asks for nothing, and no more (T61)", async () => {
  for (const permissions of [{}, { read: [], write: [], net: [], run: [], env: [], sys: [] }]) {
    const { grant } = await testGrant({ permissions });
    assertEquals(grant.read, [{ value: TMP, origin: "private folder" }]);
    assertEquals(grant.write, [{ value: TMP, origin: "private folder" }]);
    assertEquals([grant.net, grant.run, grant.sys], [[], [], []]);
  }
});

Deno.test("computeGrant() keeps where each entry came from", async () => {
  const { grant } = await testGrant({
    origin: { kind: "pack", where: "/skep/personas/guide/guide.persona.md" },
    permissions: { read: ["/data"], net: ["example.com"] },
    env: { FOO: "1" },
  });
  const origin = "pack /skep/personas/guide/guide.persona.md";
  assertEquals(grant.read[0], { value: "/data", origin });
  assertEquals(grant.net, [{ value: "example.com", origin }]);
  assertEquals(grant.env.at(-1), { value: "FOO", origin: `${origin}, env` });
});

Deno.test("computeGrant() lets what may be written be read, and not the other way", async () => {
  const { grant } = await testGrant({ permissions: { read: ["/r"], write: ["/w"] } });
  assertEquals(values(grant.read), ["/r", "/w", TMP]);
  assertEquals(values(grant.write), ["/w", TMP]);
});

Deno.test("computeGrant() drops a path that lies in another one, and keeps the wider origin", async () => {
  const { grant } = await testGrant(
    {
      permissions: { read: ["/data/sub", "/data", "/data", "/database"], write: ["/data/deep/er"] },
    },
    testContext(),
    { ownFiles: ["/data/own", "/own"] },
  );
  assertEquals(values(grant.read), ["/data", "/database", TMP, "/own"]);
  assertEquals(grant.read[3]?.origin, "own files");
});

Deno.test("computeGrant() replaces variables and resolves links before it decides", async () => {
  const context = testContext({ files: { "/work/ws/out": "->/data", "/data/f": "x" } });
  const { grant } = await testGrant({
    permissions: { read: ["${WORKSPACE}/out", "${PACK}", "${HOME}"], write: ["${TMP}/sub"] },
  }, context);
  assertEquals(values(grant.read), ["/data", "/skep/personas/guide", "/tmp/skep-1/home", TMP]);
});

Deno.test("computeGrant() refuses a path that is malformed, naming it", async () => {
  const bad: [string, string][] = [
    ["data", "absolute"],
    ["-A", "absolute"],
    ["", "absolute"],
    ["~/x", "absolute"],
    ["/a,b", "comma"],
    ["/a\nb", "line break"],
    ["/a\0b", "NUL"],
    ["/a/*", "no pattern"],
    ["${WORKSPACE}/a,b", "comma"],
    ["${NOPE}", "${NOPE} is none of"],
  ];
  for (const [path, why] of bad) {
    for (const list of ["read", "write"] as const) {
      const error = await assertRejects(
        () => testGrant({ permissions: { [list]: [path] } }),
        SkepError,
        why,
      );
      assertEquals(error.details, { server: "s", entry: list, value: path });
      assertEquals(error.code, "GRANT_INVALID");
    }
  }
});

for (const name of ["x,/etc", "a -A", "b --allow-run", "a b", "ü", "$(id)", "-A", "a\nb"]) {
  Deno.test(`computeGrant() takes a workspace named ${JSON.stringify(name)} as it is`, async () => {
    const workspace = `/work/${name}`;
    const context = testContext({ files: { [workspace]: "/" } }, { workspace });
    const { grant } = await testGrant({ permissions: { write: ["${WORKSPACE}"] } }, context);
    assertEquals(values(grant.write), [workspace, TMP]);
  });
}

Deno.test("computeGrant() cuts what is never granted, with the reason", async () => {
  const { grant } = await testGrant({
    permissions: {
      read: ["/home/u/.ssh", "/home/u/.aws/credentials", "/home/u/.config/skep/keys", "/data"],
      write: ["/home/u/.cache/deno/npm"],
    },
  });
  assertEquals(values(grant.read), ["/data", TMP]);
  assertEquals(grant.cut, [
    {
      list: "write",
      value: "/home/u/.cache/deno/npm",
      reason: "no server may write /home/u/.cache/deno: it holds programs that skep runs",
    },
    {
      list: "read",
      value: "/home/u/.ssh",
      reason: "/home/u/.ssh is never granted: it holds SSH keys",
    },
    {
      list: "read",
      value: "/home/u/.aws/credentials",
      reason: "/home/u/.aws is never granted: it holds AWS credentials",
    },
    {
      list: "read",
      value: "/home/u/.config/skep/keys",
      reason: "/home/u/.config/skep is never granted: it holds skep's settings and keys",
    },
  ]);
});

Deno.test("computeGrant() cuts a link that leads to what is never granted", async () => {
  const context = testContext({
    files: { "/work/ws/keys": "->/home/u/.ssh", "/home/u/.ssh/id": "key" },
  });
  const { grant } = await testGrant({ permissions: { read: ["${WORKSPACE}/keys"] } }, context);
  assertEquals(cuts(grant), ["read ${WORKSPACE}/keys"]);
});

Deno.test("computeGrant() refuses a folder that holds what is never granted", async () => {
  for (const folder of ["/home", "/home/u", "/home/u/.config", "/tmp"]) {
    const error = await assertRejects(
      () => testGrant({ permissions: { read: [folder] } }),
      SkepError,
      "lies in it, which is never granted",
    );
    assertEquals(error.code, "GRANT_INVALID", folder);
    assertEquals(error.message.includes("--cwd"), false);
  }
  await assertRejects(
    () => testGrant({ permissions: { read: ["/"] } }),
    SkepError,
    'Cannot grant read "/" to server "s": it is the whole file system',
  );
});

Deno.test("computeGrant() grants such a folder where what is never granted can be hidden in it", async () => {
  const permissions = { read: ["/home"], write: ["/home/u"] };
  for (const backend of ["bwrap", "unshare", "seatbelt"] as const) {
    const { grant } = await testGrant({ permissions }, testContext(), {}, backend);
    assertEquals(values(grant.read), ["/home", TMP]);
    assertEquals(values(grant.write), ["/home/u", TMP]);
  }
  for (const backend of ["landlock", undefined] as const) {
    await assertRejects(() => testGrant({ permissions }, testContext(), {}, backend), SkepError);
  }
  for (const folder of ["/", "/tmp"]) {
    const whole = { read: [folder] };
    await assertRejects(
      () => testGrant({ permissions: whole }, testContext(), {}, "bwrap"),
      SkepError,
    );
  }
});

Deno.test("computeGrant() names --cwd when the workspace itself holds what is never granted", async () => {
  const context = testContext({}, { workspace: "/home/u" });
  await assertRejects(
    () => testGrant({}, context),
    SkepError,
    "Choose a smaller workspace with --cwd",
  );
  const { grant } = await testGrant({ permissions: { read: [] } }, context);
  assertEquals(values(grant.read), [TMP]);
});

Deno.test("computeGrant() gives a client's server the workspace at most", async () => {
  const { grant } = await testGrant({
    origin: CLIENT,
    permissions: {
      read: ["${WORKSPACE}", "/data", "/"],
      write: ["${WORKSPACE}/out"],
      net: ["example.com", "unix:/run/x.sock"],
      run: ["bash"],
      sys: ["hostname"],
      secrets: { TOKEN: "env:GH_TOKEN" },
    },
  }, testContext({ env: { GH_TOKEN: "t" } }, { sandbox: "off" }));
  assertEquals(values(grant.read), ["/work/ws", TMP]);
  assertEquals(values(grant.write), ["/work/ws/out", TMP]);
  assertEquals([grant.net, grant.run, grant.sys, grant.secrets], [[], [], [], []]);
  assertEquals(cuts(grant), [
    "read /data",
    "read /",
    "net example.com",
    "net unix:/run/x.sock",
    "run bash",
    "sys hostname",
    "secrets TOKEN",
  ]);
});

Deno.test("computeGrant() gives a file of the workspace, and a pack that is not ours, no more", async () => {
  const permissions = { read: ["/data"], net: ["example.com"] };
  const limited = [
    await testGrant({ permissions, origin: { kind: "file", where: "/work/ws/mcp.json" } }),
    await testGrant(
      { permissions, origin: { kind: "pack", where: "/other/pack/a.persona.md" } },
      testContext({}, { pack: "/other/pack" }),
    ),
  ];
  for (const { grant } of limited) assertEquals(cuts(grant), ["read /data", "net example.com"]);
  const { grant } = await testGrant({
    permissions,
    origin: { kind: "file", where: "/home/u/mcp.json" },
  });
  assertEquals(cuts(grant), []);
});

Deno.test("computeGrant() lets a pack read itself, whoever made it", async () => {
  const permissions = { read: ["${PACK}"], write: ["${PACK}/x"] };
  const context = testContext({}, { pack: "/other/pack" });
  const own = await testGrant({ permissions, origin: { kind: "pack", where: "x" } }, context);
  assertEquals(values(own.grant.read), ["/other/pack", TMP]);
  assertEquals(cuts(own.grant), ["write ${PACK}/x"]);
  const other = await testGrant({ permissions, origin: CLIENT }, context);
  assertEquals(values(other.grant.read), [TMP]);
});

Deno.test("computeGrant() cuts programs while nothing holds them", async () => {
  const { grant } = await testGrant({ permissions: { run: ["bash"] } });
  assertEquals(grant.run, []);
  assertEquals(grant.sandbox, "prefer");
  assertEquals(cuts(grant), ["run bash"]);
});

Deno.test("computeGrant() grants programs by their absolute path when the sandbox is off", async () => {
  const { grant } = await testGrant({
    permissions: { write: ["${WORKSPACE}"], run: ["bash", "/usr/bin/git", "bash", "nope"] },
  }, testContext({}, { sandbox: "off" }));
  assertEquals(values(grant.run), ["/usr/bin/bash", "/usr/bin/git"]);
  assertEquals(grant.cut, [
    { list: "run", value: "nope", reason: "there is no such program on PATH" },
  ]);
  assertEquals(grant.sandbox, "off");
});

Deno.test("computeGrant() grants Deno where something confines it, and refuses it where only flags would", async () => {
  const files = { "/usr/bin/deno2": "->/opt/deno", "/opt/deno": "#!" };
  const spec = { permissions: { run: ["deno2"] } };
  const { grant } = await testGrant(spec, testContext({ files }), {}, "bwrap");
  assertEquals(values(grant.run), ["/usr/bin/deno2"]);
  const error = await assertRejects(
    () => testGrant(spec, testContext({ files }, { sandbox: "off" })),
    SkepError,
    "nothing confines it here, and it starts programs that may do all",
  );
  assertEquals(error.code, "GRANT_INVALID");
});

Deno.test("computeGrant() refuses a program that the server may write, naming the folder (T68)", async () => {
  const files = { "/work/ws/tool": "#!", "/usr/bin/linked": "->/work/ws/tool" };
  for (const program of ["/work/ws/tool", "linked"]) {
    const error = await assertRejects(
      () =>
        testGrant(
          { permissions: { write: ["${WORKSPACE}"], run: [program] } },
          testContext({ files }),
          {},
          "bwrap",
        ),
      SkepError,
      "the server may write /work/ws, and so the program itself",
    );
    assertEquals(error.code, "GRANT_INVALID");
  }
  const { grant } = await testGrant(
    { permissions: { read: ["${WORKSPACE}"], run: ["/work/ws/tool"] } },
    testContext({ files }),
    {},
    "bwrap",
  );
  assertEquals(values(grant.run), ["/work/ws/tool"]);
});

Deno.test("computeGrant() takes no pattern for a path, program, host, name or fact (T63)", async () => {
  const patterns = [
    { read: ["/data/*"] },
    { write: ["${WORKSPACE}/*.md"] },
    { run: ["*"] },
    { net: ["*"] },
    { net: ["*.com"] },
    { env: ["AWS_*"] },
    { sys: ["*"] },
  ];
  for (const permissions of patterns) {
    const error = await assertRejects(
      () => testGrant({ permissions }, testContext({}, { sandbox: "off" })),
      SkepError,
    );
    assertEquals(error.code, "GRANT_INVALID", JSON.stringify(permissions));
  }
});

Deno.test("computeGrant() finds no program in a folder of PATH that the server may write (T68)", async () => {
  const context = testContext({
    files: { "/work/ws/bin/git": "#!" },
    env: { PATH: "/work/ws/bin:bin:/usr/bin" },
  }, { sandbox: "off" });
  const { grant, environment } = await testGrant({
    permissions: { write: ["${WORKSPACE}"], run: ["git"] },
  }, context);
  assertEquals(values(grant.run), ["/usr/bin/git"]);
  assertEquals(environment.values.PATH, "/usr/bin");
});

Deno.test("computeGrant() writes network entries in one form, each once", async () => {
  const { grant } = await testGrant({
    permissions: { net: ["Example.com", "example.com", "loopback", "unix:/run/x.sock"] },
  });
  assertEquals(values(grant.net), ["example.com", "loopback", "unix:/run/x.sock"]);
});

Deno.test("computeGrant() cuts a socket that is never granted", async () => {
  const context = testContext({ env: { SSH_AUTH_SOCK: "/tmp/ssh-1/agent" } });
  const { grant } = await testGrant({ permissions: { net: ["unix:/tmp/ssh-1/agent"] } }, context);
  assertEquals(cuts(grant), ["net unix:/tmp/ssh-1/agent"]);
});
