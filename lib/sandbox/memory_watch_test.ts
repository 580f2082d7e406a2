import { assertEquals, assertStringIncludes } from "@std/assert";
import { outerScript } from "./wrapper.ts";

Deno.test("outerScript() watches the memory of a server that has a bound, in KiB, where no group bounds it", () => {
  const script = outerScript({ memory_mb: 3 }, []);
  assertStringIncludes(script, 'if [ "$bounded" != memory ]; then');
  assertStringIncludes(script, 'watch 3072 "$cleaner"');
  assertStringIncludes(script, "its memory limit of 3 MiB was used up");
  assertEquals(outerScript({ processes: 3 }, []).includes("watch "), false);
});
