import { join } from "@std/path";
import { denoDir, findDeno } from "../../host/deno_binary.ts";
import type { LaunchContext } from "../context.ts";
import { DENO_VARIABLES } from "../environment.ts";
import { masksPaths } from "../path_rules.ts";
import { isWithin } from "../paths.ts";
import type { Launch } from "../launch.ts";
import type { Laid } from "./bait.ts";
import type { GrantedEntries } from "./granted_entries.ts";
import { probeFolder } from "./entry.ts";

/** What a shell sets for itself. */
const SHELL_VARIABLES = ["PWD", "OLDPWD", "SHLVL", "_"];
/** What pyenv sets for itself before it starts the Python that it manages. */
const PYENV_VARIABLES = [
  "PYENV_DIR",
  "PYENV_FILE_ARG",
  "PYENV_HOOK_PATH",
  "PYENV_VERSION",
  "_PYENV_INSTALL_PREFIX",
];
/** Files of skep's own that no server may write, below its folder. */
const PROGRAMS = ["tools/launch/main.js", "lib/sandbox/confinement.ts", "deno.json", "deno.lock"];

/** Files in a person's home folder that tell of the person, and that no server has a use for. */
const PERSONAL_FILES = [
  ".profile",
  ".bashrc",
  ".bash_history",
  ".zshrc",
  ".zsh_history",
  ".gitconfig",
];

/** Writes the probe's programs, and what they have to know, into the server's private folder. */
export async function writeProbe(
  launch: Launch,
  laid: Laid & GrantedEntries,
  canaries: readonly string[],
  { host, programRoot, limits }: LaunchContext,
): Promise<void> {
  const { files } = host;
  const folder = probeFolder(launch);
  const source = join(programRoot, "tools", "probe", "inside");
  await files.makeFolder(folder);
  for (const name of await files.list(source)) {
    const text = await files.readText(join(source, name), limits.maxConfigFileBytes);
    await files.writeText(join(folder, name), text);
  }
  for (const type of ["json", "text"]) {
    const path = type === "json" ? laid.secretJson : laid.secret;
    await files.writeText(join(folder, `static_${type}.js`), staticImport(path, type));
  }
  const facts = await whatToKnow(launch, laid, canaries, { host, programRoot });
  await files.writeText(join(folder, "bait.json"), JSON.stringify(facts));
  await files.writeText(join(folder, "bait.sh"), shellText(facts));
}

/** A program whose import comes before anything that could catch its failure. */
function staticImport(path: string, type: string): string {
  const result = {
    probe: `static-import-${type}`,
    expected: "denied",
    outcome: "allowed",
    detail: "it was read",
  };
  return `import value from ${JSON.stringify(`file://${path}`)} with { type: "${type}" };\n` +
    `if (value) console.log(${JSON.stringify(JSON.stringify(result))});\n`;
}

async function whatToKnow(
  launch: Launch,
  laid: Laid & GrantedEntries,
  canaries: readonly string[],
  { host, programRoot }: Pick<LaunchContext, "host" | "programRoot">,
): Promise<Record<string, unknown>> {
  const { grant } = launch;
  const { env, program } = launch.confined?.inner ?? launch.command;
  const backend = launch.confined?.backend ?? "flags";
  const { os } = host.platform;
  // Below a private /tmp anything can be made: it is another one.
  const isElsewhere = (path: string) =>
    masksPaths(launch.confined?.backend) &&
    ["/tmp", "/var/tmp"].some((folder) => isWithin(path, folder, os)) &&
    !grant.write.some(({ value }) => isWithin(path, value, os));
  const runFrom = grant.guarded.filter(({ covers, path }) =>
    covers === "writes" && !isElsewhere(path)
  );
  const kinds = await Promise.all(runFrom.map(async ({ path }) => ({
    path,
    isFolder: (await host.files.stat(path).catch(() => undefined))?.isDirectory,
  })));
  const known = grant.guarded.filter(({ covers }) => covers === "all").map(({ path }) => path);
  const isThere = async (path: string) => await host.files.stat(path).catch(() => {}) !== undefined;
  const there = await Promise.all(known.map(isThere));
  const personal: string[] = [];
  for (const name of PERSONAL_FILES) {
    const path = join(host.env("HOME") ?? "/nonexistent", name);
    if (await isThere(path)) personal.push(path);
  }
  return {
    ...laid,
    personal,
    credentials: [...laid.credentials, ...known.filter((_, index) => there[index])],
    canariesReversed: [
      ...laid.canariesReversed,
      ...canaries.map((text) => [...text].reverse().join("")),
    ],
    tmp: grant.tmp,
    deno: launch.kind === "native" ? await findDeno(host) : program,
    denoDir: denoDir(host),
    runFiles: kinds.filter(({ isFolder }) => isFolder === false).map(({ path }) => path),
    runFolders: kinds.filter(({ isFolder }) => isFolder === true).map(({ path }) => path),
    backend,
    isReadable: grant.read.some(({ value }) => value === grant.workspace),
    isWritable: grant.write.some(({ value }) => value === grant.workspace),
    hasOwnNetwork: backend !== "landlock",
    programs: PROGRAMS.map((name) => join(programRoot, name)),
    variables: [
      ...grant.env.map(({ value }) => value),
      ...Object.keys(env),
      ...Object.keys(DENO_VARIABLES),
      ...SHELL_VARIABLES,
      ...(env.PYENV_ROOT === undefined ? [] : PYENV_VARIABLES),
    ],
  };
}

/** The same for bash: `tcpPort` is its `tcp_port`, a list an array, but for names, which are joined. */
function shellText(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts).map(([name, value]) => {
    const variable = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (name === "variables") return `${variable}=${quoted((value as string[]).join(" "))}\n`;
    if (Array.isArray(value)) return `${variable}=(${value.map(quoted).join(" ")})\n`;
    return `${variable}=${quoted(value === false ? "" : value)}\n`;
  }).join("");
}

function quoted(value: unknown): string {
  return `'${String(value).replaceAll("'", `'\\''`)}'`;
}
