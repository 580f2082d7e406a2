import type { InitializeResponse } from "@agentclientprotocol/sdk";
import { SkepError } from "../errors.ts";
import { isRecord } from "./is_record.ts";

/** Who answers: the program, and the persona as people know it. */
export interface AgentInfo {
  readonly name: string;
  /** The persona's display name. */
  readonly title: string;
  readonly version: string;
  /** What the persona is for, in a line. */
  readonly description?: string;
  /** The address of the persona's picture. */
  readonly avatar?: string;
}

/** A way for a person to log in where a provider needs that; see {@linkcode AgentFacts}. */
export interface LoginMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** What an agent is and can do. */
export interface AgentFacts {
  readonly agentInfo: AgentInfo;
  /** Sessions are kept: they can be listed, opened again and deleted. */
  readonly keepsSessions: boolean;
  readonly logins: readonly LoginMethod[];
}

/** What is known of the client. */
export interface ClientFacts {
  /** The version that was agreed on. */
  readonly protocolVersion: 1 | 2;
  /** The client shows updates of kind `notice`. */
  readonly takesNotices: boolean;
  /** What a server may ask its person through it. */
  readonly elicits: readonly ("form" | "url")[];
  /** It gives the text of files as its person has it, and takes such text. */
  readonly editsFiles: { readonly reads: boolean; readonly writes: boolean };
  /** The client shows updates of kind `compaction_update`. */
  readonly takesCompactions: boolean;
  /** The client wants what ACP does not have, or not yet: `models` in replies, `session/fork`. */
  readonly takesUnstable: boolean;
}

/** A client that has not introduced itself, which it need not do. */
export const UNKNOWN_CLIENT: ClientFacts = {
  protocolVersion: 1,
  takesNotices: false,
  elicits: [],
  editsFiles: { reads: false, writes: false },
  takesCompactions: false,
  takesUnstable: false,
};

/**
 * Answers `initialize`, with nothing but this file, since every client waits for it.
 *
 * Version 2 is what buzz-acp asks for, in the shape of ACP v1: it gives its persona to agents that
 * answer 2. ACP's own draft of a version 2 is another protocol, told by its `info` member; it gets 1.
 *
 * @throws {SkepError} `INVALID_PARAMS` when the version is not a whole number.
 */
export function initialize(
  params: unknown,
  { agentInfo: { description, avatar, ...agentInfo }, keepsSessions, logins }: AgentFacts,
): { readonly result: InitializeResponse; readonly client: ClientFacts } {
  const given = isRecord(params) ? params : {};
  const asked = given.protocolVersion;
  if (typeof asked !== "number" || !Number.isInteger(asked) || asked < 0) {
    const message = `initialize: protocolVersion must be a whole number, not ${show(asked)}`;
    throw new SkepError("INVALID_PARAMS", message, { method: "initialize" });
  }
  const meta = {
    ...(description === undefined ? {} : { description }),
    ...(avatar === undefined ? {} : { avatar }),
  };
  const protocolVersion = asked >= 2 && !("info" in given) ? 2 : 1;
  const isUnstable = wantsUnstable(given.clientCapabilities);
  return {
    result: {
      protocolVersion,
      agentCapabilities: {
        loadSession: keepsSessions,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          close: {},
          additionalDirectories: {},
          ...(keepsSessions ? KEEPING : {}),
          ...(keepsSessions && isUnstable ? { fork: {} } : {}),
        },
        auth: logins.length === 0 ? {} : { logout: {} },
      },
      agentInfo: { ...agentInfo, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) },
      authMethods: logins.map((login) => ({ ...login })),
    },
    client: {
      protocolVersion,
      elicits: elicits(given.clientCapabilities),
      editsFiles: editsFiles(given.clientCapabilities),
      takesNotices: shows("notices", given.clientCapabilities),
      takesCompactions: shows("compaction", given.clientCapabilities),
      takesUnstable: isUnstable || protocolVersion === 2, // buzz-acp finds its models so
    },
  };
}

const KEEPING = { list: {}, resume: {}, delete: {} };

/** `_meta.skep.unstable` of the client's capabilities: ACP has no word for it. */
function wantsUnstable(capabilities: unknown): boolean {
  const meta = isRecord(capabilities) ? capabilities._meta : undefined;
  return isRecord(meta) && isRecord(meta.skep) && meta.skep.unstable === true;
}

function elicits(capabilities: unknown): ClientFacts["elicits"] {
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined;
  if (!isRecord(elicitation)) return [];
  return (["form", "url"] as const).filter((mode) => isRecord(elicitation[mode]));
}

function editsFiles(capabilities: unknown): ClientFacts["editsFiles"] {
  const fs = isRecord(capabilities) && isRecord(capabilities.fs) ? capabilities.fs : {};
  return { reads: fs.readTextFile === true, writes: fs.writeTextFile === true };
}

function shows(what: "notices" | "compaction", capabilities: unknown): boolean {
  const session = isRecord(capabilities) ? capabilities.session : undefined;
  return isRecord(session) && isRecord(session[what]);
}

function show(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, 100);
}
