import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { CallResult } from "../mcp/registry.ts";
import { startRegistry } from "../mcp/start_registry.ts";
import { inWorkspace } from "../persona/interpolate.ts";
import { readCommand } from "../sandbox/command.ts";
import { explainDenial, findDenial } from "../sandbox/denial.ts";
import { type Launch, prepareLaunch } from "../sandbox/launch.ts";
import { parseAccess } from "../sandbox/learn/parse_access.ts";
import { permissive, recordOf } from "../sandbox/learn/permissive.ts";
import { grantYaml, proposeGrant, type Trial } from "../sandbox/learn/propose_grant.ts";
import { isBridge } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { VERSION } from "../version.ts";
import { chosenServers } from "./chosen_servers.ts";
import type { Invocation } from "./flags.ts";
import { prepareRun, type Run } from "./prepare_run.ts";
import { untilSignal } from "./stopping.ts";

/** A call to make in a trial run. */
interface TrialCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How a trial run went. */
interface Ran {
  readonly trial: Trial;
  /** Programs that it was refused. */
  readonly refused: readonly string[];
  /** What it read outside of the workspace, and what is never granted aside. */
  readonly elsewhere: readonly string[];
  readonly tools: readonly string[];
  /** What calls came to, by their place. */
  readonly results: readonly CallResult[];
}

/**
 * `skep learn NAME [--call TOOL JSON]… [--net HOST]…`: runs a server in a throwaway confinement, with an empty
 * workspace, where it may do all but leave it; lists its tools, makes the calls, and prints the smallest
 * grant with which the same passes, as YAML. What was not seen is told on stderr.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return untilSignal(host, async (signal) => {
    await using run = await prepareRun(invocation, host);
    const [spec] = chosenServers(run.servers, invocation.positionals[0]);
    const calls = readCalls(invocation.values("call"));
    const net = invocation.values("net");
    refuseUnseen(spec!);
    let programs = spec!.permissions?.run ?? [];
    let read: readonly string[] = [];
    let ran = await tryOnce(spec!, { calls, net, programs, read }, run, host, signal);
    for (let trial = 1; trial < run.settings.limits.learnTrials; trial++) {
      // What is read elsewhere does not leave the machine as long as there is no network.
      const asked = net.length > 0 ? [] : ran.elsewhere.filter((path) => !read.includes(path));
      if (ran.refused.length + asked.length === 0) break;
      programs = [...new Set([...programs, ...ran.refused])];
      read = [...read, ...asked];
      ran = await tryOnce(spec!, { calls, net, programs, read }, run, host, signal);
    }
    const { permissions, leftOut } = proposeGrant({ ...ran.trial, programs });
    if (run.settings.isJson) await host.print(`${JSON.stringify({ permissions, leftOut })}\n`);
    else await host.print(grantYaml(permissions));
    for (const [place, { content, isError }] of ran.results.entries()) {
      if (isError) host.warn(`${calls[place]?.tool} failed: ${content.map(textOf).join(" ")}`);
    }
    for (const name of ran.refused) {
      host.warn(`Not seen: what ${name} does, which it was not given`);
    }
    for (const line of unseen(ran, calls, net, programs)) host.warn(line);
    for (const line of leftOut) host.warn(`Left out: ${line}`);
    return ran.results.some(({ isError }) => isError) ? 2 : 0;
  });
}

function refuseUnseen(spec: ServerSpec): void {
  if (isBridge(spec)) {
    const message =
      `Cannot learn what "${spec.name}" needs: it has a url, and the bridge that reaches it is granted ` +
      "that one host and nothing else";
    throw new SkepError("USAGE", message, { argument: spec.name });
  }
  if (readCommand(spec).kind !== "native") return;
  const message =
    `Cannot learn what "${spec.name}" needs: ${spec.command} does not run in Deno, and nothing records what ` +
    "it does. Write its permissions by hand; docs/grants.md shows how, under Native servers";
  throw new SkepError("USAGE", message, { argument: spec.name });
}

function readCalls(words: readonly string[]): TrialCall[] {
  const calls: TrialCall[] = [];
  for (let place = 0; place < words.length; place += 2) {
    const [tool = "", json = "{}"] = words.slice(place, place + 2);
    let args: unknown;
    try {
      args = JSON.parse(json);
    } catch (cause) {
      const message = `Cannot read the arguments ${json} of --call ${tool}: ${messageOf(cause)}`;
      throw new SkepError("USAGE", message, { argument: "--call" }, { cause });
    }
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      const message =
        `Cannot use the arguments ${json} of --call ${tool}: they must be a JSON object`;
      throw new SkepError("USAGE", message, { argument: "--call" });
    }
    calls.push({ tool, args: args as TrialCall["args"] });
  }
  return calls;
}

/** What a trial run is made with. */
interface TrialWishes {
  readonly calls: readonly TrialCall[];
  readonly net: readonly string[];
  readonly programs: readonly string[];
  /** Outside of the workspace. */
  readonly read: readonly string[];
}

async function tryOnce(
  spec: ServerSpec,
  { calls, net, programs, read }: TrialWishes,
  run: Run,
  host: Host,
  signal: AbortSignal,
): Promise<Ran> {
  const { limits } = run.settings;
  const workspace = await host.files.makeTempFolder("skep-learn-");
  const context = { ...await run.context(workspace, signal), workspace };
  const trialSpec: ServerSpec = {
    ...inWorkspace(spec, workspace),
    permissions: {
      read: ["${WORKSPACE}", ...outside(spec.permissions?.read), ...read],
      write: ["${WORKSPACE}", "${TMP}", "${HOME}"],
      run: programs,
      net,
      env: spec.permissions?.env ?? [],
      secrets: spec.permissions?.secrets ?? {},
      sandbox: "require",
    },
    origin: { kind: "flag", where: "skep learn" },
  };
  let launch: Launch | undefined;
  let refusal: unknown;
  const notices: string[] = [];
  const registry = await startRegistry({
    specs: [trialSpec],
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
    limits,
    onNotice: (text) => notices.push(text),
    onLog: ({ kind, text }) => kind === "stderr" ? notices.push(text) : undefined,
    clientInfo: { name: "skep", version: VERSION },
    roots: [workspace],
    signal,
  });
  try {
    if (refusal !== undefined) throw refusal;
    const results: CallResult[] = [];
    for (const { tool, args } of calls) {
      const name = tool.startsWith(`${spec.name}__`) ? tool : `${spec.name}__${tool}`;
      results.push(await registry.call(name, args, signal));
    }
    const said = [...notices, ...results.flatMap(({ content }) => content.map(textOf))].join("\n");
    const [status] = registry.servers();
    const refused = refusedPrograms(said).filter((name) => !programs.includes(name));
    if (status?.state !== "healthy" && refused.length === 0) {
      const message = `Cannot learn what "${spec.name}" needs: it ${
        status?.reason ?? "did not start"
      }`;
      throw new SkepError("SERVER_FAILED", message, { server: spec.name, stage: "init" });
    }
    const tools = registry.tools().map(({ name }) => name);
    await registry.close(); // it records to its end
    const trial = await readTrial(launch!, workspace, spec, host, run);
    const { read: needed = [] } = proposeGrant(trial).permissions;
    const cut = launch!.grant.cut.map(({ value }) => value);
    const elsewhere = outside(needed).filter((path) => !cut.includes(path));
    return { trial, refused, elsewhere, tools, results };
  } finally {
    await registry.close();
    await host.files.remove(workspace);
  }
}

/** The workspace is another one; what lies elsewhere may be read as it is, and is not written. */
function outside(paths: readonly string[] = []): string[] {
  return paths.filter((path) => !path.startsWith("${"));
}

function textOf(content: CallResult["content"][number]): string {
  return content.type === "text" ? content.text : "";
}

function refusedPrograms(said: string): string[] {
  return [...said.matchAll(/Requires run access to "([^"\n]+)"/g)].map(([, name = ""]) => name);
}

async function readTrial(
  launch: Launch,
  workspace: string,
  spec: ServerSpec,
  host: Host,
  run: Run,
): Promise<Trial> {
  const { grant, command } = launch;
  const text = await host.files.readText(recordOf(launch), run.settings.limits.maxAccessLogBytes);
  const accesses = text.split("\n").flatMap((line) => parseAccess(line) ?? []);
  const folders = new Set<string>();
  const existing = new Set<string>();
  for (const { access, value } of accesses) {
    if (access !== "read" && access !== "write") continue;
    const path = value.startsWith("/") ? value : `${workspace}/${value}`;
    const facts = await host.files.stat(path).catch(() => undefined);
    if (facts !== undefined) existing.add(path);
    if (facts?.isDirectory) folders.add(path);
  }
  const env = launch.confined?.inner.env ?? command.env;
  return {
    accesses: accesses.filter(({ value }) => value !== recordOf(launch)),
    programs: [],
    variables: [...Object.keys(spec.env), ...spec.permissions?.env ?? []],
    known: [...Object.keys(env), ...grant.env.map(({ value }) => value)],
    workspace,
    tmp: grant.tmp,
    home: env.HOME ?? grant.tmp,
    ownFiles: [
      ...grant.read.filter(({ origin }) => origin === "own files").map(({ value }) => value),
      ...(env.DENO_DIR === undefined ? [] : [env.DENO_DIR]),
    ],
    folders,
    existing,
  };
}

/** What the run cannot show, a line each. */
function unseen(
  { tools, results }: Ran,
  calls: readonly TrialCall[],
  net: readonly string[],
  programs: readonly string[],
): string[] {
  const called = new Set(calls.map(({ tool }) => tool.split("__").at(-1)));
  const idle = tools.filter((name) => !called.has(name.split("__").at(-1)));
  const failed = calls.filter((_, place) => results[place]?.isError).map(({ tool }) => tool);
  return [
    ...(idle.length === 0
      ? []
      : [`Not seen: what these tools need, which were not called: ${idle.join(", ")}`]),
    ...(failed.length === 0
      ? []
      : [`Not seen: what these calls would have done had they not failed: ${failed.join(", ")}`]),
    ...(programs.length === 0
      ? []
      : [`Not seen: what ${programs.join(", ")} did; what a program touches is not recorded`]),
    net.length === 0
      ? "Not seen: what follows a connection, since there was no network: --net HOST allows one"
      : `Not seen: what follows a connection to anything but ${net.join(", ")}`,
    "Not seen: what its modules import statically, and files that a package only looks for elsewhere",
  ];
}
