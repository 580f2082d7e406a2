import { SkepError } from "../errors.ts";
import type { SpawnCommand } from "../host/process.ts";
import { cannotStart } from "./command.ts";
import type { LaunchContext } from "./context.ts";
import { bundledArguments, npmArguments, scriptArguments } from "./deno_commands.ts";
import { flags } from "./flags.ts";
import { gitAuthor } from "./git_author.ts";
import type { Grant } from "./grant.ts";
import type { Parts } from "./launch.ts";
import { isWithin } from "./paths.ts";
import { basePath, findProgram } from "./programs.ts";
import type { ServerSpec } from "./spec.ts";

/**
 * The program that a server is, with its arguments; its grant as flags where it runs in Deno.
 *
 * @throws {SkepError} `SERVER_SPAWN_FAILED` when there is no such program, `GRANT_REFUSED` when the server may
 * write the program itself.
 */
export async function commandLine(
  { spec, command, held, target, places }: Parts,
  grant: Grant,
  context: LaunchContext,
): Promise<Pick<SpawnCommand, "program" | "args">> {
  const { host } = context;
  const { os } = host.platform;
  const program = places.deno;
  switch (target.kind) {
    case "bundled": {
      // Without a `run` grant the server would offer what it then cannot do.
      const own = command.args.filter((each) => !/^--(un)?confined$/.test(each));
      const proof = held.backend === undefined ? "--unconfined" : "--confined";
      const args = grant.run.length > 0 ? [proof, ...await author(own, context), ...own] : own;
      return { program, args: bundledArguments(target.name, flags(grant, { os }), args, context) };
    }
    case "npm": {
      const { specifier, lock } = target.fetched;
      const given = flags(grant, { os, hidesRefusedFiles: true });
      return { program, args: npmArguments(specifier, lock, given, command.args) };
    }
    case "script": {
      const given = flags(grant, { os });
      return { program, args: scriptArguments(target.path, given, command.args, context) };
    }
    case "native": {
      const writable = grant.write.map(({ value }) => value);
      const found = await findProgram(target.command, basePath(host, writable), host);
      if (found === undefined) throw cannotStart(spec, "there is no such program");
      await checkNotOwn(found, writable, spec, host);
      if (os === "windows" && /\.(cmd|bat)$/i.test(found)) {
        throw cannotStart(spec, `${found} is a batch file, which takes no arguments exactly`);
      }
      return { program: found, args: command.args };
    }
    default:
      return target satisfies never;
  }
}

/** Who a shell's commits are by, unless its entry or the repository says it. */
async function author(own: readonly string[], context: LaunchContext): Promise<string[]> {
  if (own.some((each) => /^--(author|person)=/.test(each))) return [];
  const found = await gitAuthor(context);
  return found === undefined ? [] : [`--person=${found}`];
}

/** What it may write, it may make into another program, which the next start would run (T68). */
async function checkNotOwn(
  program: string,
  writable: readonly string[],
  { name }: Pick<ServerSpec, "name">,
  { files, platform: { os } }: LaunchContext["host"],
): Promise<void> {
  const real = await files.realPath(program);
  const folder = writable.find((each) => [program, real].some((path) => isWithin(path, each, os)));
  if (folder === undefined) return;
  const message = `Cannot start server "${name}": it may write ${folder}, and so the program ` +
    `${program} that it is started from. Start it from elsewhere, or let it write less`;
  throw new SkepError("GRANT_REFUSED", message, { server: name });
}
