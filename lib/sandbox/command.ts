import { basename } from "@std/path";
import { SkepError } from "../errors.ts";
import { denoRunTarget } from "./deno_run.ts";
import type { Launch } from "./launch.ts";
import type { ServerSpec } from "./spec.ts";

/** What a spec's command line means. `args` are what the program itself gets. */
export type ServerCommand =
  & (
    /** `skep mcp NAME`: one of ours. */
    | { readonly kind: "bundled"; readonly name: string }
    /** A package of npm; `version` is a version, range or tag, `bin` one of its programs. */
    | {
      readonly kind: "npm";
      readonly package: string;
      readonly version?: string;
      readonly bin?: string;
    }
    /** A file of JavaScript or TypeScript, its path as written. */
    | { readonly kind: "script"; readonly path: string }
    /** Any other program, as written. */
    | { readonly kind: "native"; readonly command: string }
  )
  & {
    readonly args: readonly string[];
    /** What of the command line is not taken, a line each. */
    readonly notices: readonly string[];
  };

/**
 * Names of the programs that ship with skep: `dev` is a server, `bridge` stands in for one that is reached
 * over HTTP, `login` is one step of a login there.
 */
export const BUNDLED_SERVERS: readonly string[] = ["dev", "bridge", "login"];

const SCRIPT = /\.(ts|mts|cts|tsx|js|mjs|cjs|jsx)$/i;
const PACKAGE = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@([^/\s@]+))?(?:\/([\w.-]+))?$/i;

/**
 * Reads the command line of a server: ours, a package that `npx`, `bunx` or `deno run npm:` would
 * fetch, a script that Deno runs, or a native program. The arguments stay as they are.
 *
 * @throws {SkepError} `SERVER_SPAWN_FAILED` when the line cannot be run under a grant, with the reason.
 */
export function readCommand(spec: Pick<ServerSpec, "name" | "command" | "args">): ServerCommand {
  const { command, args } = spec;
  const program = basename(command.replaceAll("\\", "/")).replace(/\.(exe|cmd|bat)$/i, "");
  if (program === "skep" && args[0] === "mcp") return bundled(spec);
  if (program === "npx" || program === "bunx") return packageRunner(program, spec);
  if (program === "deno") return deno(spec);
  if (isDenoScript(command)) return { kind: "script", path: command, args, notices: [] };
  return { kind: "native", command, args, notices: [] };
}

/** True of the dev server that ships with skep; false too of what cannot be read. */
export function isDevServer(spec: Pick<ServerSpec, "name" | "command" | "args">): boolean {
  try {
    const command = readCommand(spec);
    return command.kind === "bundled" && command.name === "dev";
  } catch {
    return false;
  }
}

/** Whether a file is one that Deno runs, by its name. */
export function isDenoScript(path: string): boolean {
  return SCRIPT.test(path);
}

/** How a package is named to Deno: `npm:NAME@VERSION/BIN`. */
export function npmSpecifier(
  command: { readonly package: string; readonly version?: string; readonly bin?: string },
): string {
  const version = command.version === undefined ? "" : `@${command.version}`;
  return `npm:${command.package}${version}${command.bin === undefined ? "" : `/${command.bin}`}`;
}

/** A `SERVER_SPAWN_FAILED` that names server and command line. */
export function cannotStart(
  spec: Pick<ServerSpec, "name" | "command">,
  why: string,
  options?: ErrorOptions,
): SkepError<"SERVER_SPAWN_FAILED"> {
  const message = `Cannot start server "${spec.name}" (command ${
    JSON.stringify(spec.command)
  }): ${why}`;
  const details = { server: spec.name, command: spec.command };
  return new SkepError("SERVER_SPAWN_FAILED", message, details, options);
}

function bundled(spec: Pick<ServerSpec, "name" | "command" | "args">): ServerCommand {
  const [, name = "", ...args] = spec.args;
  if (BUNDLED_SERVERS.includes(name)) return { kind: "bundled", name, args, notices: [] };
  throw cannotStart(spec, `skep brings no server "${name}", only ${BUNDLED_SERVERS.join(", ")}`);
}

/** `npx [-y] PKG ARGS`, `npx [-y] -p PKG PROGRAM ARGS`: the same of `bunx`. */
function packageRunner(
  runner: string,
  spec: Pick<ServerSpec, "name" | "command" | "args">,
): ServerCommand {
  let chosen: string | undefined;
  const rest = [...spec.args];
  while (rest[0]?.startsWith("-")) {
    const option = rest.shift() ?? "";
    if (option === "--") break;
    if (/^(-y|--yes|-q|--quiet|--bun|--prefer-offline)$/.test(option)) continue;
    const [, name, value] = /^(-p|--package)(?:=(.*))?$/.exec(option) ?? [];
    if (name === undefined || chosen !== undefined) {
      throw cannotStart(spec, `skep reads "${runner} -y PACKAGE ARGS", not the option ${option}`);
    }
    chosen = value ?? rest.shift() ?? "";
  }
  const word = rest.shift();
  if (word === undefined) throw cannotStart(spec, `${runner} is given no package`);
  return chosen === undefined
    ? npmPackage(word, rest, spec)
    : { ...npmPackage(chosen, rest, spec), bin: word };
}

function npmPackage(
  text: string,
  args: readonly string[],
  spec: Pick<ServerSpec, "name" | "command">,
): ServerCommand & { readonly kind: "npm" } {
  const [, name, version, bin] = PACKAGE.exec(text) ?? [];
  if (name === undefined) {
    throw cannotStart(spec, `${JSON.stringify(text)} names no package of the npm registry`);
  }
  return {
    kind: "npm",
    package: name,
    ...(version === undefined ? {} : { version }),
    ...(bin === undefined ? {} : { bin }),
    args,
    notices: [],
  };
}

function deno(spec: Pick<ServerSpec, "name" | "command" | "args">): ServerCommand {
  const { target, args, dropped } = denoRunTarget(spec.args);
  const notices = dropped.length === 0 ? [] : [
    `Server "${spec.name}": ${dropped.join(" ")} of its command line is not taken; ` +
    "what it may touch is written under permissions:",
  ];
  if (target === undefined) {
    throw cannotStart(
      spec,
      'of the deno program only "deno run FILE" and "deno run npm:PACKAGE" start',
    );
  }
  if (target.startsWith("npm:")) {
    return { ...npmPackage(target.slice("npm:".length), args, spec), notices };
  }
  if (/^(https?|jsr|data|blob):/i.test(target)) {
    throw cannotStart(spec, `${target} is remote code; only files and npm: packages are run`);
  }
  return { kind: "script", path: target, args, notices };
}

/** The kinds that run inside Deno, under its flags. */
export function runsInDeno(kind: Launch["kind"]): boolean {
  return kind !== "native";
}
