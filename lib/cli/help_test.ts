import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Command } from "./command.ts";
import { commandHelp, overview } from "./help.ts";

const load = () => Promise.reject(new Error("never loaded"));
const SING: Command = {
  name: "sing",
  summary: "sings a song",
  usage: "sing SONG",
  flags: [{ name: "loud", short: "l", value: "HOW", summary: "louder" }],
  positionals: [1, 1],
  load,
};
const REST: Command = { ...SING, name: "rest", summary: "rests", usage: "rest", flags: [] };

Deno.test("overview() puts commands and flags in columns", () => {
  const lines = overview([SING, REST]).split("\n");
  assertEquals(lines.slice(4, 7), ["Commands:", "  sing SONG  sings a song", "  rest       rests"]);
  const flags = lines.slice(lines.indexOf("Flags of every command:") + 1, lines.indexOf("", 9));
  assertEquals(new Set(flags.map((line) => line.search(/(?<=\S {2,})\S/))).size, 1);
  assertEquals(flags.filter((line) => line.startsWith("  -V, --version ")).length, 1);
});

Deno.test("overview() explains the exit codes", () => {
  assertStringIncludes(overview([]), "\nExit codes:\n  0        done\n  1        usage");
});

Deno.test("commandHelp() shows usage and own flags, and no heading for none", () => {
  const help = commandHelp(SING);
  const start = "skep sing: sings a song\n\nUsage: skep sing SONG [flags]\n\nFlags:\n";
  assertEquals(help.slice(0, start.length), start);
  assertStringIncludes(help, "  -l, --loud HOW  louder\n");
  assertEquals(commandHelp(REST).includes("\nFlags:\n"), false);
});
