import { isAbsolute } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { isWithin } from "./paths.ts";

/** What Deno alone reads of the certificates to trust; programs read `SSL_CERT_FILE` and its kin. */
export const DENO_CERTIFICATES: Readonly<Record<string, string>> = {
  DENO_TLS_CA_STORE: "which certificates Deno trusts",
  DENO_CERT: "certificates to trust",
};

/** Variables of files and folders of certificates to trust. */
const OF_FILES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "DENO_CERT"] as const;
/** Those that Deno's store of the system reads, which fails when one of them names nothing. */
const OF_SYSTEM: readonly string[] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

type World = { readonly host: Pick<LaunchContext["host"], "env" | "files" | "platform"> };

/** Where the certificates lie that the runtime's environment names: each server may read them. */
export async function certificatePaths(world: World): Promise<string[]> {
  const named = await Promise.all(OF_FILES.map((name) => pathsOf(name, world)));
  return [...new Set(named.flatMap(({ shown }) => shown))];
}

/** What a `deno` is told of certificates: those of the runtime's environment, and of the system. */
export async function certificateValues(world: World): Promise<Record<string, string>> {
  const { env } = world.host;
  const [cert, ...system] = await Promise.all(
    ["DENO_CERT", ...OF_SYSTEM].map((name) => pathsOf(name, world)),
  );
  const isWhole = system.every(({ isAll }) => isAll);
  const store = env("DENO_TLS_CA_STORE") || (isWhole ? "system,mozilla" : "");
  const [own] = cert!.shown;
  return {
    ...(store === "" ? {} : { DENO_TLS_CA_STORE: store }),
    ...(own === undefined ? {} : { DENO_CERT: own }),
  };
}

/** The paths of a variable that are there. A folder around the home folder is none of certificates alone. */
async function pathsOf(
  name: string,
  { host: { env, files, platform: { os } } }: World,
): Promise<{ readonly shown: readonly string[]; readonly isAll: boolean }> {
  const value = env(name) ?? "";
  const home = env(os === "windows" ? "USERPROFILE" : "HOME") ?? "";
  const delimiter = os === "windows" ? ";" : ":";
  const paths = (name === "SSL_CERT_DIR" ? value.split(delimiter) : [value])
    .filter((path) => path !== "");
  const isUsable = async (path: string) =>
    isAbsolute(path) && !(home !== "" && isWithin(home, path, os)) &&
    await files.stat(path).catch(() => undefined) !== undefined;
  const found = await Promise.all(paths.map(isUsable));
  return { shown: paths.filter((_, place) => found[place]), isAll: found.every(Boolean) };
}
