import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { flagPath, flags } from "./flags.ts";
import { taskFlags } from "./task_flags.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const TMP = "/tmp/skep-1/tmp";
const LINUX = { os: "linux" } as const;
const BASE =
  "PATH,TERM,LANG,LC_ALL,LC_CTYPE,LC_MESSAGES,TZ,SKEP_SHELL,HTTP_PROXY,HTTPS_PROXY,ALL_PROXY,NO_PROXY," +
  "http_proxy,https_proxy,all_proxy,no_proxy,SSL_CERT_FILE,SSL_CERT_DIR,NODE_EXTRA_CA_CERTS,HOME,TMPDIR,NO_COLOR";

Deno.test("flags() says every kind of entry, in order", async () => {
  const { grant } = await testGrant({
    env: { FOO: "1" },
    permissions: {
      read: ["${WORKSPACE}/src", "/data"],
      write: ["${WORKSPACE}/out"],
      net: ["example.com:443", "loopback:80"],
      run: ["bash"],
      env: ["BAR"],
      sys: ["hostname", "cpus"],
    },
  }, testContext({}, { sandbox: "off" }));
  assertEquals(flags(grant, LINUX), [
    `--allow-read=./src,/data,./out,${TMP}`,
    `--allow-write=./out,${TMP}`,
    "--allow-net=example.com:443,127.0.0.1:80,[::1]:80,localhost:80",
    "--allow-run=/usr/bin/bash",
    "--allow-sys=hostname,cpus",
    `--allow-env=${BASE},FOO,BAR`,
    "--ignore-env",
  ]);
});

Deno.test("flags() of empty lists has no flag for them (T61)", async () => {
  const { grant } = await testGrant({ permissions: { net: [], run: [], read: [], write: [] } });
  assertEquals(flags({ ...grant, read: [], write: [], env: [] }, LINUX), ["--ignore-env"]);
});

Deno.test("flags() hides refused files where it is told to", async () => {
  const { grant } = await testGrant({ permissions: {} });
  assertEquals(flags(grant, { os: "linux", hidesRefusedFiles: true }).at(-1), "--ignore-read");
});

Deno.test("flags() gives a unix socket its path to read and write", async () => {
  const { grant } = await testGrant({ permissions: { net: ["unix:/run/x.sock"] } });
  assertEquals(flags(grant, LINUX).slice(0, 3), [
    `--allow-read=${TMP},/run/x.sock`,
    `--allow-write=${TMP},/run/x.sock`,
    "--allow-net=unix:/run/x.sock",
  ]);
});

for (const name of ["x,/etc", "a -A", "b --allow-run", "a b", "ü", "$(id)"]) {
  Deno.test(`flags() names a workspace ${JSON.stringify(name)} by a dot`, async () => {
    const workspace = `/work/${name}`;
    const context = testContext({ files: { [workspace]: "/" } }, { workspace });
    const { grant } = await testGrant({ permissions: { read: ["${WORKSPACE}"] } }, context);
    assertEquals(flags(grant, LINUX)[0], `--allow-read=.,${TMP}`);
  });
}

Deno.test("flags() refuses a grant that no computation made", async () => {
  const { grant } = await testGrant({ permissions: {} });
  for (const value of ["/a,/etc", "/a\nb", "/a\0", "", "-x"]) {
    const read = [{ value, origin: "x" }];
    const error = assertThrows(() => flags({ ...grant, read }, LINUX), SkepError);
    assertEquals(error.code, "DEFECT");
  }
});

Deno.test("flagPath() is relative inside the workspace alone (T72)", () => {
  assertEquals(flagPath("/w", "/w", "linux"), ".");
  assertEquals(flagPath("/w/-A", "/w", "linux"), "./-A");
  assertEquals(flagPath("/wx", "/w", "linux"), "/wx");
  assertEquals(flagPath("C:\\a b\\c d", "c:\\A B", "windows"), "./c d");
  assertEquals(flagPath("D:\\x y", "C:\\a", "windows"), "D:\\x y");
});

Deno.test("taskFlags() writes folders as variables in quotes, and programs by name", async () => {
  const { grant } = await testGrant({
    command: "skep",
    args: ["mcp", "dev"],
  }, testContext({}, { sandbox: "off" }));
  assertEquals(taskFlags(grant, LINUX), [
    '"--allow-read=$INIT_CWD,$SKEP_HOME,$SKEP_TMP"',
    '"--allow-write=$INIT_CWD,$SKEP_TMP,$SKEP_HOME"',
    "--allow-run=bash",
    `--allow-env=${BASE}`,
    "--ignore-env",
  ]);
  const { grant: sub } = await testGrant({ permissions: { read: ["${WORKSPACE}/src", "/data"] } });
  assertEquals(
    taskFlags(sub, LINUX)[0],
    '"--allow-read=$INIT_CWD/src,/data,$SKEP_TMP"',
  );
});
