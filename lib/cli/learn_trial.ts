import { dirname, join, resolve } from "@std/path";
import type { Host } from "../host/host.ts";
import type { CallResult } from "../mcp/registry.ts";
import { startRegistry } from "../mcp/start_registry.ts";
import { inWorkspace } from "../persona/interpolate.ts";
import { readCommand } from "../sandbox/command.ts";
import { explainDenial, findDenial } from "../sandbox/denial.ts";
import { type Launch, prepareLaunch } from "../sandbox/launch.ts";
import { changedFiles, listFiles } from "../sandbox/learn/changed_files.ts";
import { parseAccess } from "../sandbox/learn/parse_access.ts";
import { permissive, recordOf } from "../sandbox/learn/permissive.ts";
import { proposeGrant, SCRATCH, type Trial } from "../sandbox/learn/propose_grant.ts";
import {
  jsonToCopies,
  type MadeStandIn,
  makeStandIn,
  type StandIn,
  toCopies,
  toReal,
} from "../sandbox/learn/stand_ins.ts";
import { masksPaths, pathProblem } from "../sandbox/path_rules.ts";
import { canonicalPath, isAbsolutePath, isWithin, relativeTo } from "../sandbox/paths.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { VERSION } from "../version.ts";
import type { Run } from "./prepare_run.ts";

/** A call to make in a trial run. */
export interface TrialCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a trial run is made with. */
export interface TrialWishes {
  readonly calls: readonly TrialCall[];
  readonly net: readonly string[];
  readonly programs: readonly string[];
  /** Outside of the workspace. */
  readonly read: readonly string[];
  /** Outside of the workspace: what is written there goes to a copy. */
  readonly write: readonly string[];
}

/** How a trial run went. */
export interface Ran {
  readonly trial: Trial;
  /** Why it did not start; undefined when it did. */
  readonly failure?: string;
  /** Programs that it was refused. */
  readonly refused: readonly string[];
  /** What it read outside of the workspace, and what is never granted aside. */
  readonly read: readonly string[];
  /** What it wrote there, or tried to. */
  readonly write: readonly string[];
  /** What it wrote that had no whole copy. */
  readonly partial: readonly string[];
  readonly tools: readonly string[];
  /** What calls came to, by their place. */
  readonly results: readonly CallResult[];
}

/**
 * Runs a server once, in an empty workspace and with copies of what it writes elsewhere, makes the calls and
 * gives what it did. Paths in it are the person's own again, those of the workspace aside.
 *
 * @throws {SkepError} what `prepareLaunch()` throws.
 */
export async function runTrial(
  spec: ServerSpec,
  wishes: TrialWishes,
  run: Run,
  host: Host,
  signal: AbortSignal,
): Promise<Ran> {
  await using place = await makePlace(spec, wishes, run, host);
  const { workspace, standIns, partial } = place;
  const list = () => listFiles(standIns.map(({ copy }) => copy), host.files, run.settings.limits);
  const before = await list();
  const context = { ...await run.context(workspace, signal), workspace };
  let launch: Launch | undefined;
  let refusal: unknown;
  const notices: string[] = [];
  const registry = await startRegistry({
    specs: [trialSpec(spec, wishes, place, run.settings.cwd)],
    prepare: async (named, isRefetching) => {
      try {
        return launch = await prepareLaunch(named, { ...context, isRefetching }, permissive);
      } catch (error) {
        refusal = error;
        throw error;
      }
    },
    findDenial,
    explainDenial,
    world: host,
    limits: run.settings.limits,
    onNotice: (text) => notices.push(text),
    onLog: ({ kind, text }) => kind === "stderr" ? notices.push(text) : undefined,
    clientInfo: { name: "skep", version: VERSION },
    roots: await hasFolders(spec, run, host) ? [] : [workspace],
    signal,
  });
  try {
    if (refusal !== undefined) throw refusal;
    const results: CallResult[] = [];
    for (const { tool, args } of wishes.calls) {
      const name = tool.startsWith(`${spec.name}__`) ? tool : `${spec.name}__${tool}`;
      const copied = jsonToCopies(args, standIns) as TrialCall["args"];
      results.push(withText(await registry.call(name, copied, signal), standIns));
    }
    const said = [...notices, ...results.flatMap(({ content }) => content.map(textOf))].join("\n");
    const [status] = registry.servers();
    const tools = registry.tools().map(({ name }) => name);
    await registry.close(); // it records to its end
    const after = await list();
    // Deno records nothing of a program: what it wrote is seen by what lies there now.
    const written = wishes.programs.length === 0 ? [] : changedFiles(before, after);
    const made = new Set([...after.keys()].filter((path) => !before.has(path)));
    const trial = await readTrial(launch!, spec, { ...place, written, made }, run, host);
    const { read = [], write = [] } = proposeGrant(trial).permissions;
    return {
      trial,
      ...(status?.state === "healthy"
        ? {}
        : { failure: toReal(status?.reason ?? "did not start", standIns) }),
      refused: refusedPrograms(said).filter((name) => !wishes.programs.includes(name)),
      read: outside(read),
      write: outside(write),
      partial,
      tools,
      results,
    };
  } finally {
    await registry.close();
  }
}

/** Where a trial happens. */
interface TrialPlace extends AsyncDisposable {
  /** Empty, and canonical. */
  readonly workspace: string;
  /** The workspace's, and those of {@linkcode TrialWishes.write}. */
  readonly standIns: readonly StandIn[];
  /** What has no whole copy. */
  readonly partial: readonly string[];
}

/** What became of a place in a trial. */
interface UsedPlace extends Pick<TrialPlace, "workspace" | "standIns"> {
  /** What was written there, by whom ever. */
  readonly written: readonly string[];
  /** What was not there before. */
  readonly made: ReadonlySet<string>;
}

async function makePlace(
  spec: ServerSpec,
  wishes: TrialWishes,
  { settings }: Run,
  { files }: Host,
): Promise<TrialPlace> {
  const workspace = await files.makeTempFolder("skep-learn-");
  const made: MadeStandIn[] = [];
  const place = {
    workspace,
    [Symbol.asyncDispose]: async () => {
      for (const folder of [workspace, ...made.map((each) => each.folder)]) {
        await files.remove(folder);
      }
    },
  };
  try {
    await makeNamedFolders(spec, settings.cwd, workspace, files);
    for (const path of wishes.write) {
      // What a copy holds does not leave the machine as long as there is no network.
      const isShown = wishes.net.length === 0 || (spec.permissions?.write ?? []).includes(path);
      made.push(await makeStandIn(path, isShown, files, settings.limits));
    }
  } catch (error) {
    await place[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...place,
    standIns: [{ real: settings.cwd, copy: workspace }, ...made],
    partial: made.filter(({ isWhole }) => !isWhole).map(({ real }) => real),
  };
}

function trialSpec(
  spec: ServerSpec,
  { programs, net, read }: TrialWishes,
  { workspace, standIns }: TrialPlace,
  cwd: string,
): ServerSpec {
  const whole = inWorkspace(spec, cwd);
  const { command, args, env, permissions = {}, ...more } = whole;
  const placed = (text: string) => toCopies(text, standIns);
  const line = readCommand(whole);
  // The server's own code is where it is.
  const word = (text: string) =>
    line.kind === "script" && text === line.path ? resolve(cwd, text) : placed(text);
  const copies = standIns.map(({ copy }) => copy);
  return {
    ...more,
    command: word(command),
    args: args.map(word),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, placed(value)])),
    permissions: {
      read: ["${WORKSPACE}", ...[...outside(permissions.read), ...read].map(placed)],
      write: ["${WORKSPACE}", "${TMP}", "${HOME}", ...copies.filter((path) => path !== workspace)],
      run: programs,
      net,
      env: permissions.env ?? [],
      secrets: permissions.secrets ?? {},
      sandbox: "require",
    },
    origin: { kind: "flag", where: "skep learn" },
  };
}

/** What a server's own arguments and variables may name: paths, also behind `--root=`. */
function namedPaths(spec: ServerSpec, cwd: string): string[] {
  const whole = inWorkspace(spec, cwd);
  return [...readCommand(whole).args, ...Object.values(whole.env)]
    .map((text) => text.replace(/^--?[\w-]+=/, ""))
    .filter((text) => text !== "" && !text.startsWith("-"));
}

/** Makes the folders of the workspace that a server is told, empty: without, some do not start. */
async function makeNamedFolders(
  spec: ServerSpec,
  cwd: string,
  workspace: string,
  files: Host["files"],
): Promise<void> {
  for (const path of namedPaths(spec, cwd)) {
    const below = relativeTo(resolve(cwd, path), cwd, "linux");
    const facts = below ? await files.stat(join(cwd, below)).catch(() => undefined) : undefined;
    if (below && facts?.isDirectory) await files.makeFolder(join(workspace, below));
  }
}

/** Some servers work in the roots that a client has, and no longer in the folders of their command line. */
async function hasFolders(spec: ServerSpec, { settings }: Run, host: Host): Promise<boolean> {
  const { os } = host.platform;
  const paths = namedPaths(spec, settings.cwd)
    .filter((path) => isAbsolutePath(path, os) && !isWithin(path, settings.cwd, os));
  const facts = await Promise.all(
    paths.map((path) => host.files.stat(path).catch(() => undefined)),
  );
  return facts.some((each) => each?.isDirectory === true);
}

/**
 * What is copied for a server that writes in `path`: its folder, where that can be granted, else the file alone.
 * Undefined where a server has a folder of its own.
 */
export async function copyFor(
  path: string,
  { problemOf }: Trial,
  { files }: Pick<Host, "files">,
): Promise<string | undefined> {
  const facts = await files.stat(path).catch(() => undefined);
  if (facts === undefined) {
    return SCRATCH.includes(dirname(path)) ? undefined : path;
  }
  const folder = dirname(path);
  return facts.isDirectory || problemOf(folder, "write") !== undefined ? path : folder;
}

/** Paths that are no variable's: the workspace is another one, and what lies elsewhere is what it is. */
export function outside(paths: readonly string[] = []): string[] {
  return paths.filter((path) => !path.startsWith("${"));
}

export function textOf(content: CallResult["content"][number]): string {
  return content.type === "text" ? content.text : "";
}

function withText(result: CallResult, standIns: readonly StandIn[]): CallResult {
  const content = result.content.map((each) =>
    each.type === "text" ? { ...each, text: toReal(each.text, standIns) } : each
  );
  return { ...result, content };
}

function refusedPrograms(said: string): string[] {
  return [...said.matchAll(/Requires run access to "([^"\n]+)"/g)].map(([, name = ""]) => name);
}

async function readTrial(
  launch: Launch,
  spec: ServerSpec,
  { workspace, standIns, written, made }: UsedPlace,
  run: Run,
  host: Host,
): Promise<Trial> {
  const { grant, command } = launch;
  const { files } = host;
  const record = recordOf(launch);
  const isRecorded = await files.stat(record) !== undefined; // it may have ended before Deno began
  const text = isRecorded
    ? await files.readText(record, run.settings.limits.maxAccessLogBytes)
    : "";
  const elsewhere = standIns.filter(({ copy }) => copy !== workspace);
  const env = launch.confined?.inner.env ?? command.env;
  const ownFiles = [
    ...grant.read.filter(({ origin }) => origin === "own files").map(({ value }) => value),
    ...(env.DENO_DIR === undefined ? [] : [env.DENO_DIR]),
  ];
  const real = (value: string) =>
    ownFiles.some((each) => isWithin(value, each, "linux"))
      ? value
      : toReal(toCopies(value, standIns.slice(0, 1)), elsewhere);
  const byPrograms = written.map((value) => ({ access: "write", value, at: "" } as const));
  const recordedOnes = text.split("\n").flatMap((line) => parseAccess(line) ?? []);
  const accesses = [...recordedOnes, ...byPrograms]
    .filter(({ value }) => value !== record)
    .map((each) => ({ ...each, value: real(each.value) }));
  const folders = new Set<string>();
  const existing = new Set<string>();
  const problems = new Map<string, string | undefined>();
  const isMasking = masksPaths(launch.confined?.backend);
  const { os } = host.platform;
  for (const { access, value } of accesses) {
    if (access !== "read" && access !== "write") continue;
    const path = resolve(workspace, value);
    const facts = await files.stat(path).catch(() => undefined);
    if (facts !== undefined) existing.add(path);
    if (facts?.isDirectory) folders.add(path);
    for (const each of [path, dirname(path)]) {
      if (problems.has(`${access} ${each}`)) continue;
      const canonical = await canonicalPath(each, host).catch(() => each);
      // To write a folder with keys in it would do with those hidden, but is no smallest grant.
      const rules = { guarded: grant.guarded, isMasking: isMasking && access === "read", os };
      const problem = [each, canonical].map((one) => pathProblem(one, access, rules))
        .find((one) => one !== undefined);
      problems.set(`${access} ${each}`, problem?.reason);
    }
  }
  return {
    accesses,
    programs: [],
    hosts: grant.net.map(({ value }) => value),
    variables: [...Object.keys(spec.env), ...spec.permissions?.env ?? []],
    known: [...Object.keys(env), ...grant.env.map(({ value }) => value)],
    workspace,
    tmp: grant.tmp,
    home: env.HOME ?? grant.tmp,
    ownFiles,
    folders,
    existing,
    made,
    problemOf: (path, access) => problems.get(`${access} ${path}`),
  };
}
