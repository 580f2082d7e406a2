import { isAbsolute, join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { KEY_VARIABLES } from "./keys.ts";
import { canonicalPath, isWithin } from "./paths.ts";

/** A path that no server gets, whoever asks. */
export interface ProtectedPath {
  readonly path: string;
  /** What lies there, as the end of "… is never granted: it holds". */
  readonly holds: string;
  /**
   * `all`: nothing at or below it is granted. `writes`: reading is, since skep is run from it. `above`: only
   * what holds it whole is refused; folders below it may be granted.
   */
  readonly covers: "all" | "writes" | "above";
  /** It is a file where it is there. Others are folders. */
  readonly isFile?: true;
}

/** Those of the table below that are files. */
const FILES_IN_HOME: readonly string[] = [
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".npmrc",
  ".pypirc",
  ".cargo/credentials.toml",
];

/** Below the person's home folder, with `/` between. */
const IN_HOME: Readonly<Record<string, string>> = {
  ".ssh": "SSH keys",
  ".gnupg": "GPG keys",
  ".aws": "AWS credentials",
  ".azure": "Azure credentials",
  ".config/gcloud": "Google Cloud credentials",
  ".kube": "Kubernetes credentials",
  ".docker": "registry credentials",
  ".config/gh": "GitHub credentials",
  ".config/op": "1Password's settings",
  ".netrc": "passwords",
  ".git-credentials": "passwords",
  ".config/git/credentials": "passwords",
  ".npmrc": "registry tokens",
  ".pypirc": "registry tokens",
  ".cargo/credentials.toml": "registry tokens",
  ".password-store": "passwords",
  ".local/share/keyrings": "passwords",
  ".claude": "another agent's credentials",
  ".codex": "another agent's credentials",
  ".gemini": "another agent's credentials",
  ".mozilla": "a browser's profile",
  ".config/google-chrome": "a browser's profile",
  ".config/chromium": "a browser's profile",
  ".config/BraveSoftware": "a browser's profile",
  ".config/microsoft-edge": "a browser's profile",
};

const IN_HOME_ON_MACOS: Readonly<Record<string, string>> = {
  "Library/Keychains": "passwords",
  "Library/Cookies": "a browser's cookies",
  "Library/Safari": "a browser's profile",
  "Library/Application Support/Firefox": "a browser's profile",
  "Library/Application Support/Google/Chrome": "a browser's profile",
  "Library/Application Support/Chromium": "a browser's profile",
  "Library/Application Support/BraveSoftware": "a browser's profile",
  "Library/Application Support/Microsoft Edge": "a browser's profile",
};

const IN_HOME_ON_WINDOWS: Readonly<Record<string, string>> = {
  "AppData/Roaming/Microsoft/Credentials": "passwords",
  "AppData/Roaming/Microsoft/Protect": "keys",
  "AppData/Roaming/GitHub CLI": "GitHub credentials",
  "AppData/Roaming/Mozilla": "a browser's profile",
  "AppData/Local/Google/Chrome": "a browser's profile",
  "AppData/Local/Chromium": "a browser's profile",
  "AppData/Local/BraveSoftware": "a browser's profile",
  "AppData/Local/Microsoft/Edge": "a browser's profile",
};

/**
 * What is never granted on this machine, each path as written and, where links make it another one,
 * as canonical too. `denoDir` is Deno's cache, from which skep runs code; `temporary` holds the private
 * folders of servers, where it is known already.
 */
export async function protectedPaths(
  context: Pick<LaunchContext, "host" | "folders" | "modelKeys">,
  places: { readonly denoDir: string; readonly temporary?: string },
): Promise<ProtectedPath[]> {
  const { host, folders, modelKeys = { variables: [], files: [] } } = context;
  const variables = [...KEY_VARIABLES, ...modelKeys.variables];
  const named = variables.map((name) => host.env(`${name}_FILE`)?.trim() ?? "").filter(isAbsolute);
  const keyFiles = [...new Set([...named, ...modelKeys.files])];
  const all = (path: string, holds: string): ProtectedPath => ({ path, holds, covers: "all" });
  const home = host.env(host.platform.os === "windows" ? "USERPROFILE" : "HOME");
  const agent = host.env("SSH_AUTH_SOCK");
  const written: ProtectedPath[] = [
    all(folders.config, "skep's settings and keys"),
    all(folders.state, "skep's own state"),
    all(folders.cache, "programs that skep runs"),
    ...keyFiles.map((path) => ({ ...all(path, "a model's key"), isFile: true } as const)),
    ...(agent ? [all(agent, "the SSH agent")] : []),
    ...(home ? inHome(host.platform.os, home) : []),
    { path: places.denoDir, holds: "programs that skep runs", covers: "writes" },
    ...(places.temporary === undefined ? [] : [temporaryFolder(places.temporary)]),
  ];
  const known = new Map<string, Promise<string>>();
  const canonical = await Promise.all(written.map(async (each) => {
    // A link that leads nowhere has no canonical path: then there is nothing behind it to protect.
    const path = await canonicalPath(each.path, host, known).catch(() => each.path);
    return { ...each, path };
  }));
  return [...written, ...canonical.filter((each, index) => each.path !== written[index]?.path)];
}

/** Why nothing in there is granted, as a sentence without its first letter's case and its end. */
export function neverGranted({ path, holds, covers }: ProtectedPath): string {
  return covers === "writes"
    ? `no server may write ${path}: it holds ${holds}`
    : `${path} is never granted: it holds ${holds}`;
}

function temporaryFolder(path: string): ProtectedPath {
  return { path, holds: "the private folders of other servers", covers: "above" };
}

/** How a path stands to what is never granted; undefined when nothing is in its way. */
export function protection(
  path: string,
  access: "read" | "write",
  guarded: readonly ProtectedPath[],
  os: LaunchContext["host"]["platform"]["os"],
): { readonly by: ProtectedPath; readonly relation: "inside" | "above" } | undefined {
  const matters = guarded.filter(({ covers }) => covers !== "writes" || access === "write");
  const inside = matters.find((each) => each.covers !== "above" && isWithin(path, each.path, os));
  if (inside !== undefined) return { by: inside, relation: "inside" };
  // The gravest first: what skep runs from can be held where it lies, and is no secret.
  const above = matters.filter((each) => isWithin(each.path, path, os))
    .toSorted((a, b) => Number(a.covers === "writes") - Number(b.covers === "writes"))[0];
  return above === undefined ? undefined : { by: above, relation: "above" };
}

function inHome(os: LaunchContext["host"]["platform"]["os"], home: string): ProtectedPath[] {
  const table = {
    ...IN_HOME,
    ...(os === "darwin" ? IN_HOME_ON_MACOS : {}),
    ...(os === "windows" ? IN_HOME_ON_WINDOWS : {}),
  };
  return Object.entries(table).map(([name, holds]): ProtectedPath => ({
    path: join(home, name),
    holds,
    covers: "all",
    ...(FILES_IN_HOME.includes(name) ? { isFile: true } : {}),
  }));
}
