import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Confiner } from "./confiner.ts";
import type { ServerLimits } from "./grant_limits.ts";
import type { Policy } from "./policy.ts";
import type { Refusal } from "./server_proxy.ts";
import type { Origin } from "./spec.ts";

/** What preparing a server's launch takes: where things lie, and what the operator chose. */
export interface LaunchContext {
  readonly host: Pick<
    Host,
    | "env"
    | "files"
    | "spawn"
    | "platform"
    | "execPath"
    | "isStandalone"
    | "cwd"
    | "sleep"
    | "isRoot"
    | "nowMs"
    | "listenUnix"
    | "connectTcp"
    | "lookup"
  >;
  /** The session's folder, absolute. */
  readonly workspace: string;
  /** Folders that the session works in besides, absolute: `${WORKSPACE}` as a whole stands for them too. */
  readonly addedFolders?: readonly string[];
  /** The persona's pack, which `${PACK}` stands for; absent when the server comes from none. */
  readonly pack?: string;
  /** Files and folders that this run was configured from, absolute: no server changes them. */
  readonly configuration?: readonly string[];
  /** skep's own folders, absolute. */
  readonly folders: { readonly config: string; readonly state: string; readonly cache: string };
  /** Holds skep's `deno.json`, `deno.lock`, `tools` and `personas`. */
  readonly programRoot: string;
  /** Holds the bundled servers as one file each (`dev.js`); absent: they start from source. */
  readonly bundles?: string;
  /** `off` is the operator's word that programs may run with nothing that confines them. */
  readonly sandbox: "auto" | "off";
  /** What the operator allows at most; absent: all but what is never granted. */
  readonly policy?: Policy;
  /** What confines servers here: asked once a run, since it is tried and not guessed. */
  readonly confiner: () => Promise<Confiner | { readonly problem: string }>;
  /** Where the operator keeps keys of models besides the usual variables; absent: nowhere. */
  readonly modelKeys?: {
    readonly variables: readonly string[];
    /** Absolute paths. */
    readonly files: readonly string[];
  };
  /** Whether a person has accepted what the servers of that origin ask for; absent: nobody was asked. */
  readonly isAccepted?: (origin: Origin) => Promise<boolean>;
  /** Nothing is fetched. */
  readonly isOffline: boolean;
  /** What a server imports is fetched even where it is believed to be there: a server did not find it. */
  readonly isRefetching?: boolean;
  readonly limits:
    & ServerLimits
    & Pick<
      Limits,
      | "maxArtifactBytes"
      | "maxConfigFileBytes"
      | "maxLockFileBytes"
      | "fetchPackageTimeoutS"
      | "maxGitWalkEntries"
      | "maxGitWalkDepth"
      | "maxHeldRepositories"
      | "stopServerMs"
      | "maxProxyConnections"
      | "maxProxyHeadBytes"
      | "proxyHeadMs"
      | "proxyConnectMs"
      | "proxyIdleMs"
      | "proxyPauseMs"
      | "proxyStartS"
    >;
  /** Told of what takes long, a line at a time. */
  readonly progress: (line: string) => void;
  /** Told of each connection that a server's proxy did not let pass, once. */
  readonly onRefused?: (refusal: Refusal) => void;
  /** Aborted when the launch is no longer wanted. */
  readonly signal?: AbortSignal;
}

/** Where one server's own things lie, each absolute and canonical. */
export interface ServerPlaces {
  /** Its private temporary folder: `${TMP}`. */
  readonly tmp: string;
  /** Its private home folder: `${HOME}`. */
  readonly home: string;
  /** Deno's cache. */
  readonly denoDir: string;
  /** The real `deno` program. */
  readonly deno: string;
  /** Files and folders of its own code that it may read. */
  readonly ownFiles: readonly string[];
}
