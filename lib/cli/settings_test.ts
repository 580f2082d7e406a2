import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { COMMANDS } from "./commands.ts";
import { readFlags } from "./flags.ts";
import { readSettings, type Settings } from "./settings.ts";

const CHAT = COMMANDS.find(({ name }) => name === "chat")!;
const FOLDERS = ["/home/u", "/home/u/work", "/home/u/work/sub"];

/** Reads the settings of `skep chat` in /home/u, on a machine that has {@linkcode FOLDERS} and a file. */
function read(args: string[], variables: Readonly<Record<string, string>> = {}): Promise<Settings> {
  const env: Host["env"] = (name) => ({ HOME: "/home/u", ...variables })[name];
  const facts = { isSymlink: false, bytes: 1, mode: 0o700 };
  const files = {
    stat: (path: string) =>
      Promise.resolve(
        FOLDERS.includes(path)
          ? { ...facts, isFile: false, isDirectory: true }
          : path === "/home/u/file"
          ? { ...facts, isFile: true, isDirectory: false }
          : undefined,
      ),
    realPath: (path: string) => Promise.resolve(path),
  } as Host["files"];
  const platform = { os: "linux", arch: "x86_64" } as const;
  return readSettings(readFlags(CHAT, args), { env, files, platform, cwd: () => "/home/u" });
}

Deno.test("readSettings() has a default for everything", async () => {
  const { cwd, persona, model, serverFiles, sandbox, isOffline, isJson } = await read([]);
  assertEquals(
    { cwd, persona, model, serverFiles, sandbox, isOffline, isJson },
    {
      cwd: "/home/u",
      persona: "guide",
      model: undefined,
      serverFiles: [],
      sandbox: "auto",
      isOffline: false,
      isJson: false,
    },
  );
});

Deno.test("a relative --mcp or persona was looked for in the workspace, not where skep was called", async () => {
  const files = ["--mcp", "a.json", "--mcp", "/b.json", "--persona", "./p#x"];
  const named = await read(["--cwd", "work", ...files]);
  assertEquals([named.cwd, named.serverFiles, named.persona], [
    "/home/u/work",
    ["/home/u/a.json", "/b.json"],
    "/home/u/p#x",
  ]);
  // As the tasks of deno.json call it, in work.
  const task = await read(["--cwd", "work", "--cwd", ".", ...files]);
  assertEquals([task.cwd, task.serverFiles[0]], ["/home/u/work", "/home/u/work/a.json"]);
  const more = await read(["--cwd", "work", "--cwd", ".", "--cwd", "sub", ...files]);
  assertEquals([more.cwd, more.serverFiles[0]], ["/home/u/work/sub", "/home/u/work/a.json"]);
  assertEquals((await read(["--persona", "ops#a"])).persona, "ops#a");
});

Deno.test("readSettings() refuses a workspace that is no folder", async () => {
  for (const [path, why] of [["/nope", "it does not exist"], ["file", "it is not a folder"]]) {
    const error = await assertRejects(() => read(["--cwd", path!]), SkepError, why);
    assertEquals([error.code, error.details], ["USAGE", { argument: "--cwd" }]);
  }
});

Deno.test("readSettings() lets a flag win over its variable, and an empty variable count as not set", async () => {
  const variables = { SKEP_PERSONA: "bee", SKEP_SANDBOX: "off", SKEP_OFFLINE: "1" };
  const { persona, sandbox, isOffline } = await read([], variables);
  assertEquals([persona, sandbox, isOffline], ["bee", "off", true]);
  const flags = await read(["--persona", "ant", "--sandbox", "auto"], variables);
  assertEquals([flags.persona, flags.sandbox], ["ant", "auto"]);
  assertEquals((await read([], { SKEP_PERSONA: " ", SKEP_SANDBOX: "" })).persona, "guide");
});

Deno.test("readSettings() tells whether a flag or a variable is at fault", async () => {
  const flag = await assertRejects(() => read(["--sandbox", "maybe"]), SkepError);
  assertEquals([flag.code, flag.details], ["USAGE", { argument: "--sandbox" }]);
  const variable = await assertRejects(() => read([], { SKEP_SANDBOX: "maybe" }), SkepError);
  assertEquals([variable.code, variable.details], ["CONFIG_INVALID", { source: "SKEP_SANDBOX" }]);
});

Deno.test("readSettings() refuses a folder of skep's that can be none", async () => {
  const error = await assertRejects(
    () => read([], { SKEP_CACHE_DIR: "/home/u/file/x" }),
    SkepError,
  );
  assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: "SKEP_CACHE_DIR" }]);
});
