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
  assertEquals(launchersIn(PS, 574, true), {
    pids: [574, 573, 212],
    managed: [574, 573, 212],
    isCut: false,
  });
});

Deno.test("launchersIn() gives nothing when a program of another kind started us", () => {
  const none = { pids: [], managed: [], isCut: false };
  assertEquals(launchersIn(PS, 700, true), none);
  assertEquals(launchersIn(PS, 1, true), none);
  assertEquals(launchersIn(PS, 999, true), none);
});

Deno.test("launchersIn() ends where processes are each other's parents", () => {
  const loop = "  5 6 sh -c a\n  6 5 sh -c b\n";
  assertEquals(launchersIn(loop, 5), { pids: [5, 6], managed: [], isCut: false });
});

Deno.test("an npx that was killed before anybody looked left its skep behind", () => {
  const cut = "  1 0 /sbin/init\n 573 1 sh -c deno task acp\n 574 573 deno task acp\n";
  const launchers = { pids: [574, 573], managed: [] };
  assertEquals(launchersIn(cut, 574, true), { ...launchers, isCut: true });
  assertEquals(launchersIn(cut, 574, false), { ...launchers, isCut: false });
  const below = cut.replace("573 1 sh", "573 90 sh").replace(
    "/sbin/init",
    "/sbin/init\n 90 1 (sd) x",
  );
  assertEquals(launchersIn(below, 574, true).isCut, false);
  const user = below.replace("(sd) x", "/usr/lib/systemd/systemd --user");
  assertEquals(launchersIn(user, 574, true).isCut, true);
});

Deno.test("launchersIn() tells the package manager's launchers from a person's shell above them", () => {
  const shell = PS.replace("100 npm exec", "99 npm exec").replace(
    "  100     1",
    "   99 100 bash -c x\n  100     1",
  );
  const { pids, managed } = launchersIn(shell, 574, true);
  assertEquals([pids, managed], [[574, 573, 212, 99], [574, 573, 212]]);
});
