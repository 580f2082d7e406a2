/** Where a server's entry was written: shown by the audit, and decides what it may ask for. */
export interface Origin {
  readonly kind: "pack" | "file" | "client" | "flag";
  /** The file, or a few words such as `session/new`. */
  readonly where: string;
}

/** How strongly a server wants the operating system to hold its grant. */
export type SandboxMode = "require" | "prefer" | "off";

/** Bounds on what a server uses of the machine. Absent is unbounded. */
export interface ResourceLimits {
  readonly memory_mb?: number;
  readonly processes?: number;
  readonly cpu_seconds?: number;
  readonly open_files?: number;
  readonly file_mb?: number;
}

/**
 * What a server asks for: the one shape of frontmatter, `mcp.json`, profiles, policies and
 * `audit --json`. An absent list asks for nothing, as an empty one does.
 */
export interface Permissions {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly net?: readonly string[];
  readonly run?: readonly string[];
  readonly env?: readonly string[];
  readonly sys?: readonly string[];
  /** Variable name to its source: `env:NAME` or `file:/path`. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly limits?: ResourceLimits;
  readonly sandbox?: SandboxMode;
}

/** One MCP server as its owner wrote it. */
export interface ServerSpec {
  readonly name: string;
  /** What its owner called it, where it is known by another name. */
  readonly configuredName?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of its `env` that pass although they are keys of the identity: the operator said so. */
  readonly passedKeys?: readonly string[];
  /** Absent: the profile of a known server, else the default grant. */
  readonly permissions?: Permissions;
  /** Variables whose values come from a source, as in its permissions; the persona names them for it. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The most that it may be granted, as the persona says that lists it, in `file`. */
  readonly ceiling?: { readonly permissions: Permissions; readonly file: string };
  /** The only tools of it that are listed; absent: all. */
  readonly enabledTools?: readonly string[];
  /** Tools of it that are not listed, and cannot be called. */
  readonly disabledTools?: readonly string[];
  /** Why it cannot be started, known before that is tried. */
  readonly problem?: Error;
  /** What `${NAME}` stood for in longer texts of its entry: variables of the runtime's, which may be secrets. */
  readonly filled?: Readonly<Record<string, string>>;
  /** The files that it is started from, as they were read; absent: those that are there when it starts. */
  readonly code?: CodeFiles;
  readonly origin: Origin;
}

/** Files that were read and checked, to be run from a private copy. */
export interface CodeFiles {
  /** The path of the program or script among them. */
  readonly main: string;
  /** Their paths are relative, with `/`. */
  readonly entries: readonly {
    readonly path: string;
    readonly bytes: Uint8Array;
    readonly isExecutable: boolean;
  }[];
}

/** An entry that comes to no server, since it is wrong. */
export interface UnusableEntry {
  /** Empty when it has none. */
  readonly name: string;
  /** A sentence for a person. */
  readonly why: string;
}
