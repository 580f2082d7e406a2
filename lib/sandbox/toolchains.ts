import { basename, dirname, join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { BASE_SET } from "./base_set.ts";
import { type ProtectedPath, protection } from "./never_granted.ts";
import { isWithin } from "./paths.ts";

/** Where version managers keep what their folder on PATH leads to, below a home folder: the person's or another. */
interface Toolchain {
  /** The folder on PATH. */
  readonly bin: string;
  /** What its programs need to be seen. */
  readonly shown: readonly string[];
  /** The variable that tells them where it is, since their HOME is another one. */
  readonly variable?: readonly [name: string, folder: string];
}

const TOOLCHAINS: readonly Toolchain[] = [
  { bin: ".pyenv/shims", shown: [".pyenv"], variable: ["PYENV_ROOT", ".pyenv"] },
  { bin: ".pyenv/bin", shown: [".pyenv"], variable: ["PYENV_ROOT", ".pyenv"] },
  { bin: ".cargo/bin", shown: [".cargo/bin", ".rustup"], variable: ["RUSTUP_HOME", ".rustup"] },
  { bin: ".asdf/shims", shown: [".asdf", ".tool-versions"], variable: ["ASDF_DATA_DIR", ".asdf"] },
  { bin: ".asdf/bin", shown: [".asdf"], variable: ["ASDF_DATA_DIR", ".asdf"] },
  { bin: ".rbenv/shims", shown: [".rbenv"], variable: ["RBENV_ROOT", ".rbenv"] },
  { bin: ".volta/bin", shown: [".volta"], variable: ["VOLTA_HOME", ".volta"] },
  {
    bin: ".local/share/mise/shims",
    shown: [".local/share/mise"],
    variable: ["MISE_DATA_DIR", ".local/share/mise"],
  },
  { bin: ".local/bin", shown: [".local/bin", ".local/share/uv", ".local/share/pipx"] },
];

/** The variables that tell programs where their toolchain lies, and why a server has them. */
export const TOOLCHAIN_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  TOOLCHAINS.flatMap(({ variable }) =>
    variable === undefined
      ? []
      : [[variable[0], `where ${variable[1]} lies, since its home is another one`]]
  ),
);

/** Managers whose root lies where their variable says, or is told by a file in it, with its shims in `shims`. */
const ROOTS: Readonly<Record<string, string>> = {
  PYENV_ROOT: "libexec/pyenv",
  RBENV_ROOT: "libexec/rbenv",
  ASDF_DATA_DIR: "installs",
  MISE_DATA_DIR: "installs",
  VOLTA_HOME: "tools",
};

/** Folders that hold a version each: the whole of it is shown. */
const VERSIONS = [".nvm/versions/node", ".local/share/fnm/node-versions", ".sdkman/candidates"];

/** What programs on PATH need to be seen, beyond the base set. */
export interface ShownPrograms {
  /** Folders and files, to read and run. */
  readonly paths: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** The folders of PATH that can be seen, in their order. */
  readonly path: string;
}

/**
 * What has to be shown so that the programs on a PATH run: its folders outside the base set, and for
 * those of a version manager in the home folder what its shims lead to. Nothing that is never
 * granted, and nothing that holds it.
 */
export async function shownPrograms(
  path: string,
  { host }: Pick<LaunchContext, "host">,
  guarded: readonly ProtectedPath[],
): Promise<ShownPrograms> {
  const { os } = host.platform;
  const paths = new Set<string>();
  const variables: Record<string, string> = {};
  const visible: string[] = [];
  for (const folder of new Set(path.split(":"))) {
    if (folder === "" || protection(folder, "read", guarded, os) !== undefined) continue;
    // Where this user may not look nothing can be shown, as where nothing is.
    if (!(await host.files.stat(folder).catch(() => undefined))?.isDirectory) continue;
    visible.push(folder);
    if (Object.keys(BASE_SET).some((base) => isWithin(folder, base, os))) continue;
    const found = await toolchainOf(folder, host);
    if (found.variable !== undefined) variables[found.variable[0]] = found.variable[1];
    for (const each of found.shown) {
      const isThere = await host.files.stat(each).catch(() => undefined) !== undefined;
      if (isThere && protection(each, "read", guarded, os) === undefined) paths.add(each);
    }
  }
  return { paths: [...paths], variables, path: visible.join(":") };
}

/** What the programs of one folder of PATH need to be seen, as absolute paths. */
interface Found {
  readonly shown: readonly string[];
  readonly variable?: readonly [name: string, folder: string];
}

async function toolchainOf(
  folder: string,
  { env, files }: Pick<LaunchContext["host"], "env" | "files">,
): Promise<Found> {
  const isThere = async (path: string) =>
    await files.stat(path).catch(() => undefined) !== undefined;
  const known = TOOLCHAINS.find(({ bin }) => folder.endsWith(`/${bin}`));
  if (known !== undefined) {
    const home = folder.slice(0, -known.bin.length - 1) || "/";
    const { variable } = known;
    return {
      shown: known.shown.map((each) => join(home, each)),
      ...(variable === undefined ? {} : { variable: [variable[0], join(home, variable[1])] }),
    };
  }
  const versions = VERSIONS.find((each) => `${folder}/`.includes(`/${each}/`));
  if (versions !== undefined) {
    return { shown: [folder.slice(0, folder.indexOf(`/${versions}/`) + 1) + versions] };
  }
  const root = dirname(folder);
  for (const [name, mark] of Object.entries(ROOTS)) {
    const isRoot = env(name) === root ||
      basename(folder) === "shims" && await isThere(join(root, mark));
    if (isRoot) return { shown: [root], variable: [name, root] };
  }
  if (basename(folder) !== "bin") return { shown: [folder] };
  // A virtual environment of Python's, and a Node wherever it lies: what is in `bin` leads to what is beside it.
  if (await isThere(join(root, "pyvenv.cfg"))) return { shown: [root] };
  const modules = join(root, "lib", "node_modules");
  return { shown: await isThere(modules) ? [folder, modules] : [folder] };
}
