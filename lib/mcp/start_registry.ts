import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import type { DenialReader } from "./call_result.ts";
import { cancelled } from "./cancelled.ts";
import { checkStrictly } from "./check_strictly.ts";
import type { EditorFiles } from "./editor_files.ts";
import type { Elicitor } from "./elicitation.ts";
import type { KnownLists } from "./known_lists.ts";
import type { Keep, Registry } from "./registry.ts";
import type { ServerLog } from "./server_log.ts";
import { ServerRegistry } from "./server_registry.ts";

/** What a registry is started with. */
export interface RegistryOptions extends DenialReader {
  readonly specs: readonly ServerSpec[];
  readonly unusable?: readonly UnusableEntry[];
  /**
   * Makes a server ready to be started. The spec has the name that the server is known by. One that
   * throws is refused with the error's message; the others live (T28). `isRefetching` when it did not
   * find what it imports: it is prepared once more. The signal is that of a start that can be given up
   * alone.
   */
  readonly prepare: (
    spec: ServerSpec,
    isRefetching: boolean,
    signal?: AbortSignal,
  ) => Promise<Launch>;
  readonly world: Pick<Host, "spawn" | "sleep" | "nowMs">;
  readonly limits: Limits;
  /** What a person must be told: sentences, about servers and tools that are not there. */
  readonly onNotice: (text: string) => void;
  /** Keeps what a result is too long for; absent: that is gone. */
  readonly keep?: Keep;
  /** Everything else that servers say and do. */
  readonly onLog: (line: ServerLog) => void;
  /** What servers are told of the program. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Asks a person for a server; absent: nobody is there, and a question is declined. */
  readonly elicitor?: Elicitor;
  /** The person's editor, as one server may use it; asked for the dev server alone. Absent: there is none. */
  readonly editorFiles?: (launch: Launch) => EditorFiles;
  /** Absolute paths of the folders that servers are told to work in. */
  readonly roots: readonly string[];
  /** The tools that servers had before; absent: every server is started at once. */
  readonly lists?: KnownLists;
  /** Names of servers that are listed and not started: a person switched them off before. */
  readonly off?: ReadonlySet<string>;
  /** A server or tool that is not there as it was asked for fails the whole start. */
  readonly isStrict?: boolean;
  /** Gives up starting: what was started is stopped, and `CANCELLED` is thrown. */
  readonly signal: AbortSignal;
}

/**
 * Starts the servers of a session side by side and resolves when each of them is healthy, dead or
 * refused. None of them fails the session: why one is not there is said through `onNotice` (T27).
 *
 * @throws {SkepError} `CANCELLED`; when it is strict, `TOO_MANY`, `CONFIG_INVALID`, `SERVER_FAILED`.
 */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { signal } = options;
  if (signal.aborted) throw cancelled();
  const closing = new AbortController();
  const giveUp = () => closing.abort();
  signal.addEventListener("abort", giveUp);
  const registry = new ServerRegistry(options, closing);
  try {
    await registry.start();
    if (options.isStrict) checkStrictly(options, registry);
    if (closing.signal.aborted) throw cancelled();
    return registry;
  } catch (error) {
    await registry.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
