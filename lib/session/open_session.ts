import type { ApprovalOptions } from "../approval/approvals.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Registry } from "../mcp/registry.ts";
import type { Model } from "../model/model.ts";
import type { SkillShelf } from "../prompt/load_skill.ts";
import type { FolderHints } from "../prompt/folder_hints.ts";
import type { TurnOptions } from "../turn/run.ts";
import type { ArtifactStore } from "./artifacts.ts";
import type { BuiltIn } from "./built_ins.ts";
import type { HookSettings } from "./hook_settings.ts";
import type { KeptSession } from "./keep_session.ts";
import { LiveSession } from "./live_session.ts";
import type { PackHooks } from "./pack_hooks.ts";
import type { ServerSource } from "./session_servers.ts";
import type { Session } from "./session.ts";

/** What a session is made of. Its registry is started; the session closes it. */
export interface SessionParts {
  readonly cwd: string;
  readonly system: string;
  readonly model: Model;
  readonly registry: Registry;
  readonly builtIns: readonly BuiltIn[];
  /** The skills that a built-in tool loads; absent: there are none. */
  readonly shelf?: SkillShelf;
  /** Where the servers' entries are written; absent: nowhere that could be read again. */
  readonly serverSource?: ServerSource;
  /** Gives the hints of folders below `cwd` when the work moves there; absent: nobody does. */
  readonly folderHints?: Pick<FolderHints, "after"> & Partial<Pick<FolderHints, "forget">>;
  /** What results were too long for; removed with the session. Absent: nothing is kept. */
  readonly artifacts?: ArtifactStore;
  readonly notices: readonly string[];
  readonly limits: Limits;
  readonly world: Pick<Host, "sleep">;
  /** What decides about calls; absent: all that is within its grant runs. */
  readonly approvals?: ApprovalOptions;
  /** Whose hooks are called; absent: nobody's. */
  readonly hooks?: HookSettings;
  /** The scripts of the persona's pack; absent: there are none. */
  readonly packHooks?: PackHooks;
  /** Before a turn ends the model is reminded that people read only what it publishes. */
  readonly requiresReply?: boolean;
  /** Where what happens is kept, and what the session was before; absent: it ends with the program. */
  readonly kept?: KeptSession;
  /** Writes the summaries of compactions; the session's own model unless given. */
  readonly summaryModel?: Model;
  /** Makes a history shorter that the provider refused as too long; a compaction unless given. */
  readonly recover?: NonNullable<TurnOptions["recover"]>;
}

/** Opens a session over its parts. */
export function openSession(parts: SessionParts): Session {
  return new LiveSession(parts);
}
