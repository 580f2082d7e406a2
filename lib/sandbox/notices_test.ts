import { assertEquals } from "@std/assert";
import { launchNotices } from "./notices.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

Deno.test("launchNotices() says nothing of a server that is held", async () => {
  const { grant } = await testGrant({}, testContext(), {}, "bwrap");
  assertEquals(launchNotices("native", grant, "bwrap", []), []);
});

Deno.test("launchNotices() says what is not held, each danger, and cuts by their reason", async () => {
  const { grant } = await testGrant({
    permissions: { read: ["/home/u/.ssh", "/home/u/.aws"], run: ["bash"] },
  });
  assertEquals(launchNotices("script", grant, undefined, ["may do as it likes"]), [
    'Server "s" runs under Deno\'s flags alone: links that lead out of a granted folder are followed',
    'Server "s" may do as it likes',
    'Server "s" is not granted read /home/u/.ssh: /home/u/.ssh is never granted: it holds SSH keys',
    'Server "s" is not granted read /home/u/.aws: /home/u/.aws is never granted: it holds AWS credentials',
    'Server "s" is not granted run bash: flags do not hold what a program does; --sandbox off lets it run unconfined',
  ]);
});

Deno.test("launchNotices() tells cuts of one reason together", async () => {
  const origin = { kind: "client", where: "session/new" } as const;
  const { grant } = await testGrant(
    { origin, permissions: { read: ["/a", "/b"] } },
    testContext(),
    {},
    "bwrap",
  );
  assertEquals(launchNotices("native", grant, "bwrap", []), [
    'Server "s" is not granted read /a, /b: a client may ask for the workspace alone: ' +
    "no other folders, no programs, no network, no secrets",
  ]);
});

Deno.test("launchNotices() says Landlock's leaks, and nothing twice of a native server", async () => {
  const { grant } = await testGrant({ permissions: {} });
  const [line = "", ...others] = launchNotices("native", grant, "landlock", []);
  assertEquals([line.split(":")[0], others], ['Server "s" is confined by landlock alone', []]);
  assertEquals(launchNotices("native", grant, undefined, ["runs natively"]), [
    'Server "s" runs natively',
  ]);
});
