import { assertEquals } from "@std/assert";
import { parseRecord, recordLine } from "./access_record.ts";

const RECORD = {
  at: "2026-01-02T03:04:05.000Z",
  server: "s",
  access: "read",
  value: "/a\nb",
  allowed: false,
  source: "result",
  isCertain: false,
} as const;

Deno.test("parseRecord() reads what recordLine() writes, a line each whatever a value holds", () => {
  const line = recordLine(RECORD);
  assertEquals(line.indexOf("\n"), line.length - 1);
  assertEquals(parseRecord(line), RECORD);
  const end = { at: RECORD.at, cutOffAtBytes: 7 };
  assertEquals(parseRecord(recordLine(end)), end);
});

Deno.test("parseRecord() takes nothing else for a record", () => {
  const line = recordLine(RECORD);
  const others = ["", "[]", "null", line.slice(0, -9), line.replace('"s"', "1")];
  for (const other of [...others, line.replace("false", '"no"')]) {
    assertEquals(parseRecord(other), undefined, other);
  }
});
