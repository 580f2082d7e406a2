import { DEFAULT_LIMITS } from "../../lib/limits.ts";
import { VERSION } from "../../lib/version.ts";
import { layCommands } from "./command_scripts.ts";
import { layGitIdentity } from "./git_identity.ts";
import { instructions } from "./instructions.ts";
import { isConfined } from "./is_confined.ts";
import { ALL_TOOLS, HOOKS, listedTools } from "./listed_tools.ts";
import { ownCommand } from "./own_command.ts";
import { takeScratch } from "./scratch.ts";
import { serve } from "./serve.ts";
import { ServerState } from "./server_state.ts";
import { readSettings } from "./settings.ts";
import { shellJob } from "./shell_job.ts";

/**
 * Serves on stdio until the input ends or the process is asked to end.
 *
 * @param main The address of the program's main module.
 * @returns The exit code: 1 for arguments that cannot be used.
 */
export async function startServer(
  args: readonly string[],
  world: typeof Deno,
  main: string,
): Promise<number> {
  const warn = (line: string) => write(world.stderr, `skep dev server: ${line}\n`);
  const settings = readSettings(args, ALL_TOOLS.map(({ name }) => name));
  if (typeof settings === "string") {
    await warn(settings);
    return 1;
  }
  const { isUnconfined, isSaidConfined } = settings;
  const proofs = { isUnconfined, isConfined: isSaidConfined && await isConfined(world) };
  if (isUnconfined) {
    await warn("shell commands run unconfined, with all that this user may do");
  } else if (isSaidConfined && !proofs.isConfined) {
    await warn("nothing confines this process: there is no shell");
  }
  const limits = DEFAULT_LIMITS;
  using scratch = await takeScratch(await variable("TMPDIR", world), world);
  const own = (name: string) => ownCommand(name, main, world.execPath());
  const { isGitLooking } = settings;
  let areLaid = false;
  if (scratch !== undefined && (proofs.isConfined || isUnconfined)) {
    const commands = { rg: own("rg"), tree: own("tree"), isGitLooking };
    const laid = [
      layCommands(scratch.path, commands, world),
      layGitIdentity(scratch.path, settings, world),
    ];
    // A full disk: the shell works without them, but where git only looks.
    areLaid = await Promise.all(laid).then(
      () => true,
      (error) => warn(`cannot lay the shell's commands: ${error}`).then(() => false),
    );
  }
  await using state = await ServerState.open(scratch?.path, limits, world);
  const context = {
    cwd: world.cwd(),
    home: await variable("HOME", world),
    ...(settings.named === undefined ? {} : { named: settings.named }),
    limits,
    world,
    fetch,
    state,
    ownCommand: own,
    isWithoutJobs: settings.without.includes(shellJob.name),
  };
  const noShell = { isUnconfined: false, isConfined: false };
  const tools = listedTools(isGitLooking && !areLaid ? noShell : proofs, settings.without);
  const offer = {
    name: "skep-dev",
    version: VERSION,
    instructions: async () => instructions(context.cwd, await shellOf(tools, world), world),
    tools,
    hooks: HOOKS,
    areHooksListed: settings.areHooksListed,
  };
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    world.addSignalListener(name, () => stop.abort());
  }
  const send = (text: string) => write(world.stdout, text);
  await serve(offer, context, world.stdin.readable, send, stop.signal);
  return 0;
}

/** The shell that commands are written for; undefined when there is none to write them for. */
async function shellOf(
  tools: readonly { readonly name: string }[],
  world: Pick<typeof Deno, "env" | "permissions">,
): Promise<string | undefined> {
  if (!tools.some(({ name }) => name === "shell")) return undefined;
  return await variable("SKEP_SHELL", world) ?? "bash";
}

/** A variable of the environment; one outside of the grant counts as not set. */
async function variable(
  name: string,
  { env, permissions }: Pick<typeof Deno, "env" | "permissions">,
): Promise<string | undefined> {
  const { state } = await permissions.query({ name: "env", variable: name });
  return state === "granted" ? env.get(name) || undefined : undefined;
}

async function write(target: typeof Deno.stdout, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await target.write(bytes.subarray(written));
  }
}
