import { assertEquals } from "@std/assert";
import { lacks } from "./lacks.ts";
import type { Permissions } from "./spec.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const context = testContext({
  files: {
    "/tmp/skep-1/tmp/own": "x",
    "/data/there": "x",
    "/v/bin/server": "#!/v/bin/python\n",
    "/v/bin/python": "->/opt/py/bin/python3",
    "/opt/py/bin/python3": "binary",
    "/v/bin/shell": "#! /bin/sh -e\n",
    "/bin/sh": "binary",
    "/v/bin/program": "binary",
    "/hidden/pyvenv.cfg": "home = /usr/bin",
    "/hidden/bin/server": "#!/bin/sh",
  },
});

async function of(
  permissions: Permissions | undefined,
  program?: string,
  args: readonly string[] = [],
): Promise<string[]> {
  const { grant } = await testGrant(permissions === undefined ? {} : { permissions }, context);
  const mounts = ["/bin", "/v"].map((path) => ({ type: "read", path, isFolder: true }) as const);
  return await lacks(grant, { mounts }, program, context.host, args);
}

Deno.test("lacks() tells of what is granted and is not there", async () => {
  assertEquals(
    await of({ write: ["/data/there", "/data/none"], net: ["example.org:443", "unix:/run/none"] }),
    [
      "cannot write /data/none, which is not there: make it before the server starts",
      "cannot connect to /run/none, which is not there when the server starts",
    ],
  );
});

Deno.test("lacks() tells of the program that runs a script, where that cannot be seen", async () => {
  assertEquals(await of({}, "/v/bin/server"), [
    'cannot see /opt/py/bin/python3, which runs it: write read: ["/opt/py"] under permissions:',
  ]);
  assertEquals(await of({}, "/v/bin/shell"), []);
  assertEquals(await of({}, "/v/bin/program"), []);
});

Deno.test("lacks() tells of a virtual environment that its own program cannot see", async () => {
  assertEquals(await of({}, "/hidden/bin/server"), [
    'cannot see /hidden, where its packages lie: write read: ["/hidden"] under permissions:',
  ]);
  assertEquals(await of(undefined, "/hidden/bin/server"), [
    "cannot see /hidden, where its packages lie: write permissions: " +
    '{ read: ["${WORKSPACE}", "/hidden"], write: ["${TMP}"] }',
  ]);
});

Deno.test("a script out of its server's sight looked as if it could be started", async () => {
  assertEquals(await of({}, "/v/bin/program", ["/data/there", "/v/bin/server", "/no/such", "-u"]), [
    'cannot see /data/there, which its command names: write read: ["/data"] under permissions:',
  ]);
});
