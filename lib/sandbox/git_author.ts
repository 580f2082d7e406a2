import { join } from "@std/path";
import { SYSTEM_PATH } from "../host/system_path.ts";
import type { LaunchContext } from "./context.ts";
import { findProgram } from "./programs.ts";
import { runTrial } from "./run_trial.ts";

/** What a server takes for an author; git writes no other. */
const NAME = /^[^<>\n\0]+$/;
const ADDRESS = /^[^<>\s\0]+$/;
/** Where git looks for a person's settings. */
const PLACES = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"] as const;

/**
 * Who the person's own settings of git say that they are, in this workspace: `NAME <ADDRESS>`. A server's
 * private home has none of these settings, and is not to see the file, which may hold more. Undefined where
 * they do not say both.
 */
export async function gitAuthor(
  { host, workspace }: Pick<LaunchContext, "host" | "workspace">,
): Promise<string | undefined> {
  const env = Object.fromEntries(
    PLACES.flatMap((name) => {
      const value = host.env(name);
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
  if (!await hasSettings(env, host)) return undefined; // where there is no git, macOS would offer one
  const git = await findProgram("git", SYSTEM_PATH, host);
  if (git === undefined) return undefined;
  const [name, address] = await Promise.all(["user.name", "user.email"].map(async (key) => {
    const args = ["-C", workspace, "config", "--global", "--includes", "--null", "--get", key];
    const { code, stdout } = await runTrial(git, args, SYSTEM_PATH, host, env);
    return code === 0 ? stdout.replace(/\0$/, "").trim() : "";
  }));
  if (!NAME.test(name ?? "") || !ADDRESS.test(address ?? "")) return undefined;
  return `${name} <${address}>`;
}

async function hasSettings(
  { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL }: Readonly<Record<string, string>>,
  { files }: LaunchContext["host"],
): Promise<boolean> {
  const usual = HOME === undefined
    ? []
    : [join(HOME, ".gitconfig"), join(HOME, ".config", "git", "config")];
  const other = XDG_CONFIG_HOME === undefined ? [] : [join(XDG_CONFIG_HOME, "git", "config")];
  const places = GIT_CONFIG_GLOBAL === undefined ? [...usual, ...other] : [GIT_CONFIG_GLOBAL];
  const found = await Promise.all(places.map((path) => files.stat(path).catch(() => undefined)));
  return found.some((facts) => facts?.isFile === true);
}
