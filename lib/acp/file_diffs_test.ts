import { assertEquals } from "@std/assert";
import type { CallResult } from "../mcp/registry.ts";
import { fileDiffs } from "./file_diffs.ts";

function changed(structured: CallResult["structured"] & object, isError = false): CallResult {
  return { isError, content: [], structured };
}

Deno.test("fileDiffs() gives a part for each hunk, with its line in the new file", () => {
  const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n@@ -20 +21 @@\n-y\n+z\n";
  assertEquals(fileDiffs(changed({ path: "/w/x.ts", diff }), undefined), [
    { path: "/w/x.ts", oldText: "a\nb\n", newText: "a\nc\nd\n", line: 1 },
    { path: "/w/x.ts", oldText: "y\n", newText: "z\n", line: 21 },
  ]);
});

Deno.test("fileDiffs() knows a last line without its newline, and lines that look like heads", () => {
  const diff = "@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n+--- a\n-x\n+x\n\\ No newline at end of file\n";
  assertEquals(fileDiffs(changed({ path: "/a", diff }), undefined), [
    { path: "/a", oldText: "@@ -1 +1 @@\nx\n", newText: "--- a\nx", line: 1 },
  ]);
});

Deno.test("fileDiffs() shows a file that was emptied, and what is left of a diff that was cut", () => {
  assertEquals(fileDiffs(changed({ path: "/a", diff: "@@ -1 +0,0 @@\n-x\n" }), undefined), [
    { path: "/a", oldText: "x\n", newText: "", line: 1 },
  ]);
  const cut = "@@ -1 +1 @@\n-x\n+y\n[… 3 more hunks left out]\n";
  assertEquals(fileDiffs(changed({ path: "/a", diff: cut }), undefined), [
    { path: "/a", oldText: "x\n", newText: "y\n", line: 1 },
  ]);
});

Deno.test("fileDiffs() shows a new file whole, by the call's own content", () => {
  const asked = { tool: "dev__write_file", input: { path: "n", content: "new\n" } };
  assertEquals(fileDiffs(changed({ path: "/w/n", isNew: true }), asked), [
    { path: "/w/n", newText: "new\n", line: 1 },
  ]);
  assertEquals(fileDiffs(changed({ path: "/w/n", isNew: true }), undefined), []);
});

Deno.test("fileDiffs() gives nothing for an error, a relative path, or no diff", () => {
  const diff = "@@ -1 +1 @@\n-x\n+y\n";
  assertEquals(fileDiffs(changed({ path: "/a", diff }, true), undefined), []);
  assertEquals(fileDiffs(changed({ path: "a", diff }), undefined), []);
  assertEquals(
    fileDiffs(changed({ path: "/a", diff: "[too many changes to show]\n" }), undefined),
    [],
  );
  assertEquals(fileDiffs({ isError: false, content: [] }, undefined), []);
});
