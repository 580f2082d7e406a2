import { join } from "@std/path";
import { isSkepError, messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { KEY_VARIABLES, looksSecret } from "../sandbox/keys.ts";
import { type ExactRedactor, redactor, secretsOf } from "../sandbox/redact.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { accessLogPath } from "../session/access_log_path.ts";
import { artifactsFolder } from "../session/artifacts_folder.ts";
import type { KeptSession } from "../session/keep_session.ts";
import type { SessionRequest } from "../session/session.ts";
import type { SessionInfo, SessionStore } from "../session/store.ts";
import type { Settings } from "./settings.ts";

/** The sessions that are kept in skep's state folder. */
export interface KeptSessions extends AsyncDisposable {
  /** Loads what the store runs on, SQLite among it, and opens nothing. */
  load(): Promise<void>;
  /** The store, opened when it is first asked for. @throws {SkepError} `STORE_FAILED`. */
  store(): Promise<SessionStore>;
  /** Where the artifacts of a session are. */
  artifacts(id: string): string;
  /** Where the access log of a session is, kept or not. */
  accesses(id: string): string;
  /**
   * Begins a session that is kept, or goes on with one. A new one that cannot be kept is undefined: it
   * lives as long as the program, which is said.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`, `STORE_FAILED` for one that is to go on.
   */
  keep(
    request: SessionRequest,
    facts: Pick<SessionInfo, "persona" | "model">,
    servers: readonly ServerSpec[],
    notices: string[],
  ): Promise<KeptSession | undefined>;
}

/** Opens nothing yet. */
export function keptSessions(
  { folders, limits }: Pick<Settings, "folders" | "limits">,
  host: Host,
): KeptSessions {
  const folder = join(folders.state, "sessions");
  const artifacts = (id: string) => artifactsFolder(folder, id);
  let opening: Promise<SessionStore> | undefined;
  /** Tells a person of the store: in the session that was opened last, if there is one. */
  let tell = (text: string): void => host.warn(text);
  // Loaded when they are used: they bring SQLite along.
  const opener = () => import("../session/open_store.ts");
  const keeper = () => import("../session/keep_session.ts");
  const open = async () => {
    const { openStore } = await opener();
    const { files } = host;
    const world = { files, nowMs: () => host.nowMs(), warn: (text: string) => tell(text) };
    return await openStore(folder, world, limits);
  };
  const store = () =>
    opening ??= open().catch((error) => {
      opening = undefined; // tried again: a disk that was full may have room
      throw error;
    });
  return {
    load: async () => void await Promise.all([opener(), keeper()]),
    store,
    artifacts,
    accesses: (id) => accessLogPath(folder, id),
    keep: async (request, facts, servers, notices) => {
      const { cwd, resume, systemPrompt, title, onNotice = host.warn } = request;
      const { keepSession, unkept } = await keeper();
      let isOpening = true;
      tell = (text) => isOpening ? void notices.push(text) : onNotice(text);
      try {
        const kept = await keepSession({
          store: await store(),
          facts: { cwd, ...facts },
          ...(resume === undefined ? {} : { resume }),
          ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
          ...(title === undefined ? {} : { title }),
          redact: journalRedactor(servers, host.env),
          limits,
          world: host,
          copyArtifacts: (from, to) => copyFolder(artifacts(from), artifacts(to), host, limits),
          onNotice: tell,
        });
        // Its end waits for this; what fails is tried again with the first prompt, and told then.
        if (request.isKeptAtOnce) kept.journal.flush().catch(() => {});
        return kept;
      } catch (error) {
        if (resume !== undefined || !isSkepError(error, "STORE_FAILED")) throw error;
        notices.push(unkept(messageOf(error)));
        return undefined;
      } finally {
        isOpening = false;
      }
    },
    [Symbol.asyncDispose]: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/**
 * Takes out of a journal every value that is the identity's key, a model's, or a secret of a server's: of
 * its own variables those that look like one, and those whose source is a variable.
 */
export function journalRedactor(
  servers: readonly ServerSpec[],
  env: Host["env"],
): ExactRedactor {
  const keys = KEY_VARIABLES.map((name) => [name, env(name) ?? ""] as const);
  const own = servers.flatMap((spec) => {
    const names = Object.keys(spec.env).filter((name) => looksSecret(name, spec.env[name]!));
    return secretsOf(spec, names, spec.env);
  });
  const sources = servers.flatMap(({ permissions, secrets }) =>
    Object.entries({ ...permissions?.secrets, ...secrets })
  );
  const fromEnv = sources.flatMap(([name, source]) => {
    const value = source.startsWith("env:") ? env(source.slice(4)) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return redactor([...keys, ...own, ...fromEnv]);
}

async function copyFolder(
  from: string,
  to: string,
  { files }: Pick<Host, "files">,
  { maxArtifactBytes }: Pick<Settings["limits"], "maxArtifactBytes">,
): Promise<void> {
  const facts = await files.stat(from);
  if (facts === undefined) return;
  await files.makeFolder(to);
  for (const name of await files.list(from)) {
    const bytes = await files.readBytes(join(from, name), maxArtifactBytes);
    await files.writeBytes(join(to, name), bytes);
  }
}
