import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const SCRIPT = { command: "deno", args: ["run", "server.ts"] };

Deno.test("makeEnvironment() is the table and nothing else of the runtime's", async () => {
  const context = testContext({
    env: {
      TERM: "xterm",
      LC_ALL: "",
      https_proxy: "http://proxy:1",
      HTTPS_PROXY: "http://proxy:2",
      SSL_CERT_DIR: "/etc/ssl/certs",
      NODE_OPTIONS: "--import x",
      LD_PRELOAD: "x.so",
      DENO_AUTH_TOKENS: "x",
      DENO_DIR: "/home/u/.cache/deno",
      SSH_AUTH_SOCK: "/tmp/ssh/agent",
      EDITOR: "vi",
      ANTHROPIC_API_KEY: "sk-12345678",
    },
  });
  const { environment } = await testGrant(SCRIPT, context);
  assertEquals(environment.values, {
    PATH: "/usr/bin",
    TERM: "xterm",
    LANG: "C.UTF-8",
    HTTPS_PROXY: "http://proxy:2",
    https_proxy: "http://proxy:1",
    SSL_CERT_DIR: "/etc/ssl/certs",
    HOME: "/tmp/skep-1/home",
    TMPDIR: "/tmp/skep-1/tmp",
    NO_COLOR: "1",
    DENO_DIR: "/home/u/.cache/deno",
    DENO_NO_PACKAGE_JSON: "1",
    DENO_NO_UPDATE_CHECK: "1",
  });
  assertEquals(environment.cut, []);
});

Deno.test("makeEnvironment() passes the proxy and TLS variables, and no identity (9.8 env allowlist: proxy, TLS, BUZZ_AUTH_TAG)", async () => {
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];
  const names = [
    ...proxies.flatMap((name) => [name, name.toLowerCase()]),
    ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ];
  const env = Object.fromEntries(names.map((name) => [name, `http://${name}.test`]));
  const context = testContext({ env: { ...env, BUZZ_AUTH_TAG: "tag-of-the-identity" } });
  const { values } = (await testGrant(SCRIPT, context)).environment;
  assertEquals(names.filter((name) => values[name] !== env[name]), []);
  assertEquals(values.BUZZ_AUTH_TAG, undefined);
});

Deno.test("makeEnvironment() tells a native program nothing of Deno", async () => {
  const { environment } = await testGrant();
  assertEquals(Object.keys(environment.values), ["PATH", "LANG", "HOME", "TMPDIR", "NO_COLOR"]);
});

Deno.test("makeEnvironment() passes what a spec sets exactly (T88)", async () => {
  const env = { FOO: "1", EMPTY: "", ODD: " a,b\n$HOME ü ", PATH: "/own", HOME: "/own" };
  const { grant, environment } = await testGrant({ ...SCRIPT, env });
  for (const [name, value] of Object.entries(env)) assertEquals(environment.values[name], value);
  assertEquals(grant.env.filter(({ value }) => value === "PATH").length, 1);
});

Deno.test("makeEnvironment() passes Windows what programs need there (T88, 9.8 Windows keys)", async () => {
  const env = {
    SystemRoot: "C:\\Windows",
    USERPROFILE: "C:\\u",
    PATH: "C:\\bin;rel",
    APPDATA: "C:\\a",
  };
  const { environment } = await testGrant(
    { permissions: {}, env: { FOO: "1" } },
    testContext({ os: "windows", env }),
    { tmp: "C:\\t\\tmp", home: "C:\\t\\home" },
  );
  const { values } = environment;
  assertEquals(values.SystemRoot, "C:\\Windows");
  assertEquals(values.PATH, "C:\\bin");
  assertEquals([values.USERPROFILE, values.APPDATA], ["C:\\t\\home", "C:\\t\\home"]);
  assertEquals([values.TEMP, values.TMP, values.FOO], ["C:\\t\\tmp", "C:\\t\\tmp", "1"]);
});

Deno.test("makeEnvironment() cuts keys, by name and by value, and starts without them (T86)", async () => {
  const context = testContext({
    env: { BUZZ_PRIVATE_KEY: "nsec1qqqqqq", GH_TOKEN: "nsec1qqqqqq" },
  });
  const { grant, environment } = await testGrant({
    env: { BUZZ_PRIVATE_KEY: "other", MINE: "key=nsec1qqqqqq", FOO: "1" },
    permissions: {
      env: ["OPENAI_API_KEY", "BAR"],
      secrets: { TOKEN: "env:GH_TOKEN", OTHER: "env:ANTHROPIC_API_KEY" },
    },
  }, context);
  assertEquals(grant.cut.map(({ list, value }) => `${list} ${value}`), [
    "env BUZZ_PRIVATE_KEY",
    "env MINE",
    "env OPENAI_API_KEY",
    "secrets OTHER",
    "secrets TOKEN",
  ]);
  assertEquals(grant.env.slice(-2).map(({ value }) => value), ["FOO", "BAR"]);
  assertEquals(JSON.stringify([grant, environment]).includes("nsec1qqqqqq"), false);
});

Deno.test("makeEnvironment() passes a key that the operator wants passed, and tells where that is from", async () => {
  const env = { BUZZ_PRIVATE_KEY: "nsec1x", ANTHROPIC_API_KEY: "sk-12345678" };
  const spec = { ...SCRIPT, env, passedKeys: ["BUZZ_PRIVATE_KEY"] };
  const { grant, environment } = await testGrant(spec);
  assertEquals(environment.values.BUZZ_PRIVATE_KEY, "nsec1x");
  assertEquals(environment.values.ANTHROPIC_API_KEY, undefined);
  assertEquals(
    grant.env.filter(({ origin }) => origin === "SKEP_PASS_KEYS").map(({ value }) => value),
    ["BUZZ_PRIVATE_KEY"],
  );
});

Deno.test("makeEnvironment() cuts what would load code into Deno or change its permissions", async () => {
  const env = {
    DENO_PERMISSION_BROKER_PATH: "/tmp/x",
    DENO_V8_FLAGS: "--x",
    NODE_OPTIONS: "--import x",
    LD_PRELOAD: "x.so",
    deno_dir: "/x",
  };
  const { grant, environment } = await testGrant({ ...SCRIPT, env });
  assertEquals(grant.cut.map(({ value }) => value), Object.keys(env));
  assertEquals(environment.values.DENO_DIR, "/home/u/.cache/deno");
  const native = await testGrant({ env: { NODE_OPTIONS: "--max-old-space-size=1" } });
  assertEquals(native.environment.values.NODE_OPTIONS, "--max-old-space-size=1");
});

Deno.test("makeEnvironment() refuses a name that is none, and a value with a NUL", async () => {
  for (const env of [{ "A,B": "1" }, { "A*": "1" }, { "A=B": "1" }, { A: "x\0y" }]) {
    const error = await assertRejects(() => testGrant({ env }), SkepError);
    assertEquals(error.code, "GRANT_INVALID");
  }
});

Deno.test("resolveSecrets() reads an environment variable and a file", async () => {
  const context = testContext({ env: { GH_TOKEN: "t0ken" }, files: { "/run/pw": "p w\n" } });
  const { grant, environment } = await testGrant({
    permissions: { secrets: { TOKEN: "env:GH_TOKEN", PW: "file:/run/pw" } },
  }, context);
  assertEquals([environment.values.TOKEN, environment.values.PW], ["t0ken", "p w"]);
  assertEquals(environment.values.GH_TOKEN, undefined);
  assertEquals(grant.secrets, [
    { value: "TOKEN", origin: "--mcp", from: "env:GH_TOKEN" },
    { value: "PW", origin: "--mcp", from: "file:/run/pw" },
  ]);
  assertEquals(grant.env.slice(-2).map(({ value }) => value), ["TOKEN", "PW"]);
});

Deno.test("resolveSecrets() names a reference that holds nothing (T93)", async () => {
  const context = testContext({ env: { EMPTY: "" }, files: { "/run/blank": " \n" } });
  for (const source of ["env:MISSING", "env:EMPTY", "file:/run/blank", "file:/run/missing"]) {
    const error = await assertRejects(
      () => testGrant({ permissions: { secrets: { TOKEN: source } } }, context),
      SkepError,
      source,
    );
    assertEquals(error.code, "GRANT_INVALID");
    assertEquals((error.details as { entry: string }).entry, "secrets.TOKEN");
  }
});

Deno.test("resolveSecrets() cuts a file that is never granted", async () => {
  const context = testContext({ files: { "/home/u/.ssh/id": "key" } });
  const { grant } = await testGrant({
    permissions: { secrets: { TOKEN: "file:/home/u/.ssh/id" } },
  }, context);
  assertEquals(grant.cut, [{
    list: "secrets",
    value: "TOKEN",
    reason: "/home/u/.ssh is never granted: it holds SSH keys",
  }]);
});
