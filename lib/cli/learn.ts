import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { readCommand } from "../sandbox/command.ts";
import { grantYaml, proposeGrant } from "../sandbox/learn/propose_grant.ts";
import { isWithin } from "../sandbox/paths.ts";
import { isBridge } from "../sandbox/remote.ts";
import type { Permissions, ServerSpec } from "../sandbox/spec.ts";
import { chosenServers } from "./chosen_servers.ts";
import type { Invocation } from "./flags.ts";
import {
  copyFor,
  outside,
  type Ran,
  runTrial,
  textOf,
  type TrialCall,
  type TrialWishes,
} from "./learn_trial.ts";
import { prepareRun } from "./prepare_run.ts";
import { untilSignal } from "./stopping.ts";

/**
 * `skep learn NAME [--call TOOL JSON]… [--net HOST]…`: runs a server in a throwaway confinement, with an empty
 * workspace and copies of what it writes elsewhere, where it may do all but leave it; lists its tools, makes
 * the calls, and prints the smallest grant with which the same passes, as YAML. What was not seen is told on
 * stderr.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return untilSignal(host, async (signal) => {
    await using run = await prepareRun(invocation, host);
    const [spec] = chosenServers(run.servers, invocation.positionals[0]);
    if (spec!.problem !== undefined) throw spec!.problem;
    const calls = readCalls(invocation.values("call"));
    const net = invocation.values("net");
    refuseUnseen(spec!);
    let wishes: TrialWishes = {
      calls,
      net,
      programs: spec!.permissions?.run ?? [],
      read: [],
      write: [],
    };
    let ran = await runTrial(spec!, wishes, run, host, signal);
    for (let trial = 1; trial < run.settings.limits.learnTrials; trial++) {
      const more = await withWanted(wishes, ran, host);
      if (more === undefined) break;
      wishes = more;
      ran = await runTrial(spec!, wishes, run, host, signal);
    }
    if (ran.failure !== undefined) throw cannotLearn(spec!, ran, wishes);
    const { programs } = wishes;
    const proposed = proposeGrant({ ...ran.trial, programs });
    const { leftOut } = proposed;
    const permissions = withOwnWrites(proposed.permissions, programs, spec!.permissions?.write);
    if (run.settings.isJson) await host.print(`${JSON.stringify({ permissions, leftOut })}\n`);
    else await host.print(grantYaml(permissions));
    for (const [place, { content, isError }] of ran.results.entries()) {
      if (isError) host.warn(`${calls[place]?.tool} failed: ${content.map(textOf).join(" ")}`);
    }
    for (const name of ran.refused) {
      host.warn(`Not seen: what ${name} does, which it was not given`);
    }
    const kept = spec!.permissions?.run ?? [];
    if (kept.length > 0) {
      const names = kept.join(", ");
      host.warn(`Kept from the entry: run ${names}, and what it may write, used or not`);
    }
    for (const line of unseen(ran, calls, net, programs, permissions)) host.warn(line);
    for (const line of leftOut) host.warn(`Left out: ${line}`);
    for (const path of outside(permissions.write)) {
      if (await host.files.stat(path).catch(() => undefined) !== undefined) continue;
      host.warn(`Make ${path} before you use this: what is not there cannot be granted`);
    }
    return ran.results.some(({ isError }) => isError) ? 2 : 0;
  });
}

/** What programs write is not recorded: where there are some, the entry's own write grants stay. */
function withOwnWrites(
  permissions: Permissions,
  programs: readonly string[],
  own: readonly string[] = [],
): Permissions {
  if (programs.length === 0 || own.length === 0) return permissions;
  const write = [...new Set([...permissions.write ?? [], ...own])].sort();
  const { read: all = [], ...others } = permissions;
  const read = all.filter((path) => !write.includes(path));
  return { ...(read.length === 0 ? {} : { read }), ...others, write };
}

/** What to try next: with what it was refused, or undefined when that is nothing that could be given. */
async function withWanted(
  wishes: TrialWishes,
  ran: Ran,
  host: Host,
): Promise<TrialWishes | undefined> {
  const copies = await Promise.all(ran.write.map((path) => copyFor(path, ran.trial, host)));
  const isCopied = (path: string, all = wishes.write) =>
    all.some((folder) => isWithin(path, folder, host.platform.os));
  const write = copies.filter((path) => path !== undefined).filter((path) => !isCopied(path));
  // What is read elsewhere does not leave the machine as long as there is no network.
  const read = (wishes.net.length > 0 ? [] : ran.read).filter((path) =>
    !wishes.read.includes(path) && !isCopied(path)
  );
  if (ran.refused.length + read.length + write.length === 0) return undefined;
  return {
    ...wishes,
    programs: [...new Set([...wishes.programs, ...ran.refused])],
    read: [...wishes.read, ...read],
    write: [...new Set([...wishes.write, ...write])],
  };
}

function cannotLearn(
  { name }: ServerSpec,
  { failure, read }: Ran,
  { net }: TrialWishes,
): SkepError<"SERVER_FAILED"> {
  const hint = net.length > 0 && read.length > 0
    ? `. It looks for ${
      read.join(", ")
    }, which it is not shown where there is a network: leave out ` +
      "--net, or name it under read: of its permissions"
    : "";
  const message = `Cannot learn what "${name}" needs: it ${failure}${hint}`;
  return new SkepError("SERVER_FAILED", message, { server: name, stage: "init" });
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

/** What the run cannot show, a line each. */
function unseen(
  { tools, results, partial }: Ran,
  calls: readonly TrialCall[],
  net: readonly string[],
  programs: readonly string[],
  { net: proposed = [] }: Permissions,
): string[] {
  const loopback = proposed.filter((each) => /^loopback(:|$)/.test(each) && !net.includes(each));
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
    ...(programs.length === 0 ? [] : [
      `Not seen: what ${
        programs.join(", ")
      } read, and wrote elsewhere; a program records nothing, ` +
      "so only what lies in the workspace and the copies afterwards is told",
    ]),
    ...(loopback.length === 0 ? [] : [
      `Not seen: who is meant by ${
        loopback.join(", ")
      }, which is the server's own; for a service of this machine, ` +
      `such as a database, try --net ${loopback[0]!.replace("loopback", "127.0.0.1")}`,
    ]),
    ...partial.map((path) =>
      `Not seen: all that lies in ${path}: it wrote in a copy, and not all of that was copied`
    ),
    net.length === 0
      ? "Not seen: what follows a connection, since there was no network: --net HOST allows one"
      : `Not seen: what follows a connection to anything but ${net.join(", ")}`,
    "Not seen: what its modules import statically, and files that a package only looks for elsewhere",
  ];
}
