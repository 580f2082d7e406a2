import { basename, dirname, normalize, resolve } from "@std/path";
import { LOOPBACK_HOSTS } from "../net.ts";
import { isWithin, relativeTo } from "../paths.ts";
import type { Permissions } from "../spec.ts";
import { type Access, netPlace } from "./parse_access.ts";
import { SYSTEM } from "./permissive.ts";

/** What a trial run showed, and where it ran. */
export interface Trial {
  readonly accesses: readonly Access[];
  /** The programs that it was refused and then given, one run after the other. */
  readonly programs: readonly string[];
  /** The hosts that it was allowed to reach. */
  readonly hosts: readonly string[];
  /** Variables that the server's entry sets. */
  readonly variables: readonly string[];
  /** All that it had, those that every server has included. */
  readonly known: readonly string[];
  readonly workspace: string;
  readonly tmp: string;
  readonly home: string;
  /** The server's own code, and Deno's cache: every grant has them. */
  readonly ownFiles: readonly string[];
  /** Paths that are folders, of those that were accessed. */
  readonly folders: ReadonlySet<string>;
  /** Paths that are there, of those that were accessed. */
  readonly existing: ReadonlySet<string>;
  /** Paths below the workspace that were not there before. */
  readonly made: ReadonlySet<string>;
  /** Why a path cannot be granted; undefined when it can. */
  problemOf(path: string, access: "read" | "write"): string | undefined;
}

/** The smallest grant with which the same run passes, and what was left out of it. */
export interface Proposal {
  readonly permissions: Permissions;
  /** What it asked for that no grant needs, or can, have: a line each. */
  readonly leftOut: readonly string[];
}

/** Names of variables that are told; the rest is counted. */
const SHOWN = 6;

/** Every confined server has its own: a file there can be granted before it is there. */
export const SCRATCH: readonly string[] = ["/tmp", "/var/tmp", "/dev/shm"];

/**
 * Makes the smallest grant out of what a server did. In the workspace that is folders, since the files
 * there are other ones next time; elsewhere the very paths, and the folder of a file that it makes or
 * replaces: what is not there cannot be granted by itself, nor renamed over where it is granted alone.
 */
export function proposeGrant(trial: Trial): Proposal {
  const leftOut: string[] = [];
  const isIn = (path: string, folders: readonly string[]) =>
    folders.some((folder) => isWithin(path, folder, "linux"));
  const paths = (access: "read" | "write", covered: readonly string[]) =>
    trial.accesses.filter((each) => each.access === access && each.value !== "*")
      .filter(({ value }) => !isIn(normalize(resolve(trial.workspace, value)), covered))
      .flatMap(({ value }) => placeOf(value, access, trial, leftOut));
  const write = widest(paths("write", []));
  const read = widest(paths("read", write)).filter((path) => !isIn(path, write));
  const of = (access: Access["access"]) =>
    trial.accesses.filter((each) => each.access === access).map(({ value }) => value);
  const env = unique(of("env").filter((name) => trial.variables.includes(name)));
  const net = unique(of("net").map((value) => hostOf(netPlace(value), trial.hosts)));
  const others = unique(of("env"))
    .filter((name) => name !== "*" && ![...env, ...trial.known].includes(name));
  if (others.length > 0) {
    const more = others.length > SHOWN ? ` and ${others.length - SHOWN} more` : "";
    leftOut.push(
      `variables that it looks at and goes without: ${others.slice(0, SHOWN).join(", ")}${more}`,
    );
  }
  if (of("ffi").length > 0) leftOut.push("native libraries: no grant holds what they do");
  const lists = {
    read,
    write,
    net,
    run: unique(trial.programs),
    env,
    sys: unique(of("sys").filter((name) => name !== "*")),
  };
  const filled = Object.entries(lists).filter(([, values]) => values.length > 0);
  return { permissions: Object.fromEntries(filled), leftOut: unique(leftOut) };
}

function placeOf(
  value: string,
  access: "read" | "write",
  { workspace, tmp, home, ownFiles, folders, existing, made, problemOf }: Trial,
  leftOut: string[],
): string[] {
  const path = normalize(resolve(workspace, value));
  if (isWithin(path, tmp, "linux")) return access === "write" ? ["${TMP}"] : [];
  if (isWithin(path, home, "linux")) return ["${HOME}"];
  if (access === "read" && ownFiles.some((each) => isWithin(path, each, "linux"))) return [];
  if (isWithin(path, workspace, "linux")) {
    let folder = folders.has(path) || path === workspace ? path : dirname(path);
    // A folder that it makes is not there yet when it starts: it needs the one above.
    while (access === "write" && made.has(folder)) folder = dirname(folder);
    const below = relativeTo(folder, workspace, "linux");
    return [below === "" || below === undefined ? "${WORKSPACE}" : `\${WORKSPACE}/${below}`];
  }
  if (SYSTEM.some((folder) => isWithin(path, folder, "linux"))) {
    leftOut.push(`${access} ${path}: no grant has that`);
    return [];
  }
  if (access === "read" && !existing.has(path)) {
    leftOut.push(`read ${path}: it is not there`);
    return [];
  }
  const isMade = access === "write" && !existing.has(path);
  const place = isMade && !SCRATCH.includes(dirname(path)) ? dirname(path) : path;
  const problem = problemOf(place, access);
  if (problem === undefined) return [place];
  const what = place === path ? path : `${place}, for ${basename(path)}`;
  leftOut.push(`${access} ${what}: ${problem}`);
  return [];
}

/** This machine's loopback is named by its address; `loopback` is the server's own, where it has one. */
function hostOf(place: string, hosts: readonly string[]): string {
  const [, host = place, port = ""] = /^(.*?)(:\d+)?$/.exec(place) ?? [];
  if (!LOOPBACK_HOSTS.includes(host) || [host, place].some((each) => hosts.includes(each))) {
    return place;
  }
  // The same service by another of its names.
  const named = LOOPBACK_HOSTS.flatMap((each) => [`${each}${port}`, each])
    .find((each) => hosts.includes(each));
  if (named !== undefined) return LOOPBACK_HOSTS.includes(named) ? `${named}${port}` : named;
  return port === ":0" ? "loopback" : `loopback${port}`; // 0 is any port
}

function widest(paths: readonly string[]): string[] {
  const all = unique(paths);
  return all.filter((path) =>
    !all.some((other) => other !== path && isWithin(path, other, "linux"))
  );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** A grant as YAML, in the shape of every `permissions`. */
export function grantYaml(permissions: Permissions): string {
  const lines = Object.entries(permissions).map(([name, values]) =>
    `  ${name}: [${(values as readonly string[]).map((each) => JSON.stringify(each)).join(", ")}]\n`
  );
  return lines.length === 0 ? "permissions: {}\n" : `permissions:\n${lines.join("")}`;
}
