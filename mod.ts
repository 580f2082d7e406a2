/**
 * skep as a library: run its command line, or its parts, inside a program of your own.
 *
 * @example Run a command as `skep` does.
 * ```ts
 * import { denoHost, main } from "./mod.ts";
 *
 * const code = await main(["--version"], { ...denoHost(), print: () => Promise.resolve() });
 * if (code !== 0) throw new Error("skep failed");
 * ```
 *
 * @module
 */
export { main } from "./lib/cli/main.ts";
export { type AgentStream, serveAgent, type ServeAgentOptions } from "./lib/cli/serve_agent.ts";
export {
  type ErrorCode,
  type ErrorDetails,
  isSkepError,
  type ProviderFailureReason,
  SkepError,
} from "./lib/errors.ts";
export { denoHost } from "./lib/host/deno_host.ts";
export type { FileFacts, FileIdentity, Files } from "./lib/host/files.ts";
export type { Hold } from "./lib/host/hold.ts";
export type { Host } from "./lib/host/host.ts";
export type { Launchers } from "./lib/host/launchers.ts";
export type { Lifeline } from "./lib/host/lifeline.ts";
export type { OwnStdout } from "./lib/host/own_stdout.ts";
export type { FileInside } from "./lib/host/read_inside.ts";
export type { Connection, Listener } from "./lib/host/sockets.ts";
export type { Span } from "./lib/host/started_below.ts";
export type { ExitStatus, Process, SpawnCommand } from "./lib/host/process.ts";
export { DEFAULT_LIMITS, type Limit, LIMITS, type Limits, readLimits } from "./lib/limits.ts";
export { VERSION } from "./lib/version.ts";
