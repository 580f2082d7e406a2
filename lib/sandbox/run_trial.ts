import type { Host } from "../host/host.ts";

/** Runs a short program to its end, with PATH and `more` alone in its environment, and gives how it went. */
export async function runTrial(
  program: string,
  args: readonly string[],
  path: string,
  { spawn }: Pick<Host, "spawn">,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = spawn({ program, args, cwd: "/", env: { PATH: path, ...more } });
  const closing = child.stdin.close().catch(() => {}); // it may have ended already
  const [stderr, stdout] = await Promise.all([
    new Response(child.stderr).text(),
    new Response(child.stdout).text(),
    closing,
  ]);
  const { code } = await child.exited;
  return { code, stdout, stderr };
}
