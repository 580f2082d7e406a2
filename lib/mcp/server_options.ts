import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { DenialReader } from "./call_result.ts";
import type { ConnectionOptions } from "./connection.ts";
import type { ServerLog } from "./server_log.ts";
import type { ToolList } from "./tool_list.ts";

/** What the servers of one registry share. */
export interface ServerOptions
  extends
    DenialReader,
    Pick<ConnectionOptions, "clientInfo" | "editorFiles" | "elicitor" | "roots"> {
  readonly limits: Limits;
  readonly world: Pick<Host, "spawn" | "sleep" | "nowMs">;
  readonly onLog: (line: ServerLog) => void;
  /** Something a person should know: a sentence. */
  readonly onNotice: (text: string) => void;
  /**
   * Called with the server's name, tools and launch whenever they were read. `isAtStart`: by a start of it,
   * so that the next start may begin with them.
   */
  readonly onTools: (server: string, list: ToolList, launch: Launch, isAtStart: boolean) => void;
  /** Aborted when the registry closes. */
  readonly closing: AbortSignal;
}
