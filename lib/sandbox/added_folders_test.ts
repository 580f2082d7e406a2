import { assertEquals } from "@std/assert";
import { withAddedFolders } from "./added_folders.ts";

Deno.test("withAddedFolders() puts folders beside an entry that is the whole workspace, and beside no part of it", () => {
  const entry = (value: string) => ({ value, origin: "o" });
  const given = ["${WORKSPACE}/.", "${WORKSPACE}/src", "${WORKSPACE}/..", "${TMP}", "/w"].map(
    entry,
  );
  assertEquals(withAddedFolders(given), given);
  assertEquals(withAddedFolders(given, ["/a", "/b"]), [
    given[0]!,
    { value: "/a", origin: "o, the session's client" },
    { value: "/b", origin: "o, the session's client" },
    ...given.slice(1),
  ]);
});
