// Files that another process swaps for links while they are read: nothing from outside may come back.
import { assertEquals } from "@std/assert";
import { readInside } from "../lib/host/read_inside.ts";
import { denoFiles } from "../lib/host/files.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import { readPack } from "../lib/persona/pack.ts";
import { readScript } from "../lib/persona/script_digest.ts";
import { PATIENCE_MS } from "./harness.ts";
import { folderWith, packOf } from "./packs.ts";

/** A process that makes a path, in turn, a plain file and a link that leads out, as fast as it can. */
function swapper(target: string, plain: string, outside: string): AsyncDisposable {
  const script = 'trap exit TERM; while :; do ln -s "$3" "$1.n"; mv -fT "$1.n" "$1"; ' +
    'printf "%s" "$2" >"$1.n"; mv -fT "$1.n" "$1"; done';
  const child = new Deno.Command("bash", {
    args: ["-c", script, "bash", target, plain, outside],
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM"); // it waits for the program that it runs
      await child.status;
    },
  };
}

const isLinux = Deno.build.os === "linux";

Deno.test({
  name: "readInside() gives what was inside, or refuses, while a process swaps file and link",
  ignore: !isLinux,
  fn: async () => {
    await using outside = await folderWith({ secret: "SECRET" });
    await using folder = await folderWith({ target: "plain" });
    const path = `${folder.path}/target`;
    await using _swapper = swapper(path, "plain", `${outside.path}/secret`);
    const seen = new Map<string, number>();
    const until = performance.now() + 2000;
    const isMet = () => seen.has("plain") && seen.has("refused");
    while (performance.now() < (isMet() ? until : until + PATIENCE_MS)) {
      let what: string;
      try {
        const found = readInside(folder.path, path, 100);
        what = found === undefined ? "none" : new TextDecoder().decode(found.bytes);
      } catch {
        what = "refused";
      }
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
    assertEquals(
      [...seen.keys()].filter((what) => !["plain", "none", "refused", ""].includes(what)),
      [],
    );
    // Both sides of the race were met, or the test proves nothing.
    assertEquals([seen.has("plain"), seen.has("refused")], [true, true]);
  },
});

Deno.test({
  name: "readPack() reads nothing from outside while a process swaps its instructions",
  ignore: !isLinux,
  fn: async () => {
    await using outside = await folderWith({ secret: "SECRET" });
    await using pack = await folderWith({ ...packOf(), "instructions.md": "plain" });
    const path = `${pack.path}/instructions.md`;
    await using _swapper = swapper(path, "plain", `${outside.path}/secret`);
    const until = performance.now() + 2000;
    let plain = 0;
    while (performance.now() < until) {
      const { pack: read } = await readPack(pack.path, denoFiles(), DEFAULT_LIMITS);
      assertEquals(read?.instructions?.includes("SECRET") ?? false, false);
      if (read?.instructions === "plain") plain++;
    }
    assertEquals(plain > 0, true);
  },
});

Deno.test({
  name: "a hook swapped while a session started ran other bytes than those that were checked",
  ignore: !isLinux,
  fn: async () => {
    await using outside = await folderWith({ evil: "EVIL" });
    await using pack = await folderWith({ "hooks/m.sh": "GOOD" });
    const read = () => readScript(pack.path, "hooks/m.sh", denoFiles(), DEFAULT_LIMITS);
    const accepted = (await read()).digest;
    const path = `${pack.path}/hooks/m.sh`;
    await using _swapper = swapper(path, "GOOD", `${outside.path}/evil`);
    const until = performance.now() + 2000;
    const seen = new Set<string>();
    const isMet = () => seen.has("accepted") && seen.has("other");
    while (performance.now() < (isMet() ? until : until + PATIENCE_MS)) {
      const { digest, entries } = await read();
      const texts = entries.map(({ bytes }) => new TextDecoder().decode(bytes));
      assertEquals(texts.includes("EVIL"), false);
      if (digest === accepted) assertEquals(texts, ["GOOD"]);
      seen.add(digest === accepted ? "accepted" : "other");
    }
    assertEquals([...seen].sort(), ["accepted", "other"]); // both sides of the race were met
  },
});
