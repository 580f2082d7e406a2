import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { parsePermissions } from "./permissions.ts";

Deno.test("parsePermissions() reads every field of the shape", () => {
  const value = {
    read: ["${WORKSPACE}"],
    write: ["${TMP}"],
    net: ["api.example.com:443"],
    run: ["bash"],
    env: ["FOO"],
    sys: ["hostname"],
    secrets: { TOKEN: "env:GH_TOKEN", OTHER: "file:/run/token" },
    limits: { memory_mb: 512, processes: 64, cpu_seconds: 600, open_files: 256, file_mb: 100 },
    sandbox: "require",
  } as const;
  assertEquals(parsePermissions(value, "s"), value);
});

Deno.test("parsePermissions() takes what is absent or empty as asking for nothing", () => {
  assertEquals(parsePermissions({}, "s"), {});
  assertEquals(parsePermissions({ read: null, sandbox: null }, "s"), {});
  assertEquals(parsePermissions({ net: [] }, "s"), { net: [] });
});

Deno.test("parsePermissions() reads YAML's bare off, which is false in its older version", () => {
  assertEquals(parsePermissions({ sandbox: false }, "s"), { sandbox: "off" });
});

Deno.test("parsePermissions() names server, field, value and what was wanted", () => {
  const cases: [unknown, string][] = [
    [7, 'permissions "7" to server "docs": it must be a mapping'],
    [["read"], "it must be a mapping"],
    [{ read: "/etc" }, 'read "/etc" to server "docs": it must be a list of texts'],
    [{ read: [3] }, 'read "3" to server "docs": each entry must be a text'],
    [{ secrets: { A: "GH_TOKEN" } }, 'secrets.A "GH_TOKEN" to server "docs": it must be env:NAME'],
    [{ secrets: { A: "env:" } }, "it must be env:NAME"],
    [{ limits: { memory_mb: 0 } }, 'limits.memory_mb "0"'],
    [{ limits: { memory_mb: 1.5 } }, 'limits.memory_mb "1.5"'],
    [
      { limits: { memory_mb: 1e12 } },
      'limits.memory_mb "1000000000000" to server "docs": it must be a whole number from 1 to 16777216',
    ],
    [{ limits: { processes: -1 } }, "a whole number from 1 to 4194304"],
    [{ limits: { memory: 1 } }, 'limits "memory" to server "docs": there is no such key'],
    [{ sandbox: "none" }, 'sandbox "none" to server "docs": it must be require, prefer, off'],
  ];
  for (const [value, text] of cases) {
    const error = assertThrows(() => parsePermissions(value, "docs"), SkepError, text);
    assertEquals(error.code, "GRANT_INVALID");
  }
});

Deno.test("parsePermissions() suggests the key that was meant", () => {
  assertThrows(() => parsePermissions({ raed: [] }, "s"), SkepError, 'did you mean "read"?');
  assertThrows(() => parsePermissions({ network: [] }, "s"), SkepError, "one of read, write, net");
});
