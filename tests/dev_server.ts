// The dev server as a child, under exact flags, and a client that speaks MCP to it a line at a time.
import { join } from "@std/path";
import { frames } from "../lib/host/frames.ts";
import { childEnv, fromRepo, PATIENCE_MS } from "./harness.ts";

/** What a call came to, as it stands on the wire. */
export interface WireResult {
  readonly content: readonly {
    readonly type: string;
    readonly text: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  readonly isError: boolean;
  // deno-lint-ignore no-explicit-any -- a test looks at whatever came
  readonly structuredContent?: any;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A message as it stands on the wire. */
// deno-lint-ignore no-explicit-any -- a test looks at whatever came
export type WireMessage = Record<string, any>;

const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** A running dev server. `await using` ends it. */
export class DevServer {
  private readonly child: Deno.ChildProcess;
  /** Its private folders: canonical, outside of `cwd`, removed at the end. */
  readonly tmp: string;
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly waiting = new Map<unknown, (message: WireMessage) => void>();
  private readonly reading: Promise<void>;
  private nextId = 1;
  /** Everything that came, in order. */
  readonly received: WireMessage[] = [];
  /** What the server said on stderr, once it has ended. */
  readonly stderr: Promise<string>;

  /** Starts it in `cwd`, which it may read and write; `flags` come on top. */
  constructor(
    cwd: string,
    flags: readonly string[] = [],
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    tmp?: string,
  ) {
    this.tmp = tmp ?? Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skep-test-tmp-" }));
    this.child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--no-remote", "--cached-only", "--ignore-env"],
        ...[`--config=${fromRepo("deno.json")}`, `--lock=${fromRepo("deno.lock")}`, "--frozen"],
        ...[`--allow-read=.,${this.tmp}`, `--allow-write=.,${this.tmp}`],
        ...["--allow-env=TMPDIR,HOME,SKEP_SHELL", ...flags],
        ...[fromRepo("tools/dev/main.ts"), ...args],
      ],
      cwd,
      clearEnv: true,
      env: { ...childEnv(cwd), TMPDIR: this.tmp, HOME: join(this.tmp, "home"), ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.writer = this.child.stdin.getWriter();
    this.reading = this.read();
    this.stderr = new Response(this.child.stderr).text();
  }

  /** Starts one that has a shell. */
  static withShell(
    cwd: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): DevServer {
    const run = "--allow-run=/usr/bin/bash,/bin/bash";
    return new DevServer(cwd, [run], ["--unconfined", ...args], env);
  }

  /** Starts one on the private folders that another has left. */
  static after(other: DevServer, cwd: string, args: readonly string[]): DevServer {
    return new DevServer(cwd, [], args, {}, other.tmp);
  }

  get pid(): number {
    return this.child.pid;
  }

  get ended(): Promise<Deno.CommandStatus> {
    return this.child.status;
  }

  /** Sends one line as it is. */
  async sendLine(line: string | Uint8Array): Promise<void> {
    await this.writer.write(
      typeof line === "string" ? new TextEncoder().encode(line + "\n") : line,
    );
  }

  async notify(method: string, params: unknown = {}): Promise<void> {
    await this.sendLine(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Sends a request; gives its id and its answer. */
  start(method: string, params: unknown = {}): { id: number; answer: Promise<WireMessage> } {
    const id = this.nextId++;
    const { promise, resolve } = Promise.withResolvers<WireMessage>();
    this.waiting.set(id, resolve);
    this.sendLine(JSON.stringify({ jsonrpc: "2.0", id, method, params })).catch(() => {});
    return { id, answer: promise };
  }

  async request(method: string, params: unknown = {}): Promise<WireMessage> {
    return await this.start(method, params).answer;
  }

  /** Calls a tool. */
  async call(name: string, args: unknown): Promise<WireResult> {
    const { result } = await this.request("tools/call", { name, arguments: args });
    return result;
  }

  /** Calls a tool and gives the text of its result. */
  async text(name: string, args: unknown): Promise<string> {
    const { content } = await this.call(name, args);
    return content.map((part) => part.text).join("");
  }

  /** Ends the server's input. */
  async end(): Promise<void> {
    await this.writer.close().catch(() => {}); // it may have ended already
  }

  signal(name: Deno.Signal): void {
    this.child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.child.status;
    await this.reading;
    await this.stderr;
    // One that came after it has removed them.
    await Deno.remove(this.tmp, { recursive: true }).catch(() => {});
  }

  private async read(): Promise<void> {
    for await (const frame of frames(this.child.stdout, MAX_FRAME_BYTES)) {
      if (frame.kind !== "text") throw new Error(`The server wrote a line that is ${frame.kind}`);
      const message = JSON.parse(frame.text);
      this.received.push(message);
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    }
  }
}

/** Waits until a command of the test has written its process id to a file. */
export async function pidIn(path: string): Promise<number> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const text = await Deno.readTextFile(path).catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Nothing was written to ${path}`);
}
