import { assertEquals } from "@std/assert";
import type { LaunchContext } from "./context.ts";
import { parsePolicy } from "./policy.ts";
import { protectedFiles } from "./protected_files.ts";
import { testContext } from "./test_world.ts";

const WS = "/work/ws";

/** Kind by path, relative to the workspace where it lies in it. */
async function found(
  files: Record<string, string>,
  more: Partial<LaunchContext> = {},
  workspace = WS,
): Promise<Record<string, string>> {
  const all = await protectedFiles(
    workspace,
    testContext({ files }, { workspace, programRoot: "/none", ...more }),
  );
  return Object.fromEntries(
    all.map(({ path, kind }) => [path.replace(`${workspace}/`, ""), kind]),
  );
}

const policy = (protect: string) => parsePolicy(`protect: ${protect}`, "/work/ws/p.yaml", "linux");

Deno.test("protectedFiles() has the editors' and git's own, there or not", async () => {
  assertEquals(await found({ [`${WS}/.git/config`]: "x", [`${WS}/.vscode/tasks.json`]: "x" }), {
    ".husky": "missing",
    ".envrc": "missing",
    ".vscode": "folder",
    ".idea": "missing",
    ".devcontainer": "missing",
    ".git/hooks": "missing",
    ".git/config": "file",
    ".git/commondir": "missing",
  });
});

Deno.test("protectedFiles() has a .git that is a file, and nothing of git's where there is no repository", async () => {
  const names = Object.keys(await found({ [`${WS}/.git`]: "gitdir: /elsewhere" }));
  assertEquals(names.filter((name) => name.startsWith(".git")), [".git"]);
  assertEquals(Object.keys(await found({})).filter((name) => name.startsWith(".git")), []);
});

Deno.test("protectedFiles() has hooks and settings of modules, nested ones, and of worktrees", async () => {
  const names = Object.keys(
    await found({
      [`${WS}/.git/modules/a/HEAD`]: "x",
      [`${WS}/.git/modules/a/modules/b/HEAD`]: "x",
      [`${WS}/.git/modules/c/d/HEAD`]: "x",
      [`${WS}/.git/worktrees/w/HEAD`]: "x",
    }),
  );
  for (const repository of ["modules/a", "modules/a/modules/b", "modules/c/d"]) {
    for (const name of ["hooks", "config"]) {
      assertEquals(names.includes(`.git/${repository}/${name}`), true, `${repository}/${name}`);
    }
  }
  assertEquals(names.includes(".git/worktrees/w/config.worktree"), true);
});

Deno.test("protectedFiles() has hooks and settings of nested repositories, up to their limit", async () => {
  const files: Record<string, string> = {
    [`${WS}/a/.git/config`]: "x",
    [`${WS}/a/.git/modules/m/HEAD`]: "x",
    [`${WS}/b/.git`]: "gitdir: ../a/.git/modules/m",
  };
  const names = async (maxHeldRepositories: number) => {
    const limits = { ...testContext().limits, maxHeldRepositories };
    return Object.keys(await found(files, { limits })).filter((name) => name.includes(".git"));
  };
  const ofOne = ["a/.git", "a/.git/modules/m"].flatMap((git) =>
    ["hooks", "config", "config.worktree", "commondir"].map((name) => `${git}/${name}`)
  );
  // Git looks at no config.worktree unless the settings say so; those of the module cannot be read.
  const used = ofOne.filter((name) => name !== "a/.git/config.worktree");
  assertEquals(await names(2), [...used, "b/.git"]);
  assertEquals(await names(1), used);
  files[`${WS}/a/.git/config`] = "[extensions]\n\tworktreeConfig = true\n";
  assertEquals(await names(1), ofOne);
});

Deno.test("protectedFiles() has what the settings of a repository name, nested ones too", async () => {
  const names = await found({
    [`${WS}/.git/config`]: "[core]\n\thooksPath = .githooks\n",
    [`${WS}/.githooks/pre-commit`]: "x",
    [`${WS}/a/.git/config`]: "[include]\n\tpath = ../more\n",
  });
  assertEquals([names[".githooks"], names["a/more"]], ["folder", "missing"]);
});

Deno.test("protectedFiles() has the repositories of other writable folders, and puts nothing into one that is none", async () => {
  const files = {
    "/data/repo/.git/config": "x",
    "/data/repo/.mcp.json": "x",
    "/data/out/sub/.git/config": "x",
    "/data/out/.npmrc": "x",
  };
  const context = testContext({ files }, { programRoot: "/none" });
  const all = await protectedFiles(WS, context, ["/data/repo", "/data/out"]);
  const beside = all.filter(({ path }) => path.startsWith("/data/"))
    .map(({ path, kind }) => `${path.slice("/data/".length)} ${kind}`).sort();
  assertEquals(beside, [
    "out/.npmrc file",
    "out/sub/.git/config file",
    "repo/.devcontainer missing",
    "repo/.envrc missing",
    "repo/.git/commondir missing",
    "repo/.git/config file",
    "repo/.git/hooks missing",
    "repo/.husky missing",
    "repo/.idea missing",
    "repo/.mcp.json file",
    "repo/.vscode missing",
  ]);
});

Deno.test("protectedFiles() holds what editors, agents and package managers run where it is there, and makes none of it", async () => {
  const held = await found({
    [`${WS}/.mcp.json`]: "x",
    [`${WS}/.yarn/releases/y.cjs`]: "x",
    [`${WS}/.claude`]: "->/elsewhere",
    [`${WS}/package.json`]: "x",
    [`${WS}/grants.lock`]: "x",
  });
  assertEquals([held[".mcp.json"], held[".yarn/releases"]], ["file", "folder"]);
  assertEquals(held["grants.lock"], "file"); // what servers ask for is held against it
  for (const name of [".claude", ".npmrc", ".zed", "package.json"]) {
    assertEquals([name, held[name]], [name, undefined]);
  }
});

Deno.test("protectedFiles() tells a link from what it leads to, and a placeholder that was left from a folder", async () => {
  const kinds = await found({
    [`${WS}/.vscode`]: "->/elsewhere",
    "/elsewhere/x": "x",
    [`${WS}/.idea/x`]: "x",
  });
  assertEquals([kinds[".vscode"], kinds[".idea"]], ["link", "folder"]);
});

Deno.test("protectedFiles() has skep's program and what the run was configured from, where they are", async () => {
  const kinds = await found({
    "/work/ws/skep/lib/x.ts": "x",
    "/work/ws/skep/cli.ts": "x",
    "/work/ws/pack/agents/a.md": "x",
    "/work/ws/mcp.json": "{}",
    "/work/ws/p.yaml": "protect: []",
  }, {
    programRoot: "/work/ws/skep",
    configuration: ["/work/ws/pack", "/work/ws/mcp.json", "/work/ws/none"],
    policy: parsePolicy("{}", "/work/ws/p.yaml", "linux"),
  });
  assertEquals(
    ["skep/cli.ts", "skep/lib", "skep/tools", "pack", "mcp.json", "none", "p.yaml"]
      .map((name) => kinds[name]),
    ["file", "folder", undefined, "folder", "file", undefined, "file"],
  );
});

Deno.test("protectedFiles() has what runs by itself in a home folder that the workspace holds", async () => {
  const files = { "/home/u/.bashrc": "x", "/home/u/.config/autostart": "/" };
  const kinds = await found(files, {}, "/home/u");
  assertEquals([kinds[".bashrc"], kinds[".config/autostart"], kinds[".profile"]], [
    "file",
    "folder",
    undefined,
  ]);
  assertEquals((await found(files, {}, "/work/ws"))["/home/u/.bashrc"], undefined);
});

Deno.test("protectedFiles() has those of a workspace that is a part of the home folder, and none of one that is such a folder", async () => {
  const files = {
    "/home/u/.config/fish/config.fish": "x",
    "/home/u/.config/git/config": "x",
    "/home/u/.config/autostart/a.desktop": "x",
    "/home/u/.local/bin/git": "x",
  };
  const config = await found(files, {}, "/home/u/.config");
  assertEquals(["fish", "git", "autostart", "nvim"].map((name) => config[name]), [
    "folder",
    "folder",
    "folder",
    undefined,
  ]);
  assertEquals((await found(files, {}, "/home/u/.local"))["bin"], "folder");
  const fish = await found(files, {}, "/home/u/.config/fish");
  assertEquals(fish["/home/u/.config/fish"], undefined);
});

Deno.test("protectedFiles() keeps what a policy lists, and no more", async () => {
  const files = {
    [`${WS}/.git/config`]: "x",
    [`${WS}/.git/modules/a/HEAD`]: "x",
    [`${WS}/Makefile`]: "x",
    [`${WS}/p.yaml`]: "x",
  };
  assertEquals(await found(files, { policy: policy("[]") }), {});
  assertEquals(
    await found(files, { policy: policy('[.git/config, Makefile, "${POLICY}", more]') }),
    {
      "Makefile": "file",
      ".git/config": "file",
      ".git/modules/a/config": "missing",
      "p.yaml": "file",
    },
  );
});
