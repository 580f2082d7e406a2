import { join } from "@std/path";
import { messageOf } from "../errors.ts";
import { denoDir, findDeno } from "../host/deno_binary.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { isProviderSet } from "../model/choices.ts";
import { defaultModelId } from "../model/default_model_id.ts";
import {
  baseUrlProblem,
  type EndpointVariables,
  isLoopback,
  missingKey,
} from "../model/endpoint.ts";
import { type OperatorFile, readOperatorFile } from "../model/operator_file.ts";
import { findProvider, PROVIDERS } from "../model/providers.ts";
import { resolveModel } from "../model/resolve.ts";
import { SYSTEM_PATH } from "../host/system_path.ts";
import { runTrial } from "../sandbox/run_trial.ts";
import { VERSION } from "../version.ts";
import { backendTrials } from "./find_confiner.ts";
import type { Invocation } from "./flags.ts";
import { folderProblem, nearest } from "./folder_problem.ts";
import type { Folders } from "./folders.ts";
import { programRoot } from "./program_root.ts";
import { type Settings, settingsAsGiven } from "./settings.ts";

/** One thing that was looked at. */
interface Finding {
  readonly about: string;
  /** `ok` is as it should be, `note` works with less, `bad` does not work. */
  readonly state: "ok" | "note" | "bad";
  readonly text: string;
}

/** `skep doctor`: what this machine can enforce, what is set, what to install. Exit 1 when something does not work. */
export async function run(invocation: Invocation, host: Host): Promise<number> {
  const settings = await settingsAsGiven(invocation, host);
  const root = await programRoot(host);
  const findings: Finding[] = [
    { about: "skep", state: "ok", text: `${VERSION} in ${root}` },
    await system(host),
    await deno(host),
    ...await confinement(settings.sandbox, root, host),
    ...await folders(settings.folders, host),
    ...await providers(settings.folders, settings.limits, host),
  ];
  for (const finding of findings) {
    await host.print(settings.isJson ? `${JSON.stringify(finding)}\n` : inWords(finding));
  }
  return findings.some(({ state }) => state === "bad") ? 1 : 0;
}

function inWords({ about, state, text }: Finding): string {
  return `${state.padEnd(5)}${about.padEnd(20)}${text}\n`;
}

async function system(host: Host): Promise<Finding> {
  const { os, arch } = host.platform;
  const version = await firstLine("uname", ["-sr"], host).catch(() => os); // Windows has none
  return { about: "system", state: "ok", text: `${version}, ${arch}` };
}

async function deno(host: Host): Promise<Finding> {
  try {
    const program = await findDeno(host);
    const version = (await firstLine(program, ["--version"], host)).replace(/ \(.*$/, "");
    const text = `${version} at ${program}, its cache in ${denoDir(host)}`;
    return { about: "deno", state: "ok", text };
  } catch (error) {
    return { about: "deno", state: "bad", text: messageOf(error) };
  }
}

/** What a program says of itself. @throws when it cannot be started or fails. */
async function firstLine(program: string, args: readonly string[], host: Host): Promise<string> {
  const { code, stdout } = await runTrial(program, args, SYSTEM_PATH, host);
  if (code !== 0) throw new Error(`${program} ended with code ${code}`);
  return stdout.split("\n")[0] ?? "";
}

/** Each backend is tried; used is the one that was asked for, else the strongest. */
async function confinement(
  wanted: Settings["sandbox"],
  root: string,
  host: Host,
): Promise<Finding[]> {
  const trials = await backendTrials("all", root, host);
  const strongest = trials.find(({ name, backend }) =>
    backend !== undefined && (wanted === "auto" || name === wanted)
  );
  const each = trials.map(({ name, problem }): Finding => ({
    about: name,
    state: problem === undefined ? "ok" : "note",
    text: problem ?? (name === strongest?.name ? "works, and is used" : "works"),
  }));
  if (wanted === "off") {
    const text = "switched off by you: nothing but Deno's flags confines servers";
    return [...each, { about: "confinement", state: "note", text }];
  }
  if (strongest === undefined && wanted !== "auto") {
    const text =
      `${wanted} was asked for and does not work here: servers that require it are refused`;
    return [...each, { about: "confinement", state: "bad", text }];
  }
  if (strongest === undefined) {
    const text =
      "nothing confines servers: those that require it are refused, the others run under " +
      "Deno's flags alone";
    return [...each, { about: "confinement", state: "note", text }];
  }
  if (strongest.name !== "landlock") return each;
  const text = "Landlock alone leaves metadata of files and the list of processes open";
  return [...each, { about: "confinement", state: "note", text }];
}

async function folders(
  all: Folders,
  { files }: Pick<Host, "files">,
): Promise<Finding[]> {
  return await Promise.all(
    Object.entries(all).map(async ([name, path]): Promise<Finding> => {
      const about = `${name} folder`;
      const problem = await folderProblem(path, { files }) ?? await writeProblem(path, files);
      if (problem !== undefined) {
        // Settings are read; logins alone are kept there.
        const isFolder = await files.stat(path).then((facts) => facts?.isDirectory, () => false);
        const state = name === "config" && isFolder ? "note" : "bad";
        return { about, state, text: `${path} ${problem}` };
      }
      const facts = await files.stat(path);
      if (facts === undefined) {
        return { about, state: "ok", text: `${path}, made when it is needed` };
      }
      const { mode } = facts;
      if (mode !== undefined && (mode & 0o077) !== 0) {
        const text = `${path} is open to others (mode ${mode.toString(8)}): chmod 700 it`;
        return { about, state: name === "cache" ? "note" : "bad", text };
      }
      const shown = mode === undefined ? "" : ` (mode ${mode.toString(8)})`;
      return { about, state: "ok", text: path + shown };
    }),
  );
}

/** Tried, and not guessed: modes do not tell of a file system that is read-only. */
async function writeProblem(path: string, files: Host["files"]): Promise<string | undefined> {
  const { path: there } = await nearest(path, files);
  const trial = join(there, `.skep-${crypto.randomUUID()}`);
  try {
    await files.makeFolder(trial);
    return undefined;
  } catch (error) {
    return there === path
      ? `cannot be written: ${messageOf(error)}`
      : `cannot be made: ${messageOf(error)}`;
  } finally {
    await files.removeEmptyFolder(trial);
  }
}

async function providers(
  { config: configFolder }: Folders,
  limits: Limits,
  host: Pick<Host, "env" | "files" | "sleep" | "nowMs" | "cwd">,
): Promise<Finding[]> {
  const { env, files } = host;
  let operator: OperatorFile = { path: undefined, providers: new Map(), models: new Map() };
  const findings: Finding[] = [];
  try {
    operator = await readOperatorFile({ configFolder, files, limits });
  } catch (error) {
    findings.push({ about: "models.yaml", state: "bad", text: messageOf(error) });
  }
  for (const name of new Set([...PROVIDERS.keys(), ...operator.providers.keys()])) {
    const provider = findProvider(name, operator);
    if (provider?.endpoint === undefined) continue;
    const problem = operator.providers.get(name)?.baseUrl === undefined
      ? baseUrlProblem(provider.endpoint, env)
      : undefined;
    if (problem !== undefined) {
      findings.push({ about: name, state: "bad", text: problem });
      continue;
    }
    const isSet = isProviderSet(name, provider, operator, { env });
    const text = isSet ? "set" : missing(provider.endpoint, env);
    findings.push({ about: name, state: isSet ? "ok" : "note", text });
  }
  return [...findings, await chosenModel(configFolder, limits, host)];
}

/** The model that would answer now, and whether it can be opened. Nothing is sent, and no command is run for a key. */
async function chosenModel(
  configFolder: string,
  limits: Limits,
  { env, files, sleep, nowMs, cwd }: Pick<Host, "env" | "files" | "sleep" | "nowMs" | "cwd">,
): Promise<Finding> {
  const about = "model";
  const fetch = () => Promise.reject(new Error("nothing is asked here"));
  try {
    const id = defaultModelId(env);
    const world = { env, files, sleep, nowMs, cwd, fetch, limits, configFolder };
    await resolveModel(id, world);
    return { about, state: "ok", text: id };
  } catch (error) {
    return { about, state: "bad", text: messageOf(error) };
  }
}

/** What is wanting; a server on this machine needs nothing but to run. */
function missing(endpoint: EndpointVariables, env: Host["env"]): string {
  const { defaultBaseUrl, baseUrl, isKeyFreeOnLoopback, isKeyOptional } = endpoint;
  const isPlaceMissing = defaultBaseUrl === undefined && !env(baseUrl)?.trim();
  if (isPlaceMissing) return `${baseUrl} is not set`;
  if (isKeyFreeOnLoopback && isLoopback(defaultBaseUrl ?? "")) {
    return `no key is needed; it is looked for at ${defaultBaseUrl} unless ${baseUrl} is set`;
  }
  return isKeyOptional ? "a login is asked for" : missingKey(endpoint);
}
