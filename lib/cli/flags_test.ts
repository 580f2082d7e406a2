import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Command } from "./command.ts";
import { readFlags } from "./flags.ts";

const COMMAND: Command = {
  name: "sing",
  summary: "sings",
  usage: "sing SONG [TUNE]",
  flags: [
    { name: "loud", short: "l", summary: "louder" },
    { name: "key", short: "k", value: "KEY", summary: "the key", isRepeatable: true },
  ],
  positionals: [0, 2],
  load: () => Promise.reject(new Error("never loaded")),
};

function refusal(args: string[], command: Command = COMMAND): string {
  const error = assertThrows(() => readFlags(command, args), SkepError);
  assertEquals(error.code, "USAGE");
  return error.message;
}

Deno.test("readFlags() reads flags in every form, and what is no flag, in order", () => {
  const forms = [
    ["a", "--loud", "--key", "C", "b"],
    ["--key=C", "a", "b", "--loud"],
    ["-l", "-k", "C", "a", "b"],
    ["a", "-kC", "-l", "b"],
    ["-l", "-k", "C", "--", "a", "b"],
  ];
  for (const args of forms) {
    const { positionals, value, has } = readFlags(COMMAND, args);
    assertEquals([positionals, value("key"), has("loud")], [["a", "b"], "C", true]);
  }
});

Deno.test("readFlags() takes what stands behind -- as it is", () => {
  const { positionals, has } = readFlags(COMMAND, ["--", "--loud", "-x"]);
  assertEquals([positionals, has("loud")], [["--loud", "-x"], false]);
});

Deno.test("readFlags() takes a value that begins with a dash, holds an equals sign or is empty", () => {
  for (const text of ["- item", "-1", "a=b", ""]) {
    assertEquals(readFlags(COMMAND, ["--key", text]).value("key"), text);
    assertEquals(readFlags(COMMAND, [`--key=${text}`]).value("key"), text);
  }
  assertEquals(readFlags(COMMAND, ["-"]).positionals, ["-"]);
});

Deno.test("readFlags() gives every value of a flag that comes twice, and the last one", () => {
  const { value, values } = readFlags(COMMAND, ["--key", "C", "--key", "D"]);
  assertEquals([value("key"), values("key"), values("mcp")], ["D", ["C", "D"], []]);
});

Deno.test("readFlags() tells an unknown flag with the nearest known one", () => {
  assertEquals(refusal(["--luod"]), "skep sing has no flag --luod: did you mean --loud?");
  assertEquals(refusal(["--xyzzy=1"]), "skep sing has no flag --xyzzy: see skep sing --help");
  assertEquals(refusal(["-x"]), "skep sing has no flag -x: see skep sing --help");
});

Deno.test("readFlags() refuses a flag without its value, and a value that a flag does not take", () => {
  assertEquals(refusal(["--key"]), "--key needs a value: --key KEY");
  assertEquals(refusal(["-k", "--loud"]), "-k needs a value: -k KEY");
  assertEquals(refusal(["--loud=yes"]), '--loud takes no value, and was given "yes"');
});

Deno.test("readFlags() counts what is no flag, exactly at its bounds and one past them", () => {
  const command = { ...COMMAND, positionals: [1, 2] } as const;
  assertEquals(readFlags(command, ["a"]).positionals, ["a"]);
  assertEquals(readFlags(command, ["a", "b"]).positionals, ["a", "b"]);
  assertEquals(
    refusal([], command),
    "skep sing takes at least one argument, and was given none: skep sing SONG [TUNE]",
  );
  assertEquals(
    refusal(["a", "b", "c"], command),
    'skep sing takes at most 2 arguments, and was given "a" "b" "c": skep sing SONG [TUNE]',
  );
});

Deno.test("a command without an argument was told that it takes other arguments than none", () => {
  const takes = (positionals: readonly [number, number]) =>
    refusal([], { ...COMMAND, positionals });
  assertEquals([takes([1, 1]), takes([2, 2])], [
    "skep sing takes one argument, and was given none: skep sing SONG [TUNE]",
    "skep sing takes 2 arguments, and was given none: skep sing SONG [TUNE]",
  ]);
  assertEquals(
    refusal(["a"], { ...COMMAND, positionals: [0, 0] }),
    'skep sing takes no argument, and was given "a": skep sing SONG [TUNE]',
  );
});

Deno.test("readFlags() asks for no arguments of a command whose help is wanted", () => {
  assertEquals(readFlags({ ...COMMAND, positionals: [1, 1] }, ["--help"]).has("help"), true);
  assertEquals(readFlags({ ...COMMAND, positionals: [1, 1] }, ["-h"]).has("help"), true);
});

Deno.test("readFlags() takes a pair's two values, and refuses one alone", () => {
  const command = {
    ...COMMAND,
    flags: [{ name: "call", value: "TOOL JSON", isPair: true, summary: "" }],
  };
  const pairs = ["--call", "a", "{}", "--call=b", "{}"];
  assertEquals(readFlags(command, pairs).values("call"), ["a", "{}", "b", "{}"]);
  assertThrows(() => readFlags(command, ["--call", "a"]), SkepError, "--call needs a value");
});
