import { dirname, join, resolve } from "@std/path";
import type { FileFacts, Files } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { LaunchContext } from "./context.ts";

/** A world for the unit tests of this folder: files in memory, an environment of its own, no processes. */
export interface TestWorld {
  /** Path to text; a value that starts with `->` is a link to the rest, one that ends with `/` a folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly os?: "linux" | "darwin" | "windows";
}

const FIRST_FILES = {
  "/home/u": "/",
  "/tmp": "/",
  "/usr/bin/bash": "#!",
  "/usr/bin/git": "#!",
  "/work/ws": "/",
  "/skep/personas/guide": "/",
};
const FIRST_ENV = { HOME: "/home/u", PATH: "/usr/bin", LANG: "C.UTF-8" };

/** A context over a {@linkcode TestWorld}: workspace `/work/ws`, home `/home/u`, skep in `/skep`. */
export function testContext(
  world: TestWorld = {},
  more: Partial<LaunchContext> = {},
): LaunchContext {
  const env: Record<string, string> = { ...FIRST_ENV, ...world.env };
  return {
    host: {
      env: (name) => env[name],
      files: memoryFiles({ ...FIRST_FILES, ...world.files }),
      spawn: () => {
        throw new Error("Cannot start a process in a unit test");
      },
      platform: { os: world.os ?? "linux", arch: "x86_64" },
      execPath: () => "/opt/deno",
      isStandalone: false,
      isRoot: () => false,
      cwd: () => "/work/ws",
      sleep: () => Promise.reject(new Error("Cannot wait in a unit test")),
      nowMs: () => 0,
      listenUnix: () => Promise.reject(new Error("Cannot listen in a unit test")),
      connectTcp: () => Promise.reject(new Error("Cannot connect in a unit test")),
      lookup: () => Promise.reject(new Error("Cannot look a name up in a unit test")),
    },
    workspace: "/work/ws",
    pack: "/skep/personas/guide",
    folders: {
      config: "/home/u/.config/skep",
      state: "/home/u/.local/state/skep",
      cache: "/home/u/.cache/skep",
    },
    programRoot: "/skep",
    sandbox: "auto",
    confiner: () => Promise.resolve({ problem: "this is a test" }),
    isOffline: false,
    limits: DEFAULT_LIMITS,
    progress: () => {},
    ...more,
  };
}

/** Files in memory: enough of {@linkcode Files} for looking around and for small files. */
export function memoryFiles(first: Readonly<Record<string, string>>): Files {
  const nodes = new Map<string, string>();
  const put = (path: string, value: string) => {
    for (let each = dirname(path); !nodes.has(each); each = dirname(each)) nodes.set(each, "/");
    nodes.set(path, value);
  };
  nodes.set("/", "/");
  for (const [path, value] of Object.entries(first)) put(path, value);
  const real = (path: string): string => {
    let found = "/";
    for (const part of path.split("/").filter((each) => each !== "")) {
      found = join(found, part);
      const node = nodes.get(found);
      if (node?.startsWith("->")) found = real(resolve(dirname(found), node.slice(2)));
      else if (node === undefined) throw new Error(`No such file: ${path}`);
    }
    return found;
  };
  const facts = (path: string): FileFacts | undefined => {
    const node = nodes.get(path);
    return node === undefined ? undefined : {
      isFile: node !== "/" && !node.startsWith("->"),
      isDirectory: node === "/",
      isSymlink: node.startsWith("->"),
      bytes: node.length,
      mode: 0o755,
    };
  };
  const followed = (path: string): string | undefined => {
    try {
      return real(path);
    } catch {
      return undefined; // a missing file is an answer here
    }
  };
  let folders = 0;
  return {
    readText: async (path, maxBytes) => {
      const text = nodes.get(await real(path)) ?? "";
      if (text.length <= maxBytes) return text;
      throw new RangeError(`Cannot read "${path}": the limit is ${maxBytes}`);
    },
    readBytes: (path) => Promise.resolve(new TextEncoder().encode(nodes.get(real(path)) ?? "")),
    readInside: (_folder, path) => Promise.reject(new Error(`Not in memory: ${path}`)),
    writeText: (path, text) => Promise.resolve(put(path, text)),
    append: (path, text) => Promise.resolve(put(path, (nodes.get(path) ?? "") + text)),
    stat: (path) => {
      const target = followed(path);
      return Promise.resolve(target === undefined ? undefined : facts(target));
    },
    lstat: (path) => {
      const parent = followed(dirname(path));
      return Promise.resolve(
        parent === undefined ? undefined : facts(join(parent, path.slice(dirname(path).length))),
      );
    },
    identity: (path) => {
      const node = facts(path);
      const id = { isSymlink: node?.isSymlink === true, id: path, changedMs: 0 };
      return Promise.resolve(node && id);
    },
    realPath: async (path) => await real(path),
    list: (path) => {
      const inside = [...nodes.keys()].filter((each) => each !== path && dirname(each) === path);
      return Promise.resolve(inside.map((each) => each.slice(path.length + 1)).sort());
    },
    writeBytes: (path, bytes) => Promise.resolve(put(path, new TextDecoder().decode(bytes))),
    copy: (from, to) => Promise.resolve(put(to, nodes.get(from) ?? "")),
    setMode: () => Promise.resolve(),
    rename: (from, to) => {
      put(to, nodes.get(from) ?? "");
      nodes.delete(from);
      return Promise.resolve();
    },
    removeEmptyFolder: (path) => Promise.resolve(void nodes.delete(path)),
    hold: () => Promise.resolve({ release: (last) => last() }),
    makeFolder: (path) => Promise.resolve(put(path, "/")),
    makeTempFolder: (prefix) => {
      const path = `/tmp/${prefix}${++folders}`;
      put(path, "/");
      return Promise.resolve(path);
    },
    remove: (path) => {
      for (const each of [...nodes.keys()]) {
        if (each === path || each.startsWith(`${path}/`)) nodes.delete(each);
      }
      return Promise.resolve();
    },
  };
}
