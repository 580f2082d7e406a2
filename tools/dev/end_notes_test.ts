import { assertEquals } from "@std/assert";
import { endNotes } from "./end_notes.ts";

const NOTHING = { left: [], escaped: [], isShellMissing: false, isFolderMissing: false };
const ENDED = { exitCode: 0, endedBy: "itself", hasEscaped: false, durationMs: 1234 } as const;

Deno.test("endNotes() names the signal that ended a command", () => {
  const note = (exitCode: number) => endNotes({ ...ENDED, exitCode, report: NOTHING }, 1)[0];
  assertEquals(note(0), "exit code 0 after 1.23 s");
  assertEquals(note(137), "exit code 137 (SIGKILL) after 1.23 s");
  assertEquals(note(152), "exit code 152 (SIGXCPU) after 1.23 s");
  assertEquals(note(255), "exit code 255 after 1.23 s");
});

Deno.test("endNotes() names the signal that a command was killed with", () => {
  const note = (exitCode: number) =>
    endNotes({ ...ENDED, endedBy: "cancel", exitCode, report: NOTHING }, 50)[0];
  assertEquals(note(143), "killed (SIGTERM) after 1.23 s");
  assertEquals(note(0), "killed after 1.23 s");
});

Deno.test("endNotes() names what was ended with a command, the first five", () => {
  const left = ["a", "b", "c", "d", "e", "f", "g"];
  const report = { left, escaped: ["x"], isShellMissing: false, isFolderMissing: false };
  assertEquals(endNotes({ ...ENDED, report }, 1).slice(1), [
    "ended what it left running: a, b, c, d, e and 2 more",
    "ended what had left the command's group: x",
  ]);
  assertEquals(
    endNotes({ ...ENDED, endedBy: "timeout", report: { ...NOTHING, left: ["a"] } }, 50),
    [
      "timed out after 50 ms: the command and all it started were ended",
      "killed, since TERM did not end it: a",
    ],
  );
});
