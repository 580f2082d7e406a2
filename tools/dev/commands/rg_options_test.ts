import { assertEquals } from "@std/assert";
import { readRgArguments, type RgOptions } from "./rg_options.ts";

function options(...args: string[]): RgOptions {
  const request = readRgArguments(args);
  if (request.kind !== "search") throw new Error(JSON.stringify(request));
  return request.options;
}

function refusal(...args: string[]): string {
  const request = readRgArguments(args);
  return request.kind === "refused" ? request.reason : JSON.stringify(request);
}

Deno.test("readRgArguments() takes the first plain word for the pattern", () => {
  const { patterns, paths } = options("-n", "a", "b", "c");
  assertEquals([patterns, paths], [["a"], ["b", "c"]]);
});

Deno.test("readRgArguments() takes all for paths when a pattern was named, or none is needed", () => {
  assertEquals(options("-e", "x", "--regexp=y", "a").paths, ["a"]);
  assertEquals(options("-ex", "a").patterns, ["x"]);
  assertEquals([options("--files", "a").paths, options("--files", "a").patterns], [["a"], []]);
});

Deno.test("readRgArguments() reads joined flags and attached values", () => {
  const { isNumbered, isCaseIgnored, before, after } = options("-inC2", "a");
  assertEquals([isNumbered, isCaseIgnored, before, after], [true, true, 2, 2]);
  assertEquals(options("-A=3", "a").after, 3);
  assertEquals(options("-tts", "a").types, ["ts"]);
});

Deno.test("readRgArguments() takes what follows -- as it is", () => {
  const { patterns, paths } = options("--", "-n", "-i");
  assertEquals([patterns, paths], [["-n"], ["-i"]]);
});

Deno.test("readRgArguments() widens with each -u", () => {
  const { isIgnoredTaken, isHiddenTaken, isText } = options("-uuu", "a");
  assertEquals([isIgnoredTaken, isHiddenTaken, isText], [true, true, true]);
  assertEquals(options("-uu", "a").isText, false);
});

Deno.test("readRgArguments() says what it does not take", () => {
  assertEquals(refusal(), "a pattern is needed");
  assertEquals(refusal("-C"), "--context needs a value");
  assertEquals(refusal("-C", "x", "a"), "--context x: it must be a whole number");
  assertEquals(refusal("--hidden=1", "a"), "--hidden takes no value");
  assertEquals(refusal("-z", "a"), "there is no flag -z here, see rg --help");
  assertEquals(refusal("--sort=size", "a"), "--sort size: only path is sorted by");
});
