import { assertEquals } from "@std/assert";
import { narrow, sameName } from "./narrow.ts";

const entry = (value: string) => ({ value, origin: "the file" });
const ceiling = (...allowed: string[]) => ({ origin: "policy P", allowed });
/** Texts stand for places: one lies in what it begins with. */
const meet = (asked: string, allowed: string) =>
  asked.startsWith(allowed) ? asked : allowed.startsWith(asked) ? allowed : undefined;

Deno.test("narrow() keeps what lies within, drops what does not, and cuts what reaches further", () => {
  const entries = ["ab", "abc", "x", "a"].map(entry);
  assertEquals(narrow("read", entries, [ceiling("ab", "ac")], meet), {
    entries: [
      entry("ab"),
      entry("abc"),
      { value: "ab", origin: "policy P" },
      { value: "ac", origin: "policy P" },
    ],
    cut: [
      { list: "read", value: "x", reason: "policy P does not allow it" },
      { list: "read", value: "a", reason: "policy P allows ab, ac of it" },
    ],
  });
});

Deno.test("narrow() takes an absent ceiling for none, and an empty one for all (T61)", () => {
  const entries = [entry("a")];
  const absent = { origin: "policy P", allowed: undefined };
  assertEquals(narrow("env", entries, [absent], sameName), { entries, cut: [] });
  assertEquals(narrow("env", entries, [ceiling()], sameName), {
    entries: [],
    cut: [{ list: "env", value: "a", reason: "policy P does not allow it" }],
  });
});

Deno.test("narrow() holds a list to every ceiling", () => {
  const entries = ["a", "b", "c"].map(entry);
  const { entries: left, cut } = narrow(
    "sys",
    entries,
    [ceiling("a", "b"), { origin: "policy Q", allowed: ["b", "c"] }],
    sameName,
  );
  assertEquals(left, [entry("b")]);
  assertEquals(cut.map(({ value, reason }) => `${value}: ${reason}`), [
    "c: policy P does not allow it",
    "a: policy Q does not allow it",
  ]);
});
