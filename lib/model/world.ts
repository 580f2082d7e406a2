import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Credentials } from "./credentials.ts";
import type { Gates } from "./gate.ts";

/** What the models take of the world: `{ ...host, limits }`. */
export interface ModelWorld
  extends Pick<Host, "env" | "files" | "fetch" | "sleep" | "nowMs" | "cwd"> {
  readonly limits: Limits;
  /** Where the operator's `models.yaml` and the providers' logins lie. Absent: there are none. */
  readonly configFolder?: string;
  /** Starts a `key_command`. Absent: there can be none. */
  readonly spawn?: Host["spawn"];
  /** Tells a person something at once, such as the page to log in on. Absent: nobody is there. */
  readonly warn?: Host["warn"];
  /** What all sessions of the process share, so that none is asked too much. Absent: no limits hold. */
  readonly gates?: Gates;
  /** Aborted when the program ends: a `key_command` that runs is ended then. Absent: it ends by itself. */
  readonly signal?: AbortSignal;
  /** The keys that commands gave, by provider: one run serves all that ask. Absent: each asks for itself. */
  readonly keyCommands?: Map<string, Credentials>;
  /** A number from 0 up to 1, for the jitter of retries. Absent: `Math.random`. */
  readonly random?: () => number;
}
