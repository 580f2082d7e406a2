import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { stopProcess } from "../host/process.ts";
import type { Limits } from "../limits.ts";
import type { Launch } from "../sandbox/launch.ts";
import { hostAndPort } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { isRecord, type Json, textIn } from "./json.ts";

/** What it takes to run a step of a login. */
export interface StepWorld {
  readonly host: Pick<Host, "spawn" | "sleep">;
  readonly limits: Pick<Limits, "loginRequestTimeoutS" | "maxLoginFileBytes" | "stopServerMs">;
  /** Prepares a program under its grant, without starting it. */
  readonly prepare: (spec: ServerSpec) => Promise<Launch>;
}

/** A step that ended with an error of the other side's. `code` is OAuth's word for it, such as `invalid_grant`. */
export class StepFailed extends Error {
  constructor(message: string, readonly code: string | undefined) {
    super(message);
  }
}

/**
 * Runs one step of a login as a process of its own that reaches one host, that of `address`: who gives
 * tokens for a server is what the server says, so nothing of it is read, and nowhere is asked, with more
 * rights than that takes.
 *
 * @param told What the step is told; tokens among it go through its stdin alone.
 * @throws {StepFailed} when the other side does not do what is asked.
 * @throws {SkepError} as preparing a server does.
 */
export async function runStep(
  step: string,
  told: Json,
  address: URL | undefined,
  { host, limits, prepare }: StepWorld,
): Promise<Json> {
  const launch = await prepare({
    name: "login",
    command: "skep",
    args: ["mcp", "login"],
    env: {},
    permissions: { net: address === undefined ? [] : [hostAndPort(address)] },
    origin: { kind: "flag", where: "skep mcp login" },
  });
  try {
    const child = host.spawn(launch.command);
    const timer = new AbortController();
    try {
      const late = host.sleep(2 * limits.loginRequestTimeoutS * 1000, timer.signal)
        .then(() => Promise.reject(new StepFailed("it takes too long", undefined)));
      late.catch(() => {}); // told below
      const said = exchange(child, JSON.stringify({ ...told, step }), limits.maxLoginFileBytes);
      said.catch(() => {});
      return await Promise.race([said, late]);
    } finally {
      timer.abort();
      await stopProcess(child, () => Promise.resolve(), limits.stopServerMs, host);
    }
  } finally {
    await launch.release();
  }
}

async function exchange(
  { stdin, stdout, stderr }: ReturnType<Host["spawn"]>,
  line: string,
  limit: number,
): Promise<Json> {
  const trouble = read(stderr, limit).catch(() => "");
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(line));
  await writer.close();
  const text = await read(stdout, 2 * limit);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    const message = `A step of the login ended without an answer: ${(await trouble).trim()}`;
    throw new SkepError("SERVER_FAILED", message, { server: "login", stage: "call" }, { cause });
  }
  if (isRecord(answer) && isRecord(answer.found)) return answer.found;
  const fields = isRecord(answer) ? answer : {};
  throw new StepFailed(textIn(fields, "error") ?? "it failed", textIn(fields, "code"));
}

async function read(stream: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) throw new StepFailed(`it says more than ${limit} bytes`, undefined);
  }
  return text;
}
