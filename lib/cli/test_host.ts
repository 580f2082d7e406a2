import type { Host } from "../host/host.ts";

/** A host of the unit tests of this folder: what it is asked to print and say is noted. */
export interface TestHost {
  readonly host: Host;
  /** What was printed, joined. */
  stdout(): string;
  /** The messages, one by one. */
  readonly messages: string[];
  /** Sends a signal to whoever watches for it. */
  signal(name: Deno.Signal): void;
  /** Signals that are watched for now. */
  watched(): string[];
}

/** A host that has only what a test gives it; anything else that is asked of it throws. */
export function testHost(parts: Partial<Host> = {}): TestHost {
  const printed: string[] = [];
  const messages: string[] = [];
  const watchers = new Set<{ names: readonly string[]; handler: (name: Deno.Signal) => void }>();
  const own: Partial<Host> = {
    print: (text) => Promise.resolve(void printed.push(text)),
    warn: (line) => void messages.push(line),
    isTerminal: () => false,
    env: () => undefined,
    platform: { os: "linux", arch: "x86_64" },
    onSignal: (names, handler, stop) => {
      const watcher = { names, handler };
      watchers.add(watcher);
      stop.addEventListener("abort", () => watchers.delete(watcher));
    },
  };
  return {
    host: Object.assign(own, parts) as Host,
    stdout: () => printed.join(""),
    messages,
    signal: (name) => {
      for (const { names, handler } of watchers) if (names.includes(name)) handler(name);
    },
    watched: () => [...watchers].flatMap(({ names }) => names),
  };
}
