import { join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { BASE_SET } from "./base_set.ts";
import { type ProtectedPath, protection } from "./never_granted.ts";
import { isWithin } from "./paths.ts";

/** Where version managers keep what their folder on PATH leads to, below the home folder. */
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
  const home = host.env("HOME");
  const paths = new Set<string>();
  const variables: Record<string, string> = {};
  const visible: string[] = [];
  for (const folder of new Set(path.split(":"))) {
    if (folder === "" || protection(folder, "read", guarded, os) !== undefined) continue;
    // Where this user may not look nothing can be shown, as where nothing is.
    if (!(await host.files.stat(folder).catch(() => undefined))?.isDirectory) continue;
    visible.push(folder);
    if (Object.keys(BASE_SET).some((base) => isWithin(folder, base, os))) continue;
    const known = home === undefined
      ? undefined
      : TOOLCHAINS.find(({ bin }) => folder === join(home, bin));
    const version = home === undefined
      ? undefined
      : VERSIONS.find((each) => isWithin(folder, join(home, each), os));
    if (known?.variable !== undefined) {
      variables[known.variable[0]] = join(home!, known.variable[1]);
    }
    const shown = known !== undefined
      ? known.shown.map((each) => join(home!, each))
      : [version === undefined ? folder : join(home!, version)];
    for (const each of shown) {
      const isThere = await host.files.stat(each).catch(() => undefined) !== undefined;
      if (isThere && protection(each, "read", guarded, os) === undefined) paths.add(each);
    }
  }
  return { paths: [...paths], variables, path: visible.join(":") };
}
