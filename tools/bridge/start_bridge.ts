import { DEFAULT_LIMITS } from "../../lib/limits.ts";
import { EitherWay } from "./either_way.ts";
import { HostLink } from "./host_link.ts";
import { Http } from "./http.ts";
import { LegacySse } from "./legacy_sse.ts";
import { isForHost, relay } from "./relay.ts";
import type { Remote } from "./remote.ts";
import type { Json } from "./rpc.ts";
import { readSettings } from "./settings.ts";
import { StreamableHttp } from "./streamable_http.ts";
import { Tokens } from "./tokens.ts";

/**
 * Stands in on stdio for one server that is reached over HTTP, until the host's input ends, the server ends
 * the session, or the process is asked to end.
 *
 * @returns The exit code: 1 for settings that cannot be used, 2 when the server ended it.
 */
export async function startBridge(args: readonly string[], world: typeof Deno): Promise<number> {
  const warn = (line: string) => void write(world.stderr, `${line}\n`);
  const settings = readSettings(args, world.env.toObject());
  if (typeof settings === "string") {
    await write(world.stderr, `skep bridge: ${settings}\n`);
    return 1;
  }
  const limits = DEFAULT_LIMITS;
  const link = new HostLink((text) => write(world.stdout, text), limits.maxFrameBytes);
  const emit = (message: Json) => {
    if (!isForHost(message)) warn("the server used a method that is not its own");
    else if (!link.send(message)) warn("a message of the server's is too long, and was dropped");
  };
  const { address, headers, takesLogin, type } = settings;
  const tokens = takesLogin ? new Tokens(link) : undefined;
  const http = new Http({ address, headers, tokens, fetch, sleep, limits });
  const older = () => new LegacySse(http, { limits, emit, warn });
  const newer = () => new StreamableHttp(http, { limits, sleep, emit, warn });
  const remote: Remote = type === "sse"
    ? older()
    : type === "http"
    ? newer()
    : new EitherWay(newer(), older);

  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    world.addSignalListener(name, () => stop.abort());
  }
  let lost: string | undefined;
  remote.ended.then((reason) => {
    lost = reason;
    stop.abort();
  });
  await relay(world.stdin.readable, link, remote, { limits, sleep, warn }, stop.signal);
  await remote.close().catch(() => {}); // who cannot be told is gone already
  await link.flushed;
  if (lost === undefined) return 0;
  await write(world.stderr, `skep bridge: ${lost}\n`);
  return 2;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) reject(signal.reason);
  const timer = setTimeout(resolve, ms);
  const leave = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  signal.addEventListener("abort", leave);
  return promise.finally(() => signal.removeEventListener("abort", leave));
}

async function write(target: typeof Deno.stdout, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await target.write(bytes.subarray(written));
  }
}
