// What unit tests of the commands share.
import type { CommandWorld } from "./output.ts";

/** What a command wrote. */
export interface Written {
  readonly written: { readonly out: string; readonly err: string };
}

/**
 * A disk in memory: absolute path to text, a folder for each part of a path. What is written to stdout
 * and stderr is kept.
 */
export function disk(files: Readonly<Record<string, string>>): CommandWorld & Written {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    writeSync: (bytes: Uint8Array) => {
      written[name] += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  });
  const below = (folder: string) => {
    const names = new Map<string, boolean>();
    for (const path of Object.keys(files)) {
      if (!path.startsWith(`${folder}/`)) continue;
      const [name = "", ...rest] = path.slice(folder.length + 1).split("/");
      names.set(name, rest.length > 0);
    }
    return names;
  };
  return {
    readDir: (folder: string) => {
      const names = below(folder);
      if (names.size === 0) throw new Error("no such folder");
      return ReadableStream.from(
        [...names].map(([name, isDirectory]) => ({ name, isDirectory, isFile: !isDirectory })),
      );
    },
    written,
    stdout: stream("out"),
    stderr: stream("err"),
    cwd: () => "/w",
    stat: (path: string) => {
      const isFile = path in files;
      if (!isFile && below(path).size === 0) return Promise.reject(new Error("no such file"));
      return Promise.resolve({ isFile, isDirectory: !isFile, size: files[path]?.length ?? 0 });
    },
    readFile: (path: string) => Promise.resolve(new TextEncoder().encode(files[path])),
    readTextFile: (path: string) =>
      path in files ? Promise.resolve(files[path]) : Promise.reject(new Error("none")),
    lstat: (path: string) =>
      below(path).size > 0 ? Promise.resolve({}) : Promise.reject(new Error("none")),
    open: (path: string) => {
      let rest = new TextEncoder().encode(files[path]);
      const size = rest.length;
      return Promise.resolve({
        stat: () => Promise.resolve({ size }),
        read: (into: Uint8Array) => {
          if (rest.length === 0) return Promise.resolve(null);
          const part = rest.subarray(0, into.length);
          into.set(part);
          rest = rest.subarray(part.length);
          return Promise.resolve(part.length);
        },
        [Symbol.dispose]: () => {},
      });
    },
  } as unknown as CommandWorld & Written;
}
