import { assertEquals } from "@std/assert";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { testContext } from "./test_world.ts";
import { watchLeftFiles } from "./watch_left_files.ts";

const EVIL = "[core]\n\tbare = false\n\tfsmonitor = touch x\n";
const USUAL = '[core]\n\tbare = false\n[remote "origin"]\n\turl = /x\n';

interface Watched {
  readonly notices: readonly string[];
  /** What is found while the server lives, at each of two looks. */
  readonly found: readonly (readonly string[])[];
  readonly told: readonly string[];
  readonly left: (path: string) => Promise<string | undefined>;
}

/** What comes of it when `made` appears while the server runs. */
async function watched(
  first: Record<string, string>,
  made: Record<string, string>,
  { write = ["/work/ws"], home = "/home/u", isSeen = true, ...limits }: {
    write?: string[];
    home?: string;
    /** False when nobody looks while it runs. */
    isSeen?: boolean;
    [limit: string]: unknown;
  } = {},
): Promise<Watched> {
  const told: string[] = [];
  const world = { files: first, env: { HOME: home } };
  const base = testContext(world, { progress: (line) => void told.push(line) });
  const context = { ...base, limits: { ...base.limits, ...limits } };
  type Part = Pick<Launch, "server" | "grant" | "notices" | "release" | "findTraps">;
  const part: Part = {
    server: "dev",
    grant: { write: write.map((value) => ({ value })), tmp: "/tmp/own/tmp" } as unknown as Grant,
    notices: ["first"],
    release: () => Promise.resolve(),
  };
  const launch = await watchLeftFiles(part, context);
  const { files } = context.host;
  for (const [path, text] of Object.entries(made)) await files.writeText(path, text);
  const look = async () => isSeen ? await launch.findTraps?.() ?? [] : [];
  const found = [await look(), await look()];
  await launch.release();
  const left = (path: string) => files.readText(path, 1000).catch(() => undefined);
  return { notices: launch.notices, found, told, left };
}

Deno.test("watchLeftFiles() tells of a repository whose settings run programs, once, and sets them aside at the end", async () => {
  const { notices, found, told, left } = await watched({}, {
    "/work/ws/sub/.git/config": EVIL,
    "/work/ws/sub/.git/hooks/pre-commit": "x",
    "/work/ws/sub/.git/hooks/commit-msg.sample": "x",
  });
  assertEquals(notices, ["first"]);
  const config = "/work/ws/sub/.git/config, which can run programs (core.fsmonitor = touch x). ";
  const hooks = "/work/ws/sub/.git/hooks, which can run programs (the hook pre-commit). ";
  const wait =
    "Use no git and open no shell there before the session has ended, which sets it aside";
  assertEquals(found, [
    [`Server "dev" made ${config}${wait}`, `Server "dev" made ${hooks}${wait}`],
    [],
  ]);
  const aside = (name: string) =>
    `It is set aside as /work/ws/sub/.git/${name}.set-aside: look at it before you put it back`;
  assertEquals(told, [
    `Server "dev" left ${config}${aside("config")}`,
    `Server "dev" left ${hooks}${aside("hooks")}`,
  ]);
  assertEquals(await left("/work/ws/sub/.git/config"), undefined);
  assertEquals(await left("/work/ws/sub/.git/config.set-aside"), EVIL);
});

Deno.test("watchLeftFiles() has nothing to say of a repository as git makes one, a clone, or a worktree", async () => {
  const { found, told, left } = await watched({ "/work/ws/.git/config": USUAL }, {
    "/work/ws/new/.git/config": USUAL,
    "/work/ws/new/.git/hooks/pre-commit.sample": "x",
    "/work/ws/.git/worktrees/w/commondir": "../..\n",
    "/work/ws/w/.git": "gitdir: /work/ws/.git/worktrees/w\n",
  });
  assertEquals([found, told], [[[], []], []]);
  assertEquals(await left("/work/ws/new/.git/config"), USUAL);
});

Deno.test("watchLeftFiles() follows a .git that is a file or a link, and finds a repository without one", async () => {
  const { told } = await watched({}, {
    "/work/ws/file/.git": "gitdir: ../node_modules/evil\n",
    "/work/ws/node_modules/evil/config": EVIL,
    "/work/ws/bare/HEAD": "x",
    "/work/ws/bare/objects/x": "x",
    "/work/ws/bare/refs/x": "x",
    "/work/ws/bare/config": EVIL,
    "/work/ws/tree/.git/commondir": "../../other\n",
  });
  assertEquals(told.map((line) => /left (\S+),/.exec(line)?.[1]), [
    "/work/ws/bare/config",
    "/work/ws/node_modules/evil/config",
    "/work/ws/tree/.git/commondir",
  ]);
});

Deno.test("watchLeftFiles() leaves where it is what was there before and what was only changed", async () => {
  const { told, left } = await watched(
    {
      "/work/ws/.git/config": USUAL,
      "/work/ws/old/.git/config": EVIL,
      "/work/ws/.npmrc": "x",
    },
    { "/work/ws/.git/config": EVIL },
    { isSeen: false },
  );
  assertEquals(told, [
    'Server "dev" left /work/ws/.git/config, which can run programs (core.fsmonitor = touch x). ' +
    "Look at it before you use git or a shell there",
  ]);
  assertEquals(await left("/work/ws/.git/config"), EVIL);
});

Deno.test("watchLeftFiles() tells of new files of editors, agents and package managers, and of a rebase with commands", async () => {
  const made = {
    "/work/ws/.mcp.json": "{}",
    "/work/ws/.claude/settings.json": "{}",
    "/work/ws/.zed/": "/",
    "/work/ws/.npmrc": "",
    "/work/ws/.git/rebase-merge/git-rebase-todo": "pick 1\nexec touch x\n",
  };
  const first = { "/work/ws/.git/config": USUAL };
  const { found, told, left } = await watched(first, made);
  const unseen = await watched(first, made, { isSeen: false });
  const lines = [
    "/work/ws/.git/rebase-merge/git-rebase-todo, which can run programs (git rebase --continue will exec touch x). ",
    "/work/ws/.mcp.json, which can run programs (agents start the servers it names). ",
    "/work/ws/.claude, which can run programs (agents run programs it names). ",
  ];
  const look = "Look at it before you use it";
  assertEquals(found[0], lines.map((line) => `Server "dev" made ${line}${look}`));
  assertEquals(told, []);
  assertEquals(unseen.told, lines.map((line) => `Server "dev" left ${line}${look}`));
  assertEquals(await left("/work/ws/.mcp.json"), "{}");
});

Deno.test("watchLeftFiles() sets a new start-up file of a shell aside where the workspace is the home folder", async () => {
  const made = { "/work/ws/.bash_profile": "evil", "/work/ws/.vimrc": "x" };
  const inHome = { home: "/work/ws", isSeen: false };
  const { told, left } = await watched({ "/work/ws/.bashrc": "x" }, made, inHome);
  assertEquals(told, [
    'Server "dev" left /work/ws/.bash_profile, which can run programs (the shell runs it). ' +
    "It is set aside as /work/ws/.bash_profile.set-aside: look at it before you put it back",
    'Server "dev" left /work/ws/.vimrc, which can run programs (the editor runs it). Look at it before you use it',
  ]);
  assertEquals(await left("/work/ws/.bash_profile"), undefined);
});

Deno.test("watchLeftFiles() takes what holds the place of credentials in a home folder for nothing that a server made", async () => {
  const at = { home: "/work/ws" };
  const { found, told } = await watched({}, { "/work/ws/.config/git/credentials": "" }, at);
  assertEquals([found, told], [[[], []], []]);
  const made = await watched({}, { "/work/ws/.config/git/config": "[core]\n\tpager = x\n" }, at);
  assertEquals(made.found[0]?.length, 1);
});

Deno.test("watchLeftFiles() looks at writable folders beside the workspace too", async () => {
  const made = { "/data/out/.git/config": EVIL, "/work/ws/.git/config": EVIL };
  const { told } = await watched({ "/data/out/x": "x" }, made, { write: ["/data/out"] });
  assertEquals(told.map((line) => /left (\S+),/.exec(line)?.[1]), ["/data/out/.git/config"]);
});

Deno.test("watchLeftFiles() lets no control character of a name or a setting through", async () => {
  const { told } = await watched({}, {
    "/work/ws/a\x1b[2J\nb/.git/config": "[core]\nfsmonitor = a\x1b[2Jb",
  });
  assertEquals(told.map((line) => line.split(". It")[0]), [
    'Server "dev" left /work/ws/a?[2J?b/.git/config, which can run programs (core.fsmonitor = a?[2Jb)',
  ]);
});

Deno.test("watchLeftFiles() leaves a server alone that may write nowhere", async () => {
  const { found, told } = await watched({}, { "/work/ws/.git/config": EVIL }, {
    write: ["/tmp/own/tmp"],
  });
  assertEquals([found, told], [[[], []], []]);
});

Deno.test("watchLeftFiles() says at the start when not all repositories are held, and at the end when the walk no longer reaches all", async () => {
  const two = { "/work/ws/a/.git/config": "", "/work/ws/b/.git/config": "" };
  const held = await watched(two, {}, { maxHeldRepositories: 2 });
  assertEquals([held.notices, held.told], [["first"], []]);
  const { notices } = await watched(two, {}, { maxHeldRepositories: 1 });
  assertEquals(
    notices[1]?.split(":")[0],
    'Server "dev" may write more repositories or folders of /work/ws than are looked through',
  );
  const { told } = await watched(two, { "/work/ws/c": "x" }, { maxGitWalkEntries: 2 });
  assertEquals(told, [
    'Server "dev" left more in /work/ws than is looked through: there may be new git repositories in it',
  ]);
});

Deno.test("a placeholder that another session removed meanwhile was told as left by a server", async () => {
  const told: string[] = [];
  const base = testContext({ files: {}, env: { HOME: "/home/u" } }, {
    progress: (line) => void told.push(line),
  });
  let isRemoved = false;
  const { files } = base.host;
  const husky = "/work/ws/.husky";
  const racing: typeof files = {
    ...files,
    lstat: (path) => path === husky && isRemoved ? files.lstat("/work/ws") : files.lstat(path),
    list: (path) =>
      path === husky ? Promise.reject(new Deno.errors.NotFound(path)) : files.list(path),
  };
  const part: Pick<Launch, "server" | "grant" | "notices" | "release" | "findTraps"> = {
    server: "dev",
    grant: { write: [{ value: "/work/ws" }], tmp: "/tmp/own/tmp" } as unknown as Grant,
    notices: [],
    release: () => Promise.resolve(),
  };
  const launch = await watchLeftFiles(part, { ...base, host: { ...base.host, files: racing } });
  isRemoved = true; // between a look at it and a look into it
  assertEquals(await launch.findTraps?.(), []);
  await launch.release();
  assertEquals(told, []);
});
