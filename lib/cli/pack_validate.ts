import { join, relative, sep } from "@std/path";
import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { splitExtraFields } from "../model/extra_fields.ts";
import { checkServers } from "../persona/check_servers.ts";
import { allowedVariables } from "../persona/interpolate.ts";
import type { Pack } from "../persona/pack.ts";
import { placeText, type Problem, type Problems } from "../persona/problems.ts";
import { listSkillFiles } from "../prompt/skill_files.ts";
import { checkNames } from "./check_names.ts";
import { checkPrograms } from "./check_programs.ts";
import type { Invocation } from "./flags.ts";
import { programRoot } from "./program_root.ts";
import { readGivenPack } from "./read_given_pack.ts";
import { readSettings, type Settings } from "./settings.ts";
import { checkEffect } from "./without_effect.ts";

/**
 * `skep pack validate PACK`: everything that is wrong with a pack, or a persona file alone. Exits with 1
 * when there is an error, with 0 when there is none, warnings or not.
 */
export async function run(
  [path = ""]: readonly string[],
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const settings = await readSettings(invocation, host);
  const { cwd, isJson, limits } = settings;
  const { pack, problems } = await readGivenPack(path, cwd, host, limits);
  if (pack !== undefined) {
    const { env, platform: { os } } = host;
    checkServers(pack, problems, { os, env, allowed: allowedVariables(env) });
    await checkPrograms(pack, problems, cwd, host);
    checkNames(pack, problems, await otherShipped(pack, host));
    checkEffect(pack, problems);
    checkOptions(pack, problems);
    await checkSkillFiles(pack, problems, settings, host);
    await checkModels(pack, problems, settings, host);
  }
  const { all } = problems;
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.length - errors;
  if (isJson) {
    const problems = all.map(({ severity, file, place, part, reason }) => (
      { severity, file, ...place, ...(part === undefined ? {} : { part }), message: reason }
    ));
    await host.print(`${JSON.stringify({ valid: errors === 0, errors, warnings, problems })}\n`);
  } else {
    for (const problem of all) await host.print(`${line(problem, cwd)}\n`);
    const counts = `${count(errors, "error")}, ${count(warnings, "warning")}`;
    await host.print(all.length === 0 ? "The pack is valid.\n" : `${counts}.\n`);
  }
  return errors === 0 ? 0 : 1;
}

/** Names of the packs that ship with skep; none for one of them. */
async function otherShipped({ folder }: Pack, host: Host): Promise<readonly string[]> {
  const shipped = await host.files.realPath(join(await programRoot(host), "personas"));
  return folder.startsWith(shipped + sep) ? [] : await host.files.list(shipped);
}

/** An option that no provider is sent changes nothing, which may be a slip. */
function checkOptions({ manifest, personas }: Pack, problems: Problems): void {
  const named = [
    { options: manifest.defaults.provider, at: (path: string) => manifest.at(`defaults.${path}`) },
    ...personas.map(({ own, at }) => ({ options: own.provider, at })),
  ];
  for (const { options = {}, at } of named) {
    for (const name of splitExtraFields(options).others) {
      const reason = `no provider is sent the option "${name}": it is not used`;
      problems.add({ severity: "warning", ...at(`provider.${name}`), reason });
    }
  }
}

/** Files of skills that no skill can load. */
async function checkSkillFiles(
  { skills }: Pack,
  problems: Problems,
  { limits }: Pick<Settings, "limits">,
  { files }: Pick<Host, "files">,
): Promise<void> {
  const folders = new Set([...skills.values()].flat().map(({ folder }) => folder));
  for (const folder of folders) {
    const { leftOut } = await listSkillFiles(folder, files, limits.maxSkillFiles);
    for (const { path, reason } of leftOut) {
      problems.warn(join(folder, path), `it is not used: ${reason}`);
    }
  }
}

/** A model of a provider that this machine does not know is no error: the operator may name another. */
async function checkModels(
  { manifest, personas }: Pack,
  problems: Problems,
  { folders, limits }: Settings,
  { files }: Pick<Host, "files">,
): Promise<void> {
  const named = [
    { model: manifest.defaults.model, at: () => manifest.at("defaults.model") },
    ...personas.map(({ own, at }) => ({ model: own.model, at: () => at("model") })),
  ];
  const { readOperatorFile } = await import("../model/operator_file.ts");
  const { providerOf } = await import("../model/resolve.ts");
  const operator = await readOperatorFile({ configFolder: folders.config, files, limits });
  for (const { model, at } of named) {
    if (model === undefined) continue;
    try {
      providerOf(model, operator);
    } catch (error) {
      problems.add({ severity: "warning", ...at(), reason: messageOf(error) });
    }
  }
}

function line(problem: Problem, cwd: string): string {
  const { severity, part, reason } = problem;
  const near = relative(cwd, problem.file);
  const file = near === "" || near.startsWith("..") ? problem.file : near;
  const about = part === undefined ? "" : `${part}: `;
  return `${placeText({ ...problem, file })}: ${severity}: ${about}${reason}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
