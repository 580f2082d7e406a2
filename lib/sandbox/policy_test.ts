import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "../limits.ts";
import { SkepError } from "../errors.ts";
import { parsePolicy, readPolicy } from "./policy.ts";
import { memoryFiles } from "./test_world.ts";

const FILE = "/home/u/.config/skep/policy.yaml";
const WORLD = { platform: { os: "linux", arch: "x86_64" } } as const;
const parse = (text: string) => parsePolicy(text, FILE, "linux");

Deno.test("parsePolicy() reads every part", () => {
  const text = `
permissions:
  read: ["\${WORKSPACE}", /data]
  net: ["*.example.org", "loopback:8080"]
  run: []
  secrets: { TOKEN: "env:GH_TOKEN" }
  limits: { memory_mb: 512 }
servers:
  dev:
    permissions: { run: [bash], sandbox: require }
  "npm:@scope/server":
    profile: { net: ["api.example.org:443"] }
sandbox: { mode: prefer, backend: bwrap }
protect: [.git/hooks, "\${SKEP}", Makefile]
`;
  assertEquals(parse(text), {
    file: FILE,
    permissions: {
      read: ["${WORKSPACE}", "/data"],
      net: ["*.example.org", "loopback:8080"],
      run: [],
      secrets: { TOKEN: "env:GH_TOKEN" },
      limits: { memory_mb: 512 },
    },
    servers: {
      dev: { permissions: { run: ["bash"], sandbox: "require" } },
      "npm:@scope/server": { profile: { net: ["api.example.org:443"] } },
    },
    sandbox: { mode: "prefer", backend: "bwrap" },
    protect: [".git/hooks", "${SKEP}", "Makefile"],
  });
});

Deno.test("parsePolicy() takes an empty file, and keys with nothing after them, as limiting nothing", () => {
  const nothing = { file: FILE, permissions: {}, servers: {}, sandbox: {} };
  for (const text of ["", "# later\n", "permissions:\nservers:\nsandbox:\nprotect:\n"]) {
    assertEquals(parse(text), nothing);
  }
  assertEquals(parse("protect: []"), { ...nothing, protect: [] });
  assertEquals(parse("permissions: { net: [] }"), { ...nothing, permissions: { net: [] } });
});

Deno.test("parsePolicy() names the file, the key, the value and what was wanted", () => {
  const cases: [text: string, message: string][] = [
    ["- a", 'the file "[\\"a\\"]": it must be a mapping of names to values'],
    ["permission: {}", 'the file "permission": there is no such key; did you mean "permissions"?'],
    ["permissions: { raed: [] }", 'permissions "raed": there is no such key; did you mean "read"?'],
    ["permissions: { read: /etc }", 'permissions.read "/etc": it must be a list of texts'],
    ["permissions: { read: [etc] }", 'permissions.read "etc": a path is absolute'],
    ["permissions: { write: ['${HOEM}'] }", 'permissions.write "${HOEM}": ${HOEM} is none of'],
    ["permissions: { net: ['*.com'] }", 'permissions.net "*.com": a wildcard needs a domain'],
    ["permissions: { run: ['*'] }", 'permissions.run "*": programs are named one by one'],
    ["permissions: { env: ['AWS_*'] }", 'permissions.env "AWS_*": it holds a *'],
    ["permissions: { secrets: { A: x } }", 'permissions.secrets.A "x": it must be env:NAME'],
    ["permissions: { sys: [hostnam] }", 'permissions.sys "hostnam": Deno knows no such fact; did'],
    ["permissions: { limits: { memory_mb: 0 } }", 'permissions.limits.memory_mb "0": it must be'],
    ["servers: { dev: { run: [] } }", 'servers.dev "run": there is no such key; one of perm'],
    ["servers: { dev: { profile: { net: [1] } } }", 'servers.dev.profile.net "1": each entry must'],
    ["servers: { 'npm:a@1': {} }", 'servers "npm:a@1": a package is npm:NAME, without a version'],
    ["sandbox: { mode: on }", 'sandbox.mode "on": it must be require, prefer, off'],
    ["sandbox: { backend: bwarp }", 'sandbox.backend "bwarp": it must be auto, bwrap'],
    ["protect: [.git/hook]", 'protect ".git/hook": did you mean ".git/hooks"?'],
    ["protect: [../x]", 'protect "../x": a path below the workspace'],
    ["protect: .envrc", 'protect ".envrc": it must be a list of texts'],
  ];
  for (const [text, message] of cases) {
    const error = assertThrows(() => parse(text), SkepError);
    assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: FILE }], text);
    assertStringIncludes(error.message, `Cannot use the policy ${FILE}: ${message}`);
  }
});

Deno.test("parsePolicy() says where its YAML is wrong", () => {
  assertThrows(() => parse("permissions: {\n"), SkepError, "it is not YAML:");
  assertThrows(() => parse("permissions: {}\npermissions: {}\n"), SkepError, "it is not YAML:");
});

Deno.test("readPolicy() reads a file up to its bound, and names one that is missing", async () => {
  const files = memoryFiles({ [FILE]: "protect: []" });
  const read = (path: string, maxConfigFileBytes: number) =>
    readPolicy(path, { files, ...WORLD }, { maxConfigFileBytes });
  assertEquals((await read(FILE, 11)).protect, []);
  await assertRejects(() => read(FILE, 10), SkepError, `Cannot use the policy ${FILE}: `);
  const missing = await assertRejects(
    () => read("/none.yaml", DEFAULT_LIMITS.maxConfigFileBytes),
    SkepError,
  );
  assertEquals([missing.code, missing.details], ["CONFIG_INVALID", { source: "/none.yaml" }]);
});
