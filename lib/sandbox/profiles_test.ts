import { assertEquals } from "@std/assert";
import { readCommand } from "./command.ts";
import { profileEnvironment, profileOf } from "./profiles.ts";

function profile(args: string[], env: Record<string, string> = {}, command = "npx") {
  const spec = { name: "s", command, args, env };
  return profileOf(readCommand(spec), spec, "linux");
}

Deno.test("profileOf() gives the filesystem server the folders of its arguments", () => {
  const folders = ["/data/a b", "${WORKSPACE}/sub", "${WORKSPACE}/."];
  assertEquals(profile(["@modelcontextprotocol/server-filesystem", "/data/a b", "sub", "."]), {
    origin: "profile @modelcontextprotocol/server-filesystem",
    permissions: { read: folders, write: folders },
  });
});

Deno.test("profileOf() gives the memory server the folder of its file", () => {
  const name = "@modelcontextprotocol/server-memory";
  assertEquals(profile([name], { MEMORY_FILE_PATH: "/data/m.json" }).permissions, {
    read: ["/data"],
    write: ["/data"],
    env: ["MEMORY_FILE_PATH"],
  });
  assertEquals(profile([name]).permissions.write, []);
});

Deno.test("profileOf() gives an unknown server the default grant", () => {
  const expected = {
    origin: "default grant",
    permissions: { read: ["${WORKSPACE}"], write: ["${TMP}"] },
  };
  assertEquals(profile(["some-server"]), expected);
  assertEquals(profile(["toString"]), expected);
  assertEquals(profile([], {}, "/bin/tool"), expected);
});

Deno.test("profileOf() gives the dev server the workspace and a shell", () => {
  assertEquals(profile(["mcp", "dev"], {}, "skep").permissions, {
    read: ["${WORKSPACE}", "${HOME}"],
    write: ["${WORKSPACE}", "${TMP}", "${HOME}"],
    run: ["bash"],
  });
});

Deno.test("profileEnvironment() lets a memory server that names no file write in its private folder, and says so", () => {
  const name = "@modelcontextprotocol/server-memory";
  const of = (
    args: string[],
    more: { env?: Record<string, string>; permissions?: object } = {},
  ) => {
    const spec = { name: "s", command: "npx", args, env: {}, ...more };
    return profileEnvironment(readCommand(spec), spec, "/tmp/own/tmp");
  };
  const { env, notices } = of([name]);
  assertEquals(env, { MEMORY_FILE_PATH: "/tmp/own/tmp/memory.jsonl" });
  assertEquals(notices.length, 1);
  const none = { env: {}, notices: [] };
  assertEquals(of([name], { env: { MEMORY_FILE_PATH: "/data/m" } }), none);
  assertEquals(of([name], { permissions: {} }), none);
  assertEquals(of(["other"]), none);
});
