import type { Host } from "../host/host.ts";
import type { Registry } from "../mcp/registry.ts";
import type { Invocation } from "./flags.ts";
import { prepareRun, type Run } from "./prepare_run.ts";
import { untilSignal } from "./stopping.ts";

/** What a command does with the servers of its run, which are stopped behind it. */
export type UseServers = (run: Run, registry: Registry, signal: AbortSignal) => Promise<number>;

/** A command that starts all servers in its folder, tells what a person must know of them, and uses them. */
export function withServers(invocation: Invocation, host: Host, use: UseServers): Promise<number> {
  return untilSignal(host, async (signal) => {
    await using run = await prepareRun(invocation, host);
    const notices = [...run.notices];
    const request = { cwd: run.settings.cwd, servers: [], signal };
    const registry = await run.startServers(request, notices);
    try {
      for (const notice of notices) host.warn(notice);
      return await use(run, registry, signal);
    } finally {
      await registry.close();
    }
  });
}

/** 0, or 2 when a server is not there. One that waits for its first call is. */
export function exitCodeOf(registry: Pick<Registry, "servers">): number {
  const areThere = registry.servers().every(({ state }) => state === "healthy" || state === "idle");
  return areThere ? 0 : 2;
}
