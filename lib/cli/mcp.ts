import { watchParent } from "../acp/watch_parent.ts";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { stopProcess } from "../host/process.ts";
import { LIMITS, type Limits } from "../limits.ts";
import { Stderr } from "../mcp/stderr.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { nearest } from "../suggest.ts";
import { explainDenials } from "./explain_denials.ts";
import type { Invocation } from "./flags.ts";
import { prepareRun, type Run } from "./prepare_run.ts";
import { sessionRules } from "./session_rules.ts";
import { untilSignal } from "./stopping.ts";

/** The bundled servers that are of use alone; the others are parts of what skep does with a server. */
const ALONE: readonly string[] = ["dev"];

/**
 * `skep mcp login SERVER`: has a person log in to a server with a url. `skep mcp import FILE`: takes over the servers of another program's file. `skep mcp NAME`: a bundled server on stdio for any MCP host, behind the same grant as in a session.
 * Bytes pass through as they are, but for what a grant refused, which is explained. Ends with the host, the server, a signal, or the death of whoever
 * started us.
 */
export async function run(invocation: Invocation, host: Host): Promise<number> {
  const [name = "", file] = invocation.positionals;
  if (name === "import") return await runImport(file, invocation, host);
  if (name === "login" || name === "logout") {
    const { runLogin } = await import("./mcp_login.ts");
    return await runLogin(name, file, invocation, host);
  }
  if (file !== undefined) {
    const message = `skep mcp ${name} takes no argument, and was given "${file}"`;
    throw new SkepError("USAGE", message, { argument: file });
  }
  if (!ALONE.includes(name)) throw unknownServer(name);
  return await untilSignal(host, async (signal) => {
    await using run = await prepareRun(invocation, host);
    const launch = await run.prepare(
      ownSpec(name, invocation, run, host),
      run.settings.cwd,
      signal,
    );
    try {
      for (const notice of [...run.notices, ...launch.notices]) host.warn(notice);
      return await passThrough(launch, host, run.settings.limits, signal);
    } finally {
      await launch.release();
    }
  });
}

/** The server as a file of the person's has it, with the grant it asks for there; else as it comes. */
function ownSpec(
  name: string,
  invocation: Invocation,
  { servers, persona, settings }: Pick<Run, "servers" | "persona" | "settings">,
  { env }: Pick<Host, "env">,
): ServerSpec {
  const given = servers.find((each) =>
    each.name === name && each.origin.kind === "file" && each.command === "skep" &&
    each.args[0] === "mcp" && each.args[1] === name
  );
  const where = `a file that skep mcp ${name} gets with --mcp`;
  const spec = given ??
    { name, command: "skep", args: ["mcp", name], env: {}, origin: { kind: "flag", where } };
  const hooks = sessionRules(persona, settings.policy, env).hooks.servers;
  const areHooksAsked = invocation.has("hooks") || hooks === "*" || hooks.includes(name);
  const args = [
    ...(areHooksAsked ? ["--hooks"] : []),
    ...invocation.values("without").map((tools) => `--without=${tools}`),
    ...invocation.values("author").map((author) => `--author=${author}`),
  ];
  return { ...spec, args: [...spec.args, ...args] };
}

async function runImport(
  file: string | undefined,
  invocation: Invocation,
  host: Host,
): Promise<number> {
  if (file === undefined) {
    const message = "skep mcp import needs the file to import: skep mcp import FILE";
    throw new SkepError("USAGE", message, { argument: "FILE" });
  }
  const { importServers } = await import("./mcp_import.ts");
  return await importServers(file, invocation, host);
}

function unknownServer(name: string): SkepError {
  const near = nearest(name, [...ALONE, "import", "login", "logout"]);
  const hint = near === undefined ? `there is ${ALONE.join(", ")}` : `did you mean ${near}?`;
  return new SkepError("USAGE", `skep brings no server "${name}": ${hint}`, { argument: name });
}

/** Runs the server between our own stdin and stdout until one of them, or `signal`, ends it. */
async function passThrough(
  launch: Launch,
  host: Host,
  limits: Limits,
  signal: AbortSignal,
): Promise<number> {
  const { command, redact } = launch;
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const server = host.spawn(command);
  const watching = watchParent(host, () => over.abort(), LIMITS.watchParentMs.value, stop);
  let isInputOver = false;
  const input = host.stdin.pipeTo(server.stdin, { signal: stop })
    .then(() => void (isInputOver = true))
    .catch(() => {}); // the server or the host is gone: the end follows below
  let hasAnswered = false;
  const write = (bytes: Uint8Array) => {
    hasAnswered = true;
    return host.write(bytes);
  };
  const lines = explainDenials(server.stdout, launch, limits.maxFrameBytes);
  const output = pipe(lines, write).catch(() => over.abort());
  const say = (line: string) => host.warn(redact(line));
  const messages = new Stderr(server.stderr, limits.maxServerLogBytes, say);
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener("abort", () => resolve());
    if (stop.aborted) resolve();
  });
  await Promise.race([server.exited, stopped, input]);
  if (isInputOver && !hasAnswered) { // it may still be starting, and sees the end only then
    const late = host.sleep(limits.serverInitTimeoutS * 1000, over.signal).catch(() => {});
    await Promise.race([server.exited, stopped, late]);
  }
  let isStopped = false;
  const signalGroup: typeof server.signalGroup = (name) => {
    isStopped ||= name === "SIGTERM";
    return server.signalGroup(name);
  };
  const stoppable = { exited: server.exited, signalGroup };
  await stopProcess(stoppable, () => Promise.resolve(), limits.stopServerMs, host);
  over.abort();
  await Promise.all([input, output, messages.ended, watching]);
  const { code } = await server.exited;
  return code === 0 || (isInputOver && isStopped) ? 0 : 2;
}

async function pipe(
  source: AsyncIterable<Uint8Array>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const bytes of source) await write(bytes);
}
