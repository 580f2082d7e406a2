import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { grantsLockText, readGrantsLock } from "./grants_lock.ts";
import type { GrantRequest } from "./grant_request.ts";

const REQUEST: GrantRequest = {
  server: "s",
  command: ["x"],
  read: ["${WORKSPACE}"],
  write: [],
  net: [],
  run: [],
  env: [],
  sys: [],
  secrets: [],
  limits: { memory_mb: 1 },
  sandbox: "require",
};

function read(text: string | undefined) {
  const facts = { isFile: true, isDirectory: false, isSymlink: false, bytes: 0, mode: 0o600 };
  const files = {
    stat: () => Promise.resolve(text === undefined ? undefined : facts),
    readText: () => Promise.resolve(text ?? ""),
  };
  return readGrantsLock("/p/grants.lock", files, DEFAULT_LIMITS);
}

Deno.test("readGrantsLock() reads back what grantsLockText() writes, sorted by file", async () => {
  const text = grantsLockText({ "b.md": [REQUEST], "a.md": [] });
  assertEquals(await read(text), { "a.md": [], "b.md": [REQUEST] });
  assertEquals(text.indexOf('"a.md"') < text.indexOf('"b.md"'), true);
  assertEquals(await read(undefined), undefined);
});

Deno.test("readGrantsLock() refuses anything else", async () => {
  const bad = [
    "x",
    "[]",
    '{"version":2,"grants":{}}',
    '{"version":1,"grants":[]}',
    '{"version":1,"grants":{"a":[{}]}}',
    grantsLockText({ a: [{ ...REQUEST, limits: { memory: 1 } as never }] }),
    grantsLockText({ a: [{ ...REQUEST, run: [1] as never }] }),
  ];
  for (const text of bad) {
    const error = await assertRejects(() => read(text), SkepError, "Cannot use /p/grants.lock");
    assertEquals(error.code, "CONFIG_INVALID");
  }
});
