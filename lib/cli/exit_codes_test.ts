import { assertEquals } from "@std/assert";
import { exitCodeOf } from "./exit_codes.ts";

Deno.test("exitCodeOf() tells usage, peers, denials and defects apart", () => {
  assertEquals(
    (["USAGE", "PROVIDER_FAILED", "ACCESS_DENIED", "GRANT_REFUSED", "DEFECT"] as const).map(
      exitCodeOf,
    ),
    [1, 2, 3, 3, 4],
  );
});

Deno.test("exitCodeOf() counts a code that nobody gave an exit code as a defect", () => {
  assertEquals(exitCodeOf("SESSION_BUSY"), 4);
});
