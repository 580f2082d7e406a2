import type { ProtectedPath } from "./never_granted.ts";
import type { Origin, ResourceLimits, SandboxMode } from "./spec.ts";

/** One thing that a server may touch, and who asked for it. */
export interface Entry {
  readonly value: string;
  /** A few words, such as `pack personas/guide` or `default grant`. */
  readonly origin: string;
}

/** A variable that holds a secret, and where its value comes from: `env:NAME` or `file:/path`. */
export interface SecretEntry extends Entry {
  readonly from: string;
}

/** An entry that was asked for and not granted, with the reason. */
export interface Cut {
  readonly list: "read" | "write" | "net" | "run" | "env" | "sys" | "secrets" | "limits";
  readonly value: string;
  readonly reason: string;
}

/**
 * What one server may touch, computed once from what it asks for and what it may ask for. Paths are
 * absolute and canonical, programs absolute, `${…}` resolved.
 */
export interface Grant {
  readonly server: string;
  /** Where the server's entry is written: there a person would change what it asks for. */
  readonly source: Origin;
  /** True when nobody has accepted that entry: it gets the workspace at most, whatever it asks for. */
  readonly isLimited: boolean;
  /** The session's folder: the child's working directory. */
  readonly workspace: string;
  /** Folders that the session works in besides, canonical. */
  readonly addedFolders?: readonly string[];
  /** The server's private temporary folder: `${TMP}`. */
  readonly tmp: string;
  /** The server's private home folder: `${HOME}`. */
  readonly home: string;
  readonly read: readonly Entry[];
  readonly write: readonly Entry[];
  readonly net: readonly Entry[];
  readonly run: readonly Entry[];
  /** Names that the server may see, with the values in the launch's environment. */
  readonly env: readonly Entry[];
  readonly sys: readonly Entry[];
  /** Names of the variables that hold a secret. Their values are in the launch's environment only. */
  readonly secrets: readonly SecretEntry[];
  readonly limits: ResourceLimits;
  /** Who set each of the limits. */
  readonly limitOrigins: Readonly<Record<string, string>>;
  readonly sandbox: SandboxMode;
  readonly cut: readonly Cut[];
  /** Whose machine it is, so that nobody is told to ask for what would be a danger to them. */
  readonly person?: {
    readonly home: string | undefined;
    readonly path: string | undefined;
    readonly isRoot: boolean;
  };
  /** What no grant on this machine holds, so that nobody is told to ask for it. */
  readonly guarded: readonly ProtectedPath[];
}
