import { assertEquals } from "@std/assert";
import { netPlace, parseAccess } from "./parse_access.ts";
import { grantYaml, proposeGrant, type Trial } from "./propose_grant.ts";

function trial(accesses: [access: string, value: string][], more: Partial<Trial> = {}): Trial {
  return {
    accesses: accesses.map(([access, value]) => ({ access: access as "read", value, at: "" })),
    programs: [],
    hosts: [],
    variables: ["FOO"],
    known: ["PATH", "FOO"],
    workspace: "/w",
    tmp: "/p/tmp",
    home: "/p/home",
    ownFiles: ["/own", "/deno"],
    folders: new Set(["/w/made"]),
    existing: new Set(["/etc/hosts", "/n", "/n/there"]),
    made: new Set(),
    problemOf: (path) => path === "/keys" ? "it holds keys" : undefined,
    ...more,
  };
}

Deno.test("parseAccess() reads what Deno records, and takes nothing else for it", () => {
  const line = '{"v":1,"datetime":"2026-01-02T03:04:05Z","permission":"read","value":"/a"}';
  assertEquals(parseAccess(line), { access: "read", value: "/a", at: "2026-01-02T03:04:05Z" });
  assertEquals(parseAccess(line.replace('"/a"', "null"))?.value, "*");
  for (
    const other of [
      "",
      line.slice(0, -9),
      "[]",
      line.replace('"v":1', '"v":2'),
      line.replace('"read"', '"raed"'),
      line.replace('"/a"', "1"),
    ]
  ) assertEquals(parseAccess(other), undefined, other);
});

Deno.test("netPlace() takes the host and port out of an address", () => {
  assertEquals(
    ["https://a.example/x?y", "http://a.example", "http://a.example:8/", "a.example:9", "unix:/s"]
      .map(netPlace),
    ["a.example:443", "a.example:80", "a.example:8", "a.example:9", "unix:/s"],
  );
});

Deno.test("proposeGrant() names folders of the workspace, and elsewhere the very paths", () => {
  const { permissions, leftOut } = proposeGrant(trial([
    ["read", "docs/a.txt"],
    ["read", "/etc/hosts"],
    ["read", "/etc/none"],
    ["write", "made"],
    ["write", "/w/made/b"],
    ["write", "/p/tmp/x"],
    ["read", "/p/tmp/x"],
    ["write", "/p/home/.cache"],
    ["read", "/own/server.ts"],
    ["read", "/deno/gen/x"],
    ["read", "/proc/self/stat"],
  ]));
  assertEquals(permissions, {
    read: ["${WORKSPACE}/docs", "/etc/hosts"],
    write: ["${HOME}", "${TMP}", "${WORKSPACE}/made"],
  });
  assertEquals(leftOut, [
    "read /etc/none: it is not there",
    "read /proc/self/stat: no grant has that",
  ]);
});

Deno.test("proposeGrant() has what may be written not twice, and the top of the workspace as a whole", () => {
  const { permissions } = proposeGrant(trial([["write", "a"], ["read", "b/c"], ["read", "."]]));
  assertEquals(permissions, { write: ["${WORKSPACE}"] });
});

Deno.test("proposeGrant() names the folder of a file that is made or renamed over outside of the workspace", () => {
  const of = (...paths: string[]) =>
    proposeGrant(trial(paths.map((path) => ["write", path]))).permissions.write;
  assertEquals(of("/n/there"), ["/n/there"]);
  assertEquals(of("/n/there", "/n/there.tmp"), ["/n"]);
  assertEquals(of("/n"), ["/n"]);
  assertEquals(of("/tmp/new"), ["/tmp/new"]); // its own /tmp
});

Deno.test("proposeGrant() does not miss a file in a folder that may be written", () => {
  const accesses: [string, string][] = [["read", "/n/none"], ["write", "/n/none"]];
  assertEquals(proposeGrant(trial(accesses)), { permissions: { write: ["/n"] }, leftOut: [] });
});

Deno.test("proposeGrant() granted a folder that the run itself made, which is not there when a server starts", () => {
  const made = new Set(["/w/new", "/w/new/sub", "/w/made"]);
  const { permissions } = proposeGrant(
    trial([["write", "/w/new"], ["write", "/w/new/sub/f"]], { made, folders: new Set(["/w/new"]) }),
  );
  assertEquals(permissions, { write: ["${WORKSPACE}"] });
});

Deno.test("proposeGrant() leaves out what cannot be granted, and says why", () => {
  const { permissions, leftOut } = proposeGrant(trial([["read", "/keys"], ["write", "/keys/a"]], {
    existing: new Set(["/keys"]),
  }));
  assertEquals(permissions, {});
  assertEquals(leftOut, ["read /keys: it holds keys", "write /keys, for a: it holds keys"]);
});

Deno.test("proposeGrant() names hosts, programs, system information, and the variables that its entry sets", () => {
  const { permissions, leftOut } = proposeGrant(trial([
    ["net", "https://api.example/x"],
    ["net", "127.0.0.1:80"],
    ["env", "*"],
    ["env", "FOO"],
    ["env", "PATH"],
    ["env", "DEBUG"],
    ["sys", "hostname"],
    ["ffi", "/x.so"],
  ], { programs: ["git"] }));
  assertEquals(permissions, {
    net: ["api.example:443", "loopback:80"],
    run: ["git"],
    env: ["FOO"],
    sys: ["hostname"],
  });
  assertEquals(leftOut, [
    "native libraries: no grant holds what they do",
    "variables that it looks at and goes without: DEBUG",
  ]);
});

Deno.test("proposeGrant() names a service of this machine by the address that was opened, a server's own by loopback", () => {
  const accesses: [string, string][] = [["net", "127.0.0.1:5432"], ["net", "localhost:80"]];
  const { net } = proposeGrant(trial(accesses, { hosts: ["127.0.0.1:5432"] })).permissions;
  assertEquals(net, ["127.0.0.1:5432", "loopback:80"]);
  assertEquals(proposeGrant(trial([["net", "127.0.0.1:0"]])).permissions.net, ["loopback"]);
  const byName = trial([["net", "localhost:38999"]], { hosts: ["127.0.0.1:38999"] });
  assertEquals(proposeGrant(byName).permissions.net, ["127.0.0.1:38999"]);
});

Deno.test("grantYaml() is YAML in the shape of permissions", () => {
  assertEquals(grantYaml({}), "permissions: {}\n");
  assertEquals(
    grantYaml({ read: ["${WORKSPACE}", 'a"b'], run: ["git"] }),
    'permissions:\n  read: ["${WORKSPACE}", "a\\"b"]\n  run: ["git"]\n',
  );
});
