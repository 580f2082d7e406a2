import { join } from "@std/path";
import { SkepError } from "../../errors.ts";
import { frames } from "../../host/frames.ts";
import type { Process } from "../../host/process.ts";
import type { LaunchContext, ServerPlaces } from "../context.ts";
import { ownConfiguration } from "../deno_commands.ts";
import { denoValues } from "../environment.ts";
import { SYSTEM_PATH } from "../../host/system_path.ts";

/** What was laid, as `tools/probe/main.ts` tells it; the probe's programs read the rest of it. */
export interface Laid {
  readonly workspace: string;
  readonly secret: string;
  readonly secretJson: string;
  readonly credentials: readonly string[];
  readonly canariesReversed: readonly string[];
}

/** Laid bait. */
export interface Bait extends AsyncDisposable {
  readonly laid: Laid;
  /** What came of it since the last look: each thing looked at, and what was found. */
  check(): Promise<Readonly<Record<string, readonly string[]>>>;
}

/** It is our own, and must reach what no server may. */
const FLAGS = ["read", "write", "net", "run", "env", "sys", "ffi"].map((name) => `--allow-${name}`);
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Starts the program that lays the bait, outside of any confinement. Disposing of it removes all of it,
 * as does the end of this program.
 *
 * @param testHome A home folder of a test's own, in which credentials are laid.
 * @throws {SkepError} `DEFECT` when it does not come up, with its last words.
 */
export async function layBait(
  testHome: string | undefined,
  context: LaunchContext,
  { deno, denoDir }: Pick<ServerPlaces, "deno" | "denoDir">,
): Promise<Bait> {
  const { host, folders, programRoot } = context;
  const places = {
    config: folders.config,
    denoDir,
    ...(testHome === undefined ? {} : { testHome }),
  };
  const child = host.spawn({
    program: deno,
    args: [
      "run",
      "--no-prompt",
      "--no-remote",
      "--cached-only",
      ...ownConfiguration(context),
      ...FLAGS,
      join(programRoot, "tools", "probe", "main.ts"),
      JSON.stringify(places),
    ],
    cwd: programRoot,
    env: {
      ...denoValues(denoDir),
      PATH: SYSTEM_PATH,
      NO_COLOR: "1",
      TMPDIR: host.env("TMPDIR") ?? "/tmp",
    },
  });
  const stderr = new Response(child.stderr).text();
  const lines = frames(child.stdout, MAX_LINE_BYTES);
  const writer = child.stdin.getWriter();
  const close = async () => {
    await writer.close().catch(() => {}); // it has ended already
    await child.exited;
    await Promise.all([stderr, lines.return()]);
  };
  const read = async () => {
    const { value } = await lines.next();
    if (value?.kind === "text") return JSON.parse(value.text);
    child.signalGroup("SIGKILL");
    throw await failed(child, stderr);
  };
  try {
    return {
      laid: await read(),
      check: async () => {
        await writer.write(new TextEncoder().encode("check\n"));
        return await read();
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function failed(
  child: Pick<Process, "exited">,
  stderr: Promise<string>,
): Promise<SkepError> {
  const { code } = await child.exited;
  const words = (await stderr).trim().split("\n").slice(-3).join(" ");
  return new SkepError("DEFECT", `The probe's bait ended with code ${code}: ${words}`, {});
}
