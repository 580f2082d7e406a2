import { basename, join, resolve } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { accept, type Standing, standingOf } from "../sandbox/accept/acceptances.ts";
import { isWithinWorkspace } from "../sandbox/accept/is_within_workspace.ts";
import { wideningLines } from "../sandbox/accept/widenings.ts";
import type { Origin } from "../sandbox/spec.ts";
import type { GrantSource } from "./grant_sources.ts";
import type { Settings } from "./settings.ts";

/** How a source stands: `trusted` needs nobody's word, nor does one without servers. */
export type SourceStanding = Standing | { readonly kind: "trusted" };

/** Asks a person about a source; true for a yes. */
export type AskConsent = (source: GrantSource, standing: Standing) => Promise<boolean>;

/** What a person has accepted of what a run's servers ask for. */
export interface Consent {
  /** The files that list servers, with what they ask for. */
  readonly sources: readonly GrantSource[];
  standing(source: GrantSource): Promise<SourceStanding>;
  /** How the source of an entry stands; undefined for an entry of no file, such as a client's. */
  standingOf(origin: Origin): Promise<SourceStanding | undefined>;
  /** Whether the servers of that origin get what they ask for. */
  isAccepted(origin: Origin): Promise<boolean>;
  /** Keeps that a person said yes. */
  accept(source: GrantSource): Promise<void>;
  /** The command that shows what a source asks for, and accepts it. */
  command(source: GrantSource): string;
  /**
   * Makes sure that a pack's grants were accepted. A workspace's own file that was not gets the workspace at
   * most, and goes on.
   *
   * @param ask Absent: nobody can be asked.
   * @returns what a person should know, a line each.
   * @throws {SkepError} `GRANT_NOT_ACCEPTED` for a pack.
   */
  require(ask?: AskConsent): Promise<string[]>;
}

/**
 * The consent of one run. What was accepted is looked up each time: another program may ask meanwhile.
 *
 * @param packs The folder of the installed packs.
 */
export async function consentOf(
  sources: readonly GrantSource[],
  settings: Pick<Settings, "cwd" | "folders" | "limits" | "persona">,
  packs: string,
  { files, platform }: Pick<Host, "files" | "platform">,
): Promise<Consent> {
  const { folders, limits } = settings;
  const persona = await personaPath(settings, packs, files);
  const world = { state: folders.state, files, os: platform.os, limits };
  const standing = async (source: GrantSource): Promise<SourceStanding> =>
    source.isTrusted || source.requests.length === 0
      ? { kind: "trusted" }
      : await standingOf(source.file, source.requests, world);
  const keep = (source: GrantSource) => accept(source.file, source.requests, world);
  const ofOrigin = async ({ kind, where }: Origin) => {
    const real = kind === "file" ? await files.realPath(where).catch(() => where) : where;
    // A pack is one source, whichever of its files an entry is in.
    const source = sources.find((each) =>
      each.kind === kind && (kind === "pack" || each.file === real)
    );
    return source && await standing(source);
  };
  return {
    sources,
    standing,
    accept: keep,
    command: (source) => acceptCommand(source, persona),
    standingOf: ofOrigin,
    isAccepted: async (origin) => (await ofOrigin(origin))?.kind === "accepted",
    require: async (ask) => {
      const notices: string[] = [];
      for (const source of sources) {
        const found = await standing(source);
        if (found.kind === "trusted" || found.kind === "accepted") continue;
        if (source.kind === "file" && source.requests.every(isWithinWorkspace)) continue;
        if (ask !== undefined && await ask(source, found)) {
          await keep(source);
        } else if (source.kind === "pack") {
          throw notAccepted(source, found, persona);
        } else if (ask === undefined) {
          notices.push(
            `The servers of ${source.title} get the workspace at most until somebody accepts what they ask for: ${
              acceptCommand(source, persona)
            }`,
          );
        }
      }
      return notices;
    },
  };
}

function acceptCommand({ kind, file }: GrantSource, persona: string): string {
  const [flag, value] = kind === "pack" ? ["--persona", persona] : ["--mcp", file];
  return `skep audit --accept ${flag} ${shellWord(value)}`;
}

function notAccepted(
  source: GrantSource,
  standing: Standing,
  persona: string,
): SkepError<"GRANT_NOT_ACCEPTED"> {
  const { title, file } = source;
  const more = standing.kind === "widened"
    ? `it asks for more than was accepted (${
      wideningLines(standing.widenings).map((line) => line.trim()).join("; ")
    })`
    : "nobody has accepted yet what its servers may do";
  const message = `Cannot start ${title}: ${more}. To look at it and accept it: ${
    acceptCommand(source, persona)
  }`;
  return new SkepError("GRANT_NOT_ACCEPTED", message, { source: file });
}

/** The persona as it may be named from any folder. */
async function personaPath(
  { persona, cwd }: Pick<Settings, "persona" | "cwd">,
  packs: string,
  files: Pick<Host["files"], "stat">,
): Promise<string> {
  const [name = ""] = persona.split("#");
  const isInstalled = basename(name) === name && await files.stat(join(packs, name)) !== undefined;
  return isInstalled ? persona : resolve(cwd, persona);
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
