import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../errors.ts";
import { AccessLog } from "./access_log.ts";
import type { AccessRecord } from "./access_record.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const RECORD: Omit<AccessRecord, "at"> = {
  server: "s",
  access: "read",
  value: "/a",
  allowed: true,
  source: "deno",
};
const LINE = '{"at":"2026-01-02T03:04:05.000Z","server":"s","access":"read","value":"/a",' +
  '"allowed":true,"source":"deno"}\n';
const CUT = (bytes: number) => `{"at":"2026-01-02T03:04:05.000Z","cutOffAtBytes":${bytes}}\n`;

/** A log over a file in memory. */
function logOf(maxAccessLogBytes: number, before = "", fails = false) {
  const file = { text: before, notices: [] as string[] };
  const files = {
    makeFolder: () => Promise.resolve(),
    append: (_: string, text: string) => {
      if (fails && text !== "") return Promise.reject(new Error("the disk is full"));
      file.text += text;
      return Promise.resolve();
    },
    stat: () =>
      Promise.resolve({
        isFile: true,
        isDirectory: false,
        isSymlink: false,
        bytes: file.text.length,
        mode: 0o600,
      }),
  };
  const opening = AccessLog.open("/state/x.jsonl", {
    world: { files, nowMs: () => NOW },
    limits: { maxAccessLogBytes },
    redact: (text) => text.replaceAll("hunter22", "[secret TOKEN]"),
    onNotice: (text) => void file.notices.push(text),
  });
  return { file, opening };
}

Deno.test("AccessLog takes records exactly up to its bound, and says where it ends one past it", async () => {
  const bytes = 2 * LINE.length;
  const exact = logOf(bytes);
  const log = await exact.opening;
  log.add(RECORD);
  log.add(RECORD);
  await log.flush();
  assertEquals(exact.file.text, LINE + LINE);

  const past = logOf(bytes - 1);
  const shorter = await past.opening;
  for (let count = 0; count < 4; count++) shorter.add(RECORD);
  await shorter.flush();
  assertEquals(past.file.text, LINE + CUT(bytes - 1)); // said once
});

Deno.test("AccessLog counts what a session logged before it was resumed", async () => {
  const half = logOf(2 * LINE.length, LINE);
  const log = await half.opening;
  log.add(RECORD);
  log.add(RECORD);
  await log.flush();
  assertEquals(half.file.text, LINE + LINE + CUT(2 * LINE.length));

  const full = logOf(2 * LINE.length, half.file.text);
  (await full.opening).add(RECORD);
  assertEquals(full.file.text, half.file.text);
});

Deno.test("AccessLog shows no secret in a value, and no value longer than a path", async () => {
  const { file, opening } = logOf(100_000);
  const log = await opening;
  log.add({ ...RECORD, value: "/hunter22" });
  log.add({ ...RECORD, value: "x".repeat(5000) });
  await log.flush();
  const values = file.text.trim().split("\n").map((line) => JSON.parse(line).value);
  assertEquals(values, ["/[secret TOKEN]", "x".repeat(4096)]);
});

Deno.test("AccessLog tells once when its disk takes no more, and fails at its start when it took nothing", async () => {
  const { file, opening } = logOf(100_000, "", true);
  const log = await opening;
  for (let count = 0; count < 2; count++) {
    log.add(RECORD);
    await log.flush();
  }
  assertEquals(file.notices, [
    "Accesses are no longer logged to /state/x.jsonl: the disk is full",
  ]);
  const error = await assertRejects(
    () =>
      AccessLog.open("/state/x.jsonl", {
        world: {
          files: {
            makeFolder: () => Promise.reject(new Error("read-only")),
            append: () => Promise.resolve(),
            stat: () => Promise.resolve(undefined),
          },
          nowMs: () => NOW,
        },
        limits: { maxAccessLogBytes: 1 },
        redact: (text) => text,
        onNotice: () => {},
      }),
    SkepError,
  );
  assertEquals(error.code, "CONFIG_INVALID");
  assertEquals(
    error.message,
    "Cannot log accesses to /state/x.jsonl, as SKEP_LOG_ACCESS=1 wants it: read-only",
  );
});
