import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { denoDir, findDeno } from "./deno_binary.ts";
import type { FileFacts, Files } from "./files.ts";

const REAL = 90_000_000;
const WRAPPER = 1_115;

type World = {
  files: Record<string, number>;
  links?: Record<string, string>;
  env?: Record<string, string>;
  execPath?: string;
  isStandalone?: boolean;
  os?: "linux" | "windows" | "darwin";
};

function hostOf({ files, links = {}, env = {}, os = "linux", ...more }: World) {
  const target = (path: string) => links[path] ?? path;
  const isFolder = (path: string) => Object.keys(files).some((each) => each.startsWith(`${path}/`));
  const facts = (path: string): FileFacts | undefined => {
    const bytes = files[target(path)];
    if (bytes === undefined && !isFolder(path)) return undefined;
    const isFile = bytes !== undefined;
    return { isFile, isDirectory: !isFile, isSymlink: false, bytes: bytes ?? 0, mode: 0o755 };
  };
  const slice: Pick<Files, "stat" | "realPath" | "list"> = {
    stat: (path) => Promise.resolve(facts(path)),
    realPath: (path) => Promise.resolve(target(path)),
    list: (path) => {
      const names = Object.keys(files).filter((each) => each.startsWith(`${path}/`))
        .map((each) => each.slice(path.length + 1).split("/")[0]!);
      return Promise.resolve([...new Set(names)].sort());
    },
  };
  return {
    env: (name: string) => env[name],
    files: slice as Files,
    platform: { os, arch: "x86_64" as const },
    execPath: () => more.execPath ?? "/opt/deno",
    isStandalone: more.isStandalone ?? false,
    cwd: () => "/work",
  };
}

Deno.test("findDeno() takes the program that runs us", async () => {
  const host = hostOf({ files: { "/opt/deno": REAL, "/usr/bin/deno": REAL } });
  assertEquals(await findDeno(host), "/opt/deno");
});

Deno.test("findDeno() prefers SKEP_DENO, also when relative", async () => {
  const files = { "/opt/deno": REAL, "/work/my/deno": REAL };
  assertEquals(await findDeno(hostOf({ files, env: { SKEP_DENO: "my/deno" } })), "/work/my/deno");
});

Deno.test("findDeno() says when SKEP_DENO leads nowhere, and takes no other", async () => {
  const host = hostOf({ files: { "/opt/deno": REAL }, env: { SKEP_DENO: "/no/deno" } });
  const error = await assertRejects(() => findDeno(host), SkepError, "/no/deno");
  assertEquals(error.code, "DENO_NOT_FOUND");
});

Deno.test("findDeno() finds the binary that npm's wrapper script would start", async () => {
  const binary = "/usr/lib/node_modules/deno/node_modules/@deno/linux-x64-glibc/deno";
  const files = {
    "/usr/lib/node_modules/deno/bin.cjs": WRAPPER,
    [binary]: REAL,
    "/usr/lib/node_modules/deno/node_modules/@deno/linux-arm64-glibc/deno": REAL,
  };
  const links = { "/usr/bin/deno": "/usr/lib/node_modules/deno/bin.cjs" };
  const env = { PATH: "/usr/bin" };
  assertEquals(
    await findDeno(hostOf({ files, links, env, execPath: "/skep", isStandalone: true })),
    binary,
  );
});

Deno.test("findDeno() finds npm's binary where packages lie side by side", async () => {
  const binary = "/p/node_modules/@deno/linux-x64-glibc/deno";
  const files = { "/p/node_modules/deno/bin.cjs": WRAPPER, [binary]: REAL };
  const links = { "/p/node_modules/.bin/deno": "/p/node_modules/deno/bin.cjs" };
  const host = hostOf({ files, links, env: { SKEP_DENO: "/p/node_modules/.bin/deno" } });
  assertEquals(await findDeno(host), binary);
});

Deno.test("findDeno() of a compiled program looks beside it, then on PATH", async () => {
  const world = { execPath: "/app/skep", isStandalone: true, env: { PATH: "rel:/a:/b" } };
  const beside = { "/app/skep": REAL, "/app/deno": REAL, "/b/deno": REAL };
  assertEquals(await findDeno(hostOf({ ...world, files: beside })), "/app/deno");
  const onPath = { "/app/skep": REAL, "/b/deno": REAL, "/work/rel/deno": REAL };
  assertEquals(await findDeno(hostOf({ ...world, files: onPath })), "/b/deno");
});

Deno.test("findDeno() says what to do when there is none", async () => {
  const host = hostOf({ files: {}, execPath: "/app/skep", isStandalone: true });
  const error = await assertRejects(() => findDeno(host), SkepError, "SKEP_DENO");
  assertEquals(error.code, "DENO_NOT_FOUND");
});

Deno.test("denoDir() follows Deno's own rules", () => {
  const dir = (os: "linux" | "darwin" | "windows", env: Record<string, string>) =>
    denoDir(hostOf({ files: {}, env, os }));
  assertEquals(dir("linux", { DENO_DIR: "/d", HOME: "/h" }), "/d");
  assertEquals(dir("linux", { DENO_DIR: "rel", HOME: "/h" }), "/work/rel");
  assertEquals(dir("linux", { XDG_CACHE_HOME: "/x", HOME: "/h" }), "/x/deno");
  assertEquals(dir("linux", { DENO_DIR: "", HOME: "/h" }), "/h/.cache/deno");
  assertEquals(dir("darwin", { XDG_CACHE_HOME: "/x", HOME: "/h" }), "/h/Library/Caches/deno");
  assertEquals(dir("windows", { LOCALAPPDATA: "/l", HOME: "/h" }), "/l/deno");
  assertEquals(dir("linux", {}), "/work/.deno");
});
