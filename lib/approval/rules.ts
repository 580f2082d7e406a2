/** What a rule says of a call. */
export type Action = "allow" | "ask" | "deny";

/** From the mildest to the strictest. */
export const ACTIONS: readonly Action[] = ["allow", "ask", "deny"];

/** One rule. It speaks of a call when all of its patterns match; `*` in a pattern is any characters. */
export interface Rule {
  readonly action: Action;
  /** Of the tool's qualified name, `server__tool`, as it is listed or as its server is configured. */
  readonly tool: string;
  /** Of one command as a shell runs it, its words joined by single spaces; `git *` is `git` too. */
  readonly command?: string;
  /** Of arguments, by their names. An argument that is no text is matched as JSON. */
  readonly args: Readonly<Record<string, string>>;
}

/** The rules of one source: the most specific one that speaks of a call decides. */
export interface Rules {
  /** The file, for people. */
  readonly source: string;
  readonly rules: readonly Rule[];
  /** `plan`: calls that could change anything are refused. */
  readonly mode?: Mode;
}

/** How a session works: as its rules say, or only looking. */
export type Mode = "normal" | "plan";

/** A call that rules are asked about. */
export interface ApprovalCall {
  readonly tool: string;
  /**
   * Other names that rules may have for it: the server's as it was configured, the server's own word for the tool.
   * `shared`: names that are another server's by right, which forbid and never allow.
   */
  readonly names?: { readonly own: readonly string[]; readonly shared: readonly string[] };
  readonly args: Readonly<Record<string, unknown>>;
}

/** The stricter of two. */
export function stricter(a: Action, b: Action): Action {
  return ACTIONS.indexOf(a) >= ACTIONS.indexOf(b) ? a : b;
}
