import { assertEquals } from "@std/assert";
import { guardConsole } from "./guard_console.ts";

Deno.test("guardConsole() sends what console prints to stderr, until it is disposed (T23)", () => {
  const target = globalThis.console;
  const own = { log: target.log, error: target.error, table: target.table };
  const seen: unknown[] = [];
  target.error = (...args: unknown[]) => void seen.push(args);
  try {
    using _guard = guardConsole();
    target.log("Loaded cached %s.", "credentials");
    target.info("a");
    target.debug("b");
    target.dir({ a: 1 });
    target.table([1]);
    target.clear();
  } finally {
    target.error = own.error;
  }
  assertEquals(seen, [["Loaded cached %s.", "credentials"], ["a"], ["b"], [{ a: 1 }], [[1]]]);
  assertEquals([target.log === own.log, target.table === own.table], [true, true]);
});
