import { assertEquals } from "@std/assert";
import { launchersIn } from "./launchers.ts";

const PS = `
    1     0 /sbin/init
  100     1 /usr/bin/editor --acp
  212   100 npm exec deno task -q acp
  573   212 sh -c deno "task" "-q" "acp"
  574   573 deno task -q acp
  586   574 /usr/lib/deno run --no-prompt cli.ts acp
  700   100 /usr/bin/python3 client.py
  701   700 deno run cli.ts acp
`;

Deno.test("launchersIn() gives every launcher between us and whoever started them", () => {
  assertEquals(launchersIn(PS, 574), [574, 573, 212]);
});

Deno.test("launchersIn() gives nothing when a program of another kind started us", () => {
  assertEquals(launchersIn(PS, 700), []);
  assertEquals(launchersIn(PS, 1), []);
  assertEquals(launchersIn(PS, 999), []);
});

Deno.test("launchersIn() ends where processes are each other's parents", () => {
  assertEquals(launchersIn("  5 6 sh -c a\n  6 5 sh -c b\n", 5), [5, 6]);
});
