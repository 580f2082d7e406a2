// The tests that start something as another user: who that is, and what such a user needs.
import { join } from "@std/path";
import { runChild, tempFolder } from "./harness.ts";

/** A user to start programs as, with a folder of its own. */
export interface TestUser extends AsyncDisposable {
  /** Words that go before a command, so that it runs as this user. */
  readonly before: readonly string[];
  readonly folder: string;
  /** Deno's cache for it. */
  readonly denoDir: string;
}

/** A number that no user of the machine has, so that a signal to all of its processes hits nobody. */
const UID = 64_321;
const SETPRIV = "/usr/bin/setpriv";

/** True when the tests run as the administrator, and may become somebody else. */
export const CAN_BE_ANOTHER: boolean = Deno.uid() === 0 && exists(SETPRIV);

/** Whoever runs the tests. */
export async function thisUser(denoDir: string): Promise<TestUser> {
  const folder = await tempFolder();
  return {
    before: [],
    folder: folder.path,
    denoDir,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** An ordinary user. Packages come from `denoDir`, since nothing is to be fetched. */
export async function ordinaryUser(denoDir: string): Promise<TestUser> {
  const folder = await tempFolder();
  await Deno.chown(folder.path, UID, UID);
  return {
    before: [SETPRIV, `--reuid=${UID}`, `--regid=${UID}`, "--clear-groups", "--"],
    folder: folder.path,
    denoDir: await (cache ??= makeCache(denoDir)),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** One cache for all the tests of a file: what it holds of code is compiled once. */
let cache: Promise<string> | undefined;

async function makeCache(denoDir: string): Promise<string> {
  const own = Deno.makeTempDirSync({ prefix: "skep-test-deno-" });
  addEventListener("unload", () => Deno.removeSync(own, { recursive: true }));
  for (const flag of ["-rl", "-r"]) { // hard links, where the file system allows it
    const { code } = await runChild("/bin/cp", [flag, join(denoDir, "npm"), own], {});
    if (code === 0) break;
  }
  await Deno.chown(own, UID, UID);
  return own;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false; // a machine without util-linux
  }
}
