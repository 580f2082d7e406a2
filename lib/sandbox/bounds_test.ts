import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Entry, Grant } from "./grant.ts";
import { parsePolicy } from "./policy.ts";
import type { ServerSpec } from "./spec.ts";
import { testGrant } from "./test_grant.ts";
import { testContext, type TestWorld } from "./test_world.ts";

const TMP = "/tmp/skep-1/tmp";
const FILE = "/home/u/policy.yaml";
const values = (entries: readonly Entry[]) => entries.map(({ value }) => value);
const cuts = ({ cut }: Grant) =>
  cut.map(({ list, value, reason }) => `${list} ${value}: ${reason}`);

/** The grant of a spec under a policy. */
async function bounded(
  policy: string,
  spec: Partial<ServerSpec>,
  world: TestWorld = {},
): Promise<Grant> {
  const context = testContext(world, {
    sandbox: "off",
    policy: parsePolicy(policy, FILE, "linux"),
  });
  return (await testGrant(spec, context)).grant;
}

Deno.test("a ceiling cuts paths to what lies in it, and says which policy did", async () => {
  const grant = await bounded('permissions: { read: ["${WORKSPACE}/src", /data] }', {
    permissions: { read: ["${WORKSPACE}", "/data/sub", "/etc"] },
  });
  assertEquals(grant.read, [
    { value: "/work/ws/src", origin: `policy ${FILE}` },
    { value: "/data/sub", origin: "--mcp" },
    { value: TMP, origin: "private folder" },
  ]);
  assertEquals(cuts(grant), [
    `read /work/ws: policy ${FILE} allows /work/ws/src of it`,
    `read /etc: policy ${FILE} does not allow it`,
  ]);
});

Deno.test("a ceiling on reading holds for what may be written, since that may be read", async () => {
  const grant = await bounded('permissions: { read: ["${WORKSPACE}"] }', {
    permissions: { write: ["${WORKSPACE}/out", "/data"] },
  });
  assertEquals(values(grant.write), ["/work/ws/out", TMP]);
  assertEquals(values(grant.read), ["/work/ws/out", TMP]);
});

Deno.test("a ceiling on writing leaves reading alone, and allows to read what it lists", async () => {
  const grant = await bounded('permissions: { read: [], write: ["/data"] }', {
    permissions: { read: ["/data", "/other"], write: ["/data", "/other"] },
  });
  assertEquals(values(grant.write), ["/data", TMP]);
  assertEquals(values(grant.read), ["/data", TMP]);
  const open = await bounded("permissions: { write: [] }", {
    permissions: { read: ["/other"], write: ["/data"] },
  });
  assertEquals([values(open.read), values(open.write)], [["/other", TMP], [TMP]]);
});

Deno.test("a ceiling follows links, and never takes a server's private folders", async () => {
  const world = { files: { "/link": "->/data", "/data/f": "x" } };
  const spec = { permissions: { read: ["/data", "${HOME}"], write: ["${TMP}"] } };
  const grant = await bounded("permissions: { read: [/link], write: [] }", spec, world);
  assertEquals(values(grant.read), ["/data", "/tmp/skep-1/home", TMP]);
  assertEquals(grant.cut, []);
});

Deno.test("a ceiling cuts hosts, programs, variables, facts and secrets", async () => {
  const policy = `permissions:
  net: ["*.example.org:443"]
  run: [git, /usr/bin/make]
  env: [FOO]
  sys: [hostname]
  secrets: { ANY: "env:GH_TOKEN" }
`;
  const grant = await bounded(policy, {
    env: { FOO: "1", BAR: "2" },
    permissions: {
      net: ["example.org", "evil.org"],
      run: ["bash", "git", "make"],
      env: ["BAZ"],
      sys: ["hostname", "cpus"],
      secrets: { TOKEN: "env:GH_TOKEN", OTHER: "env:OTHER" },
    },
  }, {
    files: { "/usr/bin/make": "#!", "/bin": "->/usr/bin" },
    env: { GH_TOKEN: "t0ken", OTHER: "x" },
  });
  assertEquals(grant.net, [{ value: "example.org:443", origin: `policy ${FILE}` }]);
  assertEquals(values(grant.run), ["/usr/bin/git", "/usr/bin/make"]);
  assertEquals(values(grant.env).slice(-2), ["FOO", "TOKEN"]);
  assertEquals(values(grant.sys), ["hostname"]);
  assertEquals(values(grant.secrets), ["TOKEN"]);
  assertEquals(cuts(grant).map((text) => text.replace(`policy ${FILE}`, "P")), [
    "net example.org: P allows example.org:443 of it",
    "net evil.org: P does not allow it",
    "run /usr/bin/bash: P does not allow it",
    "sys cpus: P does not allow it",
    "env BAR: P does not allow it",
    "env BAZ: P does not allow it",
    "secrets OTHER: P does not allow env:OTHER",
  ]);
});

Deno.test("a ceiling on programs tells the names of one file apart", async () => {
  const files = { "/usr/bin/busybox": "#!", "/usr/bin/ls": "->/usr/bin/busybox" };
  const grant = await bounded("permissions: { run: [ls] }", {
    permissions: { run: ["busybox", "ls"] },
  }, { files });
  assertEquals(values(grant.run), ["/usr/bin/ls"]);
});

Deno.test("an empty ceiling allows nothing of its kind, an absent one everything (T61)", async () => {
  const spec = {
    permissions: { read: ["/data"], net: ["example.org"], run: ["bash"], sys: ["cpus"] },
  };
  const none = await bounded("permissions: { read: [], net: [], run: [], sys: [] }", spec);
  assertEquals([values(none.read), none.net, none.run, none.sys], [[TMP], [], [], []]);
  const all = await bounded("permissions: {}", spec);
  assertEquals(all.cut, []);
});

Deno.test("a server's own ceiling holds besides that of all, by its name and by its package", async () => {
  const policy = `
permissions: { read: [/a, /b] }
servers:
  s: { permissions: { read: [/b, /c] } }
  "npm:pkg": { permissions: { read: [] } }
`;
  const spec = { permissions: { read: ["/a", "/b", "/c"] } };
  assertEquals(values((await bounded(policy, spec)).read), ["/b", TMP]);
  assertEquals(values((await bounded(policy, { ...spec, name: "other" })).read), ["/a", "/b", TMP]);
  const npm = { ...spec, name: "other", command: "npx", args: ["-y", "pkg"] };
  assertEquals(values((await bounded(policy, npm)).read), [TMP]);
});

Deno.test("a ceiling never widens: what nobody asks for is not granted", async () => {
  const grant = await bounded('permissions: { read: [/data], net: ["example.org"] }', {
    permissions: {},
  });
  assertEquals([values(grant.read), grant.net], [[TMP], []]);
});

Deno.test("a profile of the policy stands for a server that declares nothing, and for no other", async () => {
  const policy = `
servers:
  s: { profile: { read: [/data], limits: { memory_mb: 100 } } }
  "npm:@modelcontextprotocol/server-everything": { profile: { sys: [cpus] } }
`;
  const silent = await bounded(policy, {});
  assertEquals(silent.read[0], { value: "/data", origin: `policy ${FILE}` });
  assertEquals(silent.limits, { memory_mb: 100 });
  const speaking = await bounded(policy, { permissions: { read: ["/other"] } });
  assertEquals(values(speaking.read), ["/other", TMP]);
  const npm = await bounded(policy, {
    name: "any",
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-everything"],
  });
  assertEquals(npm.sys, [{ value: "cpus", origin: `policy ${FILE}` }]);
});

Deno.test("a profile of the policy is no way past the ceiling of a client's server", async () => {
  const policy = 'servers: { s: { profile: { read: [/data], net: ["example.org"] } } }';
  const grant = await bounded(policy, { origin: { kind: "client", where: "session/new" } });
  assertEquals([values(grant.read), grant.net], [[TMP], []]);
});

Deno.test("a ceiling that names the pack says nothing of a server that comes from none", async () => {
  const policy = parsePolicy('permissions: { read: ["${PACK}", /data] }', FILE, "linux");
  const { pack: _none, ...context } = testContext({}, { policy });
  const { grant } = await testGrant({ permissions: { read: ["/data"] } }, context);
  assertEquals(values(grant.read), ["/data", TMP]);
});

Deno.test("a secret that the policy does not allow is not even read", async () => {
  const spec = { permissions: { secrets: { TOKEN: "env:MISSING" } } };
  await assertRejects(() => bounded("permissions: {}", spec), SkepError, "env:MISSING");
  const grant = await bounded("permissions: { secrets: {} }", spec);
  assertEquals(cuts(grant), [`secrets TOKEN: policy ${FILE} does not allow env:MISSING`]);
});

Deno.test("a policy's ceiling was lost with the name that its server was configured under", async () => {
  const policy = "servers: { a__b: { permissions: { net: [] }, profile: { read: [/data] } } }";
  const spec = { name: "a_b", configuredName: "a__b", permissions: { net: ["example.org"] } };
  assertEquals(values((await bounded(policy, spec)).net), []);
  // The profile would add to what it asks for: that goes by the listed name alone.
  const bare = await bounded(policy, { name: "a_b", configuredName: "a__b" });
  assertEquals(values(bare.read).includes("/data"), false);
});
