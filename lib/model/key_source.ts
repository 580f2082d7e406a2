import { isAbsolute, join } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Credentials } from "./credentials.ts";
import { STAND_IN_KEY } from "./credentials.ts";
import { type Endpoint, type EndpointVariables, readEndpoint } from "./endpoint.ts";
import type { OperatorProvider } from "./operator_file.ts";
import type { ModelWorld } from "./world.ts";

/** Of the environment, what a program that keeps passwords works with. */
const COMMAND_VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "TERM",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "GNUPGHOME",
  "GPG_TTY",
  "PASSWORD_STORE_DIR",
  "SSH_AUTH_SOCK",
];

/** What finding a key takes. */
export type KeyWorld = Pick<
  ModelWorld,
  "env" | "files" | "spawn" | "sleep" | "cwd" | "limits" | "signal" | "keyCommands"
>;

/**
 * Reads a provider's endpoint, with its key from the first source that is set: its variable, the file
 * that the variable with `_FILE` at its end names, `key_file` and then `key_command` of `models.yaml`.
 * A command is run before the first request, and again after a key was refused.
 *
 * @throws {SkepError} as `readEndpoint()`; `CONFIG_INVALID` for a file that is none, is a link, or is
 * open to others.
 */
export async function openEndpoint(
  variables: EndpointVariables,
  operator: OperatorProvider | undefined,
  world: KeyWorld,
): Promise<Endpoint> {
  const { env } = world;
  const withKey = (key: string) =>
    readEndpoint(variables, (name) => name === variables.key ? key : env(name));
  const names = [variables.key, ...(variables.or === undefined ? [] : [variables.or.key])];
  if (names.some((name) => env(name)?.trim())) return readEndpoint(variables, env);
  const fileVariable = `${variables.key}_FILE`;
  const file = env(fileVariable)?.trim() || operator?.keyFile;
  if (file !== undefined) return { ...withKey(await readKeyFile(file, world)), keyVariable: file };
  const command = operator?.keyCommand;
  if (command === undefined) return readEndpoint(variables, env);
  const { provider } = variables;
  const credentials = world.keyCommands?.get(provider) ??
    commandCredentials(provider, command, world);
  world.keyCommands?.set(provider, credentials);
  return { ...withKey(STAND_IN_KEY), keyVariable: `key_command ${command[0]}`, credentials };
}

async function readKeyFile(path: string, { files, limits }: KeyWorld): Promise<string> {
  const unusable = (why: string, cause?: unknown) =>
    new SkepError("CONFIG_INVALID", `Cannot use the key file ${path}: ${why}`, { source: path }, {
      cause,
    });
  if (!isAbsolute(path)) throw unusable("its path must be absolute");
  const facts = await files.lstat(path);
  if (facts === undefined) throw unusable("there is none");
  if (!facts.isFile) throw unusable("it must be a file, not a link or folder");
  if (facts.mode !== undefined && (facts.mode & 0o077) !== 0) {
    throw unusable(`it is open to others (${facts.mode.toString(8)}): chmod 600 it`);
  }
  const text = await files.readText(path, limits.maxKeyBytes).catch((cause) => {
    throw unusable(messageOf(cause), cause);
  });
  if (text.trim() === "") throw unusable("it is empty");
  return text.trim();
}

function commandCredentials(
  provider: string,
  command: readonly string[],
  world: KeyWorld,
): Credentials {
  const known = new Set<string>();
  let pending: Promise<string> | undefined;
  const run = () => {
    // Requests that start together wait for one run: some commands ask a person.
    pending = runKeyCommand(provider, command, world).then((key) => {
      known.add(key);
      return key;
    });
    pending.catch(() => pending = undefined);
    return pending;
  };
  return {
    current: () => pending ?? run(),
    renew: async (rejected) => {
      const key = await (pending ?? run());
      return key === rejected ? await run() : key;
    },
    known: () => [...known],
  };
}

/** Runs the command and gives the first line that it prints. */
async function runKeyCommand(
  provider: string,
  [program = "", ...args]: readonly string[],
  world: KeyWorld,
): Promise<string> {
  const failed = (why: string, cause?: unknown) =>
    new SkepError("CONFIG_INVALID", `Cannot get the key of ${provider} from ${program}: ${why}`, {
      source: "key_command",
    }, { cause });
  if (world.spawn === undefined) throw failed("no program can be started here");
  const env = Object.fromEntries(COMMAND_VARIABLES.flatMap((name) => {
    const value = world.env(name);
    return value === undefined ? [] : [[name, value]];
  }));
  const path = await findProgram(program, world);
  if (path === undefined) throw failed("there is no such program on PATH");
  const { limits } = world;
  const child = world.spawn({ program: path, args, cwd: world.cwd(), env });
  const timer = new AbortController();
  const leave = () => void child.signalGroup("SIGKILL");
  world.signal?.addEventListener("abort", leave);
  if (world.signal?.aborted) leave();
  const late = world.sleep(limits.keyCommandTimeoutS * 1000, timer.signal).then(() => {
    child.signalGroup("SIGKILL");
    throw failed(`it printed nothing for ${limits.keyCommandTimeoutS} s`);
  });
  try {
    await child.stdin.close().catch(() => {}); // it may have ended without reading
    const done = Promise.all([
      textOf(child.stdout, limits.maxKeyBytes),
      textOf(child.stderr, limits.maxKeyBytes),
      child.exited,
    ]);
    const [text, complaint, { code }] = await Promise.race([done, late]);
    const most = limits.maxKeyBytes;
    if (text.length > most) throw failed(`it printed more than ${most} bytes`);
    const key = text.trim().split("\n")[0]?.trim() ?? "";
    if (code !== 0) throw failed(`it ended with ${code}: ${complaint.trim().slice(0, 200)}`);
    if (!/^[\x21-\x7e]+$/.test(key)) throw failed("its first line is no key");
    return key;
  } finally {
    timer.abort();
    world.signal?.removeEventListener("abort", leave);
    late.catch(() => {}); // it was told to stop waiting
  }
}

async function findProgram(program: string, { env, files }: KeyWorld): Promise<string | undefined> {
  if (isAbsolute(program)) return program;
  if (program.includes("/")) return undefined; // relative to where, nobody can say
  for (const folder of (env("PATH") ?? "").split(":").filter(isAbsolute)) {
    const path = join(folder, program);
    const facts = await files.stat(path).catch(() => undefined); // a folder that may not be looked into
    if (facts?.isFile) return path;
  }
  return undefined;
}

/** A stream's text, a little past so many bytes; it is read to its end, or its program would hang. */
async function textOf(stream: ReadableStream<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length <= most) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
