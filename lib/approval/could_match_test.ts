import { assertEquals } from "@std/assert";
import { couldMatch } from "./could_match.ts";

Deno.test("couldMatch() tells whether two patterns have a text in common", () => {
  const common = (first: string, second: string) => [
    couldMatch(first, second),
    couldMatch(second, first),
  ];
  for (
    const [first, second] of [
      ["dev__shell", "dev__*"],
      ["*__shell", "dev__*"],
      ["*", "fs__*"],
      ["*shell*", "a*"],
      ["a*b*c", "*abc*"],
      ["dev__shell", "dev__shell"],
      ["", "*"],
    ]
  ) assertEquals([first, ...common(first!, second!)], [first, true, true]);
  for (
    const [first, second] of [
      ["shell", "dev__*"],
      ["dve__shell", "dev__*"],
      ["*__shel", "dev__shell"],
      ["a*c", "*b"],
      ["", "a*"],
    ]
  ) assertEquals([first, ...common(first!, second!)], [first, false, false]);
});
