// What skep and its runtime are run from, below a folder that a server may write: behind every backend of this
// machine, for servers that run in Deno and for those that do not.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { isSkepError } from "../lib/errors.ts";
import type { LaunchContext } from "../lib/sandbox/context.ts";
import { BACKENDS } from "./confined.ts";
import {
  type GrantPlace,
  grantPlace,
  NAMESPACES,
  type PlaceOptions,
  runLaunch,
} from "./grant_place.ts";
import { fromRepo } from "./harness.ts";

/** A home folder as `deno task install` and npm leave it, with a checkout in it; files and their text. */
const FILES: Readonly<Record<string, string>> = {
  "home/.cache/deno/npm/package/index.js": "a package of skep's",
  "home/.cache/deno/gen/file/server.ts.js": "compiled",
  "home/.local/bin/skep": "#!/bin/sh\n",
  "home/.deno/bin/deno": "a deno",
  "home/node/lib/node_modules/deno/bin.cjs": "#!/usr/bin/env node\n",
  "home/node/lib/node_modules/@deno/linux/deno": "the real one",
  "home/node/lib/node_modules/npm/bin/npx-cli.js": "#!/usr/bin/env node\n",
  "home/node/bin/node": "node",
  "home/checkout/cli.ts": "",
  "home/checkout/lib/cli/main.ts": "",
  "home/checkout/deno.json": "{}",
  "home/.config/skep/policy.yaml": "",
  "home/.local/state/skep/x": "",
  "home/.cache/skep/x": "",
};
/** What none of them may be: made beside them, or in their place. */
const NEW = [
  "home/.cache/deno/new",
  "home/checkout/package.json",
  "home/checkout/node_modules/.bin/deno",
  "home/node/lib/node_modules/deno/new",
];

async function homePlace(options: PlaceOptions): Promise<GrantPlace> {
  const place = await grantPlace(options);
  for (const [path, text] of Object.entries(FILES)) await place.write(path, text);
  const launcher = await Deno.readTextFile(fromRepo("tools/launch/main.js"));
  await place.write("home/checkout/tools/launch/main.js", launcher);
  await Deno.symlink("../lib/node_modules/deno/bin.cjs", join(place.home, "node/bin/deno"));
  await Deno.symlink("../lib/node_modules/npm/bin/npx-cli.js", join(place.home, "node/bin/npx"));
  return place;
}

/** The launch's world with everything of skep's in the home folder. */
function atHome({ home, context }: GrantPlace): Partial<LaunchContext> {
  const variables: Record<string, string> = {
    HOME: home,
    DENO_DIR: join(home, ".cache/deno"),
    PATH: `/usr/local/bin:/usr/bin:/bin:${home}/node/bin:${home}/.local/bin`,
  };
  return {
    host: { ...context.host, env: (name) => variables[name] ?? context.host.env(name) },
    programRoot: join(home, "checkout"),
    folders: {
      config: join(home, ".config/skep"),
      state: join(home, ".local/state/skep"),
      cache: join(home, ".cache/skep"),
    },
  };
}

/** Every way to change a file, or what stands in its place, that a shell has. */
const ATTACK = `for f in "$@"; do
  { echo planted >>"$f"; rm -rf "$f"; mkdir -p "\${f%/*}"; echo planted >"$f"; } 2>/dev/null
  d=\${f%/*}
  while [ "$d" != "$TOP" ]; do mv "$d" "$d.away" 2>/dev/null; d=\${d%/*}; done
done
ln -sf /bin/true "$TOP/node/bin/deno" 2>/dev/null
echo mine >"$TOP/beside" && echo done`;

/** Attacks all of it from a native server; gives what that said. */
async function attack(place: GrantPlace, write: readonly string[]): Promise<string> {
  const targets = [...Object.keys(FILES), ...NEW].map((each) => join(place.root, each));
  const launch = await place.prepare({
    args: ["-c", ATTACK, "bash", ...targets],
    env: { TOP: place.home },
    permissions: { write, env: ["TOP"], sandbox: "prefer" },
  }, atHome(place));
  const { stdout, stderr } = await runLaunch(launch);
  assertEquals(stderr, "");
  return stdout;
}

/** Of the files of skep's and its runtime's, those that are not as they were. */
async function changed({ root, home }: GrantPlace): Promise<string[]> {
  const found: string[] = [];
  for (const [path, text] of Object.entries(FILES)) {
    const now = await Deno.readTextFile(join(root, path)).catch(() => "gone");
    if (now !== text) found.push(path);
  }
  for (const path of NEW) {
    if (await Deno.lstat(join(root, path)).then(() => true, () => false)) found.push(path);
  }
  const link = await Deno.readLink(join(home, "node/bin/deno")).catch(() => "gone");
  return link === "../lib/node_modules/deno/bin.cjs" ? found : [...found, "home/node/bin/deno"];
}

const within = (place: GrantPlace, ...names: string[]) =>
  names.map((name) => join(place.home, name));

for (const backend of BACKENDS.filter((name) => NAMESPACES.includes(name))) {
  Deno.test(`${backend}: a native server that may write the home folder changes nothing that skep runs from`, async () => {
    await using place = await homePlace({ backend });
    assertEquals(await attack(place, [place.home]), "done\n");
    assertEquals(await changed(place), []);
    assertEquals(await Deno.readTextFile(join(place.home, "beside")), "mine\n");
  });

  Deno.test(`${backend}: nor one that may write folders just above`, async () => {
    await using place = await homePlace({ backend });
    const write = within(
      place,
      ".cache",
      ".local",
      ".local/bin",
      ".deno/bin",
      "node/lib",
      ".config",
    );
    await attack(place, write);
    assertEquals(await changed(place), []);
  });

  Deno.test(`${backend}: a link that skep is started by refuses a grant of its folder, since it could be replaced`, async () => {
    await using place = await homePlace({ backend });
    const error = await assertRejects(() => attack(place, within(place, "node/bin")));
    assert(isSkepError(error, "GRANT_REFUSED"));
    assertMatch(error.message, /node\/bin\/deno is a link there, .*skep runs programs from it/);
  });
}

for (const backend of BACKENDS.filter((name) => NAMESPACES.includes(name))) {
  Deno.test(`${backend}: a link on the way to Deno's cache is held with its folder, or refuses the grant of that`, async () => {
    await using place = await homePlace({ backend });
    await Deno.mkdir(join(place.home, "xdg"));
    await Deno.rename(join(place.home, ".cache"), join(place.root, "cache-disk"));
    await Deno.symlink(join(place.root, "cache-disk"), join(place.home, "xdg/cache"));
    const world = atHome(place);
    const host = world.host ?? place.context.host;
    const more = {
      ...world,
      host: {
        ...host,
        env: (name: string) =>
          name === "DENO_DIR" ? join(place.home, "xdg/cache/deno") : host.env(name),
      },
    };
    const prepare = (write: string[]) =>
      place.prepare({
        args: [
          "-c",
          `ln -sfn /tmp ${place.home}/xdg/cache; mv ${place.home}/xdg ${place.home}/x; echo done`,
        ],
        permissions: { write, sandbox: "prefer" },
      }, more);
    const ended = await runLaunch(await prepare([place.home]));
    assertEquals(ended.stdout, "done\n", ended.stderr);
    const link = await Deno.readLink(join(place.home, "xdg/cache"));
    assertEquals(link, join(place.root, "cache-disk"));
    const error = await assertRejects(() => prepare([join(place.home, "xdg")]));
    assert(isSkepError(error, "GRANT_REFUSED"));
  });
}

Deno.test("a grant to write one of these folders itself is cut, with the reason", async () => {
  await using place = await homePlace({});
  const write = within(place, ".cache/deno", "checkout/lib", ".deno/bin/deno");
  const launch = await place.prepare({
    command: "deno",
    args: ["run", await place.write("script/main.ts", "")],
    permissions: { write, sandbox: "prefer" },
  }, atHome(place));
  await launch.release();
  assertEquals(launch.grant.cut.map(({ value }) => value), write);
  assertMatch(launch.grant.cut[0]?.reason ?? "", /no server may write .*deno: it holds programs/);
});

if (BACKENDS.includes("landlock")) {
  for (const folder of [".cache", ".deno", ".local/bin", "node", "checkout/.."]) {
    Deno.test(`landlock: a grant to write what holds something that skep runs from is refused: ${folder}`, async () => {
      await using place = await homePlace({ backend: "landlock" });
      // As the administrator it is refused for another reason where a server does not say prefer.
      const error = await assertRejects(() => attack(place, within(place, folder)));
      assert(isSkepError(error, "GRANT_INVALID"));
      assertMatch(error.message, /lies in it, which (is never granted|no server may write)/);
      assertEquals(await changed(place), []);
    });
  }

  Deno.test("landlock: a file of Deno's cache that is gone when the server starts keeps it from nothing", async () => {
    await using place = await homePlace({ backend: "landlock" });
    const fleeting = await place.write("home/.cache/deno/fleeting-shm", "");
    const launch = await place.prepare({
      command: "deno",
      args: ["run", await place.write("script/main.ts", 'console.log("started")')],
      permissions: { run: ["bash"], sandbox: "prefer" },
    }, { ...atHome(place), programRoot: place.context.programRoot });
    await Deno.remove(fleeting);
    const { stdout, stderr } = await runLaunch(launch);
    assertEquals([stdout, stderr], ["started\n", ""]);
  });

  Deno.test("landlock: a workspace that skep runs from is there to read", async () => {
    await using place = await homePlace({ backend: "landlock", workspace: "home/checkout" });
    const launch = await place.prepare({
      args: ["-c", "cat deno.json; echo x >lib/cli/main.ts; echo x >new"],
      permissions: { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"], sandbox: "prefer" },
    }, atHome(place));
    assertMatch(launch.notices.join("\n"), /is not granted write .*no server may write.*--cwd/);
    assertEquals((await runLaunch(launch)).stdout, "{}");
    assertEquals(await changed(place), []);
  });
}
