import { SkepError } from "../errors.ts";
import { checkSysName, checkVariableName } from "./entries.ts";
import { grantInvalid, type GrantPlace } from "./grant_invalid.ts";
import { parseNetEntry } from "./net.ts";
import { isAbsolutePath, type Os } from "./paths.ts";
import type { Permissions } from "./spec.ts";
import { expandVariables, VARIABLE_NAMES } from "./variables.ts";

/** An entry that cannot be granted, whatever the machine. */
export interface ValueProblem {
  /** Its place in the permissions, such as `net[0]` or `secrets.TOKEN`. */
  readonly entry: string;
  readonly error: SkepError;
}

/**
 * What of permissions a grant would refuse when it is computed, told before there is one.
 *
 * @param at Who asks for the entries of a list.
 */
export function valueProblems(
  { read = [], write = [], net = [], run = [], env = [], sys = [], secrets = {} }: Permissions,
  at: (list: string) => GrantPlace,
  os: Os,
): ValueProblem[] {
  const all = (
    list: string,
    values: readonly string[],
    check: (value: string, at: GrantPlace) => void,
  ) => values.flatMap((value, place) => problem(`${list}[${place}]`, () => check(value, at(list))));
  return [
    ...all("read", read, (path, place) => checkPath(path, place, os)),
    ...all("write", write, (path, place) => checkPath(path, place, os)),
    ...all("net", net, (value, place) => void parseNetEntry(value, place, os)),
    ...all("run", run, checkProgram),
    ...all("env", env, checkVariableName),
    ...all("sys", sys, checkSysName),
    ...Object.keys(secrets).flatMap((name) =>
      problem(`secrets.${name}`, () => checkVariableName(name, at("secrets")))
    ),
  ];
}

function problem(entry: string, check: () => void): ValueProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof SkepError)) throw error;
    return [{ entry, error }];
  }
}

function checkPath(path: string, at: GrantPlace, os: Os): void {
  const root = os === "windows" ? "C:\\" : "/";
  const known = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, root]));
  const expanded = expandVariables(path, { WORKSPACE: root, ...known }, at);
  if (/[\n\r\0]/.test(path)) throw grantInvalid(at, path, "it holds a line break or a NUL");
  if (path.includes("*")) {
    throw grantInvalid(at, path, "a path is no pattern: a folder means all below it");
  }
  if (isAbsolutePath(expanded, os)) return;
  const wanted = "a path is absolute, or starts with a variable such as ${WORKSPACE}";
  throw grantInvalid(at, path, wanted);
}

function checkProgram(value: string, at: GrantPlace): void {
  if (value.trim() !== "" && !value.includes("*")) return;
  throw grantInvalid(at, value, "programs are named one by one, or by their path");
}
