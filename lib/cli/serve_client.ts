import type { AgentInfo } from "../acp/initialize.ts";
import { type AcpOptions, serveAcp } from "../acp/serve_acp.ts";
import { sessionFolder } from "../acp/session_folder.ts";
import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { LIMITS, readLimits } from "../limits.ts";
import type { Effort } from "../model/effort.ts";
import type { Model } from "../model/model.ts";
import type { SessionStore } from "../session/store.ts";
import { VERSION } from "../version.ts";
import { acpLogins } from "./acp_logins.ts";
import type { Invocation } from "./flags.ts";
import type { Run } from "./prepare_run.ts";

/**
 * Serves one ACP client until it leaves or `stop` is aborted. Settings, persona and all that a session
 * needs are loaded behind the first answer, so that `initialize` waits for none of it and the session
 * that comes next for little.
 */
export async function serveClient(
  invocation: Invocation,
  host: Host,
  { input, output }: Pick<AcpOptions, "input" | "output">,
  stop: AbortSignal,
): Promise<void> {
  const prepare = preparation(invocation, host);
  const logins = acpLogins(prepare, host.env);
  try {
    await serveAcp({
      input,
      output: {
        write: async (bytes) => {
          await output.write(bytes);
          prepare.ahead();
        },
      },
      open: async (request) => await (await prepare()).open(request),
      folder: (path, method, what) => sessionFolder(path, method, host, what),
      resolveModel: async (id, choice) => await resolve(id, choice, await prepare()),
      models: async (current) => {
        const { modelChoices, modelId } = await prepare();
        return await modelChoices(current ?? modelId);
      },
      kept: async () => keptIn(await prepare(), host),
      untilSkillsChange: (signal) => host.sleep(LIMITS.findSkillsMs.value, signal),
      agentInfo: () => agentInfo(invocation, host, prepare),
      ...(logins === undefined ? {} : { logins }),
      passesKeys: host.env("SKEP_PASS_KEYS")?.trim() === "1",
      limits: readLimits(host.env),
      world: host,
      signal: stop,
    });
  } finally {
    await prepare.done();
  }
}

/** What the guide's own file says: it is not read for `initialize`, which waits for nothing. */
const GUIDE_DESCRIPTION = "Helps with code and text in the folder you started it in";

/**
 * Who answers: the persona, by its display name. One that was chosen is read for that; the one that
 * nobody chose is known. What speaks against a persona is told to who opens a session with it.
 */
async function agentInfo(
  invocation: Invocation,
  { env }: Pick<Host, "env">,
  prepare: () => Promise<Run>,
): Promise<AgentInfo> {
  const info = { name: "skep", title: "Guide", version: VERSION };
  if (invocation.value("persona") === undefined && !env("SKEP_PERSONA")?.trim()) {
    return { ...info, description: GUIDE_DESCRIPTION };
  }
  try {
    const { displayName: title, description, avatar: picture, pack } = (await prepare()).persona;
    // A path means nothing to a client, which knows no pack.
    const avatar = picture === undefined || /^https?:/.test(picture)
      ? picture
      : (await import("node:url")).pathToFileURL(`${pack}/${picture}`).href;
    return { ...info, title, description, ...(avatar === undefined ? {} : { avatar }) };
  } catch {
    return { ...info, title: "skep" };
  }
}

async function keptIn(
  { sessions }: Pick<Run, "sessions">,
  { files }: Pick<Host, "files">,
): Promise<Pick<SessionStore, "list" | "info" | "delete">> {
  const store = await sessions.store();
  return {
    list: (query) => store.list(query),
    info: (id) => store.info(id),
    delete: async (id) => {
      const wasThere = await store.delete(id);
      if (wasThere) await files.remove(sessions.artifacts(id));
      return wasThere;
    },
  };
}

/**
 * The model of that id. What names no provider is a model of the one that is used already, as buzz-acp
 * has it: there a model is known by its provider's name for it.
 */
async function resolve(
  id: string,
  { beside, effort }: { readonly beside: string; readonly effort: Effort | undefined },
  { model }: Pick<Run, "model">,
): Promise<Model> {
  const settings = effort === undefined ? {} : { effort };
  try {
    return await model(id, settings);
  } catch (error) {
    const provider = beside.split(":", 1)[0];
    if (!isSkepError(error, "MODEL_UNKNOWN") || beside === provider) throw error;
    return await model(`${provider}:${id}`, settings);
  }
}

/** What a session stands on. It is prepared once; what failed is tried again, since files may be mended. */
interface Preparation {
  (): Promise<Run>;
  /** Prepares before it is asked for, and loads what a session loads. What fails then is told when it is asked for. */
  ahead(): void;
  /** Lets go of what was prepared. */
  done(): Promise<void>;
}

function preparation(invocation: Invocation, host: Host): Preparation {
  let prepared: Promise<Run> | undefined;
  /** What has to be let go of; there is nothing while modules are loaded. */
  let held: Promise<Run> | undefined;
  let isAhead = false;
  let isAskedFor = false;
  const over = new AbortController();
  const load = async () => {
    const { prepareRun } = await import("./prepare_run.ts");
    if (over.signal.aborted) throw new SkepError("CANCELLED", "The connection has ended", {});
    held = prepareRun(invocation, host);
    const run = await held;
    for (const notice of run.notices) host.warn(notice);
    return run;
  };
  const prepare = () =>
    prepared ??= load().catch((error) => {
      prepared = undefined;
      throw error;
    });
  const ask = () => {
    isAskedFor = true;
    return prepare();
  };
  const ahead = () => {
    if (isAhead || over.signal.aborted) return;
    isAhead = true;
    host.sleep(LIMITS.loadAheadMs.value, over.signal).then(async () => {
      const run = await prepare();
      if (isAskedFor) return; // a session that is being opened starts its servers first, and then loads this
      await import("../mcp/connection.ts");
      await run.model();
      await run.sessions.load();
    }).catch(() => {});
  };
  const done = async () => {
    over.abort();
    const run = await held?.catch(() => undefined); // whoever asked for it was told
    await run?.[Symbol.asyncDispose]();
  };
  return Object.assign(ask, { ahead, done });
}
