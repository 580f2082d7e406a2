import { assertEquals } from "@std/assert";
import type { SpawnCommand } from "../host/process.ts";
import { gitAuthor } from "./git_author.ts";
import { testContext, type TestWorld } from "./test_world.ts";

/** What the person's git says, by setting; nothing, with code 1, of others. */
async function authorOf(
  settings: Readonly<Record<string, string>>,
  world: TestWorld = { files: { "/home/u/.gitconfig": "[user]" } },
): Promise<{ author: string | undefined; started: SpawnCommand[] }> {
  const started: SpawnCommand[] = [];
  const context = testContext(world);
  const host = {
    ...context.host,
    spawn: (command: SpawnCommand) => {
      started.push(command);
      const value = settings[command.args.at(-1) ?? ""];
      const stream = (text: string) => new Blob([text]).stream();
      return {
        pid: 1,
        stdin: new WritableStream<Uint8Array>(),
        stdout: stream(value === undefined ? "" : `${value}\0`),
        stderr: stream(""),
        exited: Promise.resolve({ code: value === undefined ? 1 : 0, signal: undefined }),
        signalGroup: () => false,
        endStarted: () => Promise.resolve(0),
      };
    },
  };
  return { author: await gitAuthor({ ...context, host }), started };
}

const BEE = { "user.name": "Bee", "user.email": "bee@hive.test" };

Deno.test("gitAuthor() asks the person's own settings, as they hold in the workspace", async () => {
  const { author, started } = await authorOf(BEE);
  assertEquals(author, "Bee <bee@hive.test>");
  assertEquals(started[0]?.program, "/usr/bin/git");
  assertEquals(started[0]?.args, [
    ...["-C", "/work/ws", "config", "--global", "--includes", "--null", "--get", "user.name"],
  ]);
  assertEquals(started[0]?.env["HOME"], "/home/u");
});

Deno.test("gitAuthor() takes no half of an author, and none that git would not write", async () => {
  assertEquals((await authorOf({ "user.name": "Bee" })).author, undefined);
  assertEquals((await authorOf({ ...BEE, "user.name": "B <ee" })).author, undefined);
  assertEquals((await authorOf({ ...BEE, "user.email": "b ee" })).author, undefined);
});

Deno.test("gitAuthor() starts nothing where there are no settings", async () => {
  const { author, started } = await authorOf(BEE, {});
  assertEquals([author, started.length], [undefined, 0]);
  const elsewhere = { "/x/git/config": "[user]" };
  const env = { XDG_CONFIG_HOME: "/x" };
  assertEquals((await authorOf(BEE, { files: elsewhere, env })).author, "Bee <bee@hive.test>");
});
