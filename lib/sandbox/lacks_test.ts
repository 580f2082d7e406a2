import { assertEquals } from "@std/assert";
import { lacks } from "./lacks.ts";
import { testContext } from "./test_world.ts";

const { host } = testContext({
  files: {
    "/data/there": "x",
    "/v/bin/server": "#!/v/bin/python\n",
    "/v/bin/python": "->/opt/py/bin/python3",
    "/opt/py/bin/python3": "binary",
    "/v/bin/shell": "#! /bin/sh -e\n",
    "/bin/sh": "binary",
    "/v/bin/program": "binary",
  },
});

function of(write: string[], net: string[], program?: string): Promise<string[]> {
  const entries = (values: string[]) => values.map((value) => ({ value, origin: "o" }));
  const mounts = ["/bin", "/v"].map((path) => ({ type: "read", path, isFolder: true }) as const);
  return lacks({ write: entries(write), net: entries(net) }, { mounts }, program, host);
}

Deno.test("lacks() tells of what is granted and is not there", async () => {
  assertEquals(await of(["/data/there", "/data/none"], ["example.org:443", "unix:/run/none"]), [
    "cannot write /data/none, which is not there: make it before the server starts",
    "cannot connect to /run/none, which is not there when the server starts",
  ]);
});

Deno.test("lacks() tells of the program that runs a script, where that cannot be seen", async () => {
  assertEquals(await of([], [], "/v/bin/server"), [
    'cannot see /opt/py/bin/python3, which runs it: add "/opt/py" to read: of its permissions',
  ]);
  assertEquals(await of([], [], "/v/bin/shell"), []);
  assertEquals(await of([], [], "/v/bin/program"), []);
});
