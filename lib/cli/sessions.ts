import { join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { isArtifactContent, isArtifactName } from "../session/artifacts.ts";
import { type Damage, damageInWords, goodRecords } from "../session/good_records.ts";
import { replayRecords } from "../session/replay_records.ts";
import type { Replayed } from "../session/session.ts";
import type { SessionArtifact } from "../session/session_file.ts";
import type { SessionInfo, SessionStore } from "../session/store.ts";
import type { Invocation } from "./flags.ts";
import { type KeptSessions, keptSessions } from "./kept_sessions.ts";
import { readSettings, type Settings } from "./settings.ts";

interface Place {
  readonly invocation: Invocation;
  readonly host: Host;
  readonly settings: Settings;
  readonly sessions: KeptSessions;
  readonly store: SessionStore;
}

const ACTIONS: Readonly<Record<string, (place: Place, ...given: string[]) => Promise<void>>> = {
  list,
  show,
  export: exportTo,
  import: importFrom,
  rm,
};

const READING: readonly string[] = ["list", "show", "export"];

/** `skep sessions list|show|export|import|rm`: the sessions that are kept. */
export async function run(invocation: Invocation, host: Host): Promise<number> {
  const [name = "", ...given] = invocation.positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const message = `There is no skep sessions ${name}: it is one of ${
      Object.keys(ACTIONS).join(", ")
    }`;
    throw new SkepError("USAGE", message, { argument: name });
  }
  const settings = await readSettings(invocation, host);
  await using sessions = keptSessions(settings, host);
  const store = await sessions.store();
  if (store.isReadOnly && READING.includes(name)) {
    host.warn(`${store.place} may not be written to: what is in it is only read`);
  }
  await action({ invocation, host, settings, sessions, store }, ...given);
  return 0;
}

/** Those of this folder, or all: the one that was used last comes first. */
async function list({ invocation, host, settings, store }: Place, extra?: string): Promise<void> {
  if (extra !== undefined) throw tooMany("list", extra);
  const isAll = invocation.has("all");
  const query = isAll ? {} : { cwd: settings.cwd };
  let count = 0;
  for (let cursor: string | undefined;;) {
    const page = await store.list({
      isPrompted: true,
      ...query,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const info of page.sessions) {
      count++;
      await host.print(`${settings.isJson ? JSON.stringify(info) : inWords(info, isAll)}\n`);
    }
    if ((cursor = page.cursor) === undefined) break;
  }
  if (count === 0 && !settings.isJson) {
    host.warn(
      isAll ? "No session is kept" : `No session of ${settings.cwd} is kept; --all shows others`,
    );
  }
}

/** What was said and done, as text; in JSON the records as they are. */
async function show(
  { host, settings, store }: Place,
  id?: string,
  extra?: string,
): Promise<void> {
  if (id === undefined) throw needsId("show");
  if (extra !== undefined) throw tooMany("show", extra);
  const info = await found(store, id);
  let damage: Damage | undefined;
  const onDamage = (found: Damage) => damage = found;
  const drafted = await store.drafted(id);
  if (settings.isJson) {
    for await (const { stored: { seq, atMs, body } } of goodRecords(store, id, onDamage)) {
      await host.print(`{"seq":${seq},"atMs":${atMs},"record":${body}}\n`);
    }
    if (drafted !== "") await host.print(`${JSON.stringify({ draft: drafted })}\n`);
  } else {
    await host.print(
      `${inWords(info, true)}\npersona ${oneLine(info.persona)}, model ${oneLine(info.model)}\n`,
    );
    let message = "";
    for await (const shown of replayRecords(store, id, onDamage)) {
      if (shown.type === "usage") continue;
      const text = replayed(shown);
      const isSame = shown.type === "text" && shown.message === message;
      message = shown.type === "text" ? shown.message : "";
      await host.print(isSame ? text : `\n${text}`);
    }
    if (drafted !== "") await host.print(`\n${drafted}\n`);
  }
  if (damage !== undefined) host.warn(`${damageInWords(id, damage)}: what is shown ends before it`);
}

async function exportTo(
  { host, invocation, settings, sessions, store }: Place,
  id?: string,
  path?: string,
): Promise<void> {
  if (id === undefined) throw needsId("export");
  const { writeSessionFile } = await import("../session/session_file.ts");
  await found(store, id);
  const target = path === undefined ? undefined : await newFile(path, invocation, settings, host);
  const artifacts = await artifactsOf(id, sessions.artifacts(id), host, settings);
  let text = "";
  let damage: Damage | undefined;
  for await (const line of writeSessionFile(store, id, artifacts, (found) => damage = found)) {
    text += line;
    if (text.length > settings.limits.maxSessionFileBytes) {
      const message =
        `Cannot export session ${id}: it is over ${settings.limits.maxSessionFileBytes} ` +
        "bytes, the limit (SKEP_MAX_SESSION_FILE_BYTES sets it)";
      throw new SkepError("CONFIG_INVALID", message, { source: id });
    }
  }
  if (damage !== undefined) {
    host.warn(`${damageInWords(id, damage)}: what is exported ends before it`);
  }
  if (target === undefined) return await host.print(text);
  await host.files.writeText(target, text).catch((cause) => {
    const message = `Cannot export to ${target}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source: target }, { cause });
  });
}

/** Where an export goes: a file that is not there, or that may be replaced. */
async function newFile(
  path: string,
  invocation: Invocation,
  settings: Settings,
  { files }: Host,
): Promise<string> {
  const target = resolve(settings.cwd, path);
  const facts = await files.stat(target).catch(() => NO_FILE);
  const why = facts === undefined
    ? undefined
    : !facts.isFile
    ? "it is no regular file. Without a FILE the session is printed"
    : invocation.has("replace")
    ? undefined
    : "it is there already; --replace replaces it";
  if (why === undefined) return target;
  throw new SkepError("USAGE", `Cannot export to ${target}: ${why}`, { argument: path });
}

/** What the system tells nothing of, or what Deno keeps its programs from. */
const NO_FILE = { isFile: false };

async function importFrom(
  { host, settings, sessions, store }: Place,
  path?: string,
  extra?: string,
): Promise<void> {
  if (path === undefined) throw new SkepError("USAGE", "skep sessions import needs a FILE", {});
  if (extra !== undefined) throw tooMany("import", extra);
  const { readSessionFile } = await import("../session/session_file.ts");
  const { importSession } = await import("../session/import_session.ts");
  const { storeFailed } = await import("../session/store_failed.ts");
  const source = resolve(settings.cwd, path);
  const { maxSessionFileBytes } = settings.limits;
  if ((await host.files.stat(source).catch(() => NO_FILE))?.isFile === false) {
    throw new SkepError("USAGE", `Cannot import ${source}: it is no regular file`, {
      argument: path,
    });
  }
  const text = await host.files.readText(source, maxSessionFileBytes).catch((cause) => {
    const message = `Cannot import ${source}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source }, { cause });
  });
  const file = readSessionFile(text, source);
  const { id, how } = await importSession(store, file, host.nowMs());
  const written = await writeArtifacts(sessions.artifacts(id), file.artifacts, settings, host)
    .catch((error) => {
      throw storeFailed(store.place, error);
    });
  if (settings.isJson) return await host.print(`${JSON.stringify({ id, how })}\n`);
  const words = {
    added: "is here now",
    extended: "goes on as in the file",
    unchanged: written === 0
      ? "was here already, with all that is in the file"
      : `was here already; artifacts that were missing or damaged are here now: ${written}`,
    forked: `is a fork of ${file.info.id}: both went on, and both are kept`,
  };
  await host.print(`${id} ${words[how]}\n`);
}

/** Removes sessions with all that belongs to them. Those that are named wrong keep none from being removed. */
async function rm({ store }: Place, ...ids: string[]): Promise<void> {
  if (ids.length === 0) throw needsId("rm");
  const unknown: string[] = [];
  for (const id of ids) {
    if (!await store.delete(id)) unknown.push(id);
  }
  if (unknown.length > 0) throw noSession(unknown[0]!, unknown.slice(1));
}

async function found(store: SessionStore, id: string): Promise<SessionInfo> {
  const info = await store.info(id);
  if (info !== undefined) return info;
  throw noSession(id);
}

function noSession(id: string, others: readonly string[] = []): SkepError {
  const names = [id, ...others].map((each) => `"${each}"`).join(", ");
  const message = `There is no session ${names}: skep sessions list --all shows those there are`;
  return new SkepError("SESSION_UNKNOWN", message, { sessionId: id });
}

function inWords(
  { id, updatedMs, turns, usage, title, cwd }: SessionInfo,
  hasCwd: boolean,
): string {
  const time = new Date(updatedMs).toISOString().slice(0, 16).replace("T", " ");
  const cost = usage.costUsd === undefined ? "" : `  $${usage.costUsd.toFixed(2)}`;
  const count = `${turns} ${turns === 1 ? "turn" : "turns"}`;
  return `${id}  ${time}  ${count}${cost}  ${oneLine(title)}${hasCwd ? `  (${oneLine(cwd)})` : ""}`;
}

/** A name out of somebody's file as a terminal may have it. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

/** How a turn ended that did not end well, in words. */
const STOPPED: Readonly<Record<Extract<Replayed, { type: "stopped" }>["stop"], string>> = {
  cancelled: "cancelled",
  failed: "the turn failed",
  interrupted: "the turn was interrupted: skep ended before it did",
  max_tokens: "the turn ended at the model's output limit",
  max_turn_requests: "the turn ended at its limit of rounds",
  refusal: "the model refused to answer",
};

function replayed(shown: Exclude<Replayed, { type: "usage" }>): string {
  switch (shown.type) {
    case "prompt":
      return `> ${textOf(shown.content).replaceAll("\n", "\n> ")}\n`;
    case "text":
      return `${shown.text}\n`;
    case "thought":
      return `(${shown.text.trim()})\n`;
    case "call":
      return `→ ${shown.tool} ${JSON.stringify(shown.input ?? {})}\n`;
    case "stopped":
      return `[${STOPPED[shown.stop]}${shown.error === undefined ? "" : `: ${shown.error}`}]\n`;
    case "call_ended":
      return `${textOf(shown.result.content).replaceAll(/^/gm, "  ")}\n`;
    default:
      return shown satisfies never;
  }
}

function textOf(content: Extract<Replayed, { type: "prompt" }>["content"]): string {
  return content.map((block) => block.type === "text" ? block.text : `[${block.mediaType}]`)
    .join("\n");
}

async function artifactsOf(
  id: string,
  folder: string,
  { files, warn }: Pick<Host, "files" | "warn">,
  { limits }: Pick<Settings, "limits">,
): Promise<SessionArtifact[]> {
  if (await files.stat(folder) === undefined) return [];
  const artifacts: SessionArtifact[] = [];
  for (const name of (await files.list(folder)).filter(isArtifactName)) {
    try {
      const bytes = await files.readBytes(join(folder, name), limits.maxArtifactBytes);
      if (!isArtifactContent(name, bytes)) throw new TypeError("it is not as it was written");
      artifacts.push({ name, bytes });
    } catch (error) {
      warn(
        `The artifact ${name} of session ${id} is not in what is exported: ${messageOf(error)}`,
      );
    }
  }
  return artifacts;
}

/** Writes those that are not there as they should be, and says how many. */
async function writeArtifacts(
  folder: string,
  artifacts: readonly SessionArtifact[],
  { limits }: Pick<Settings, "limits">,
  { files }: Pick<Host, "files">,
): Promise<number> {
  let written = 0;
  for (const { name, bytes } of artifacts) {
    const path = join(folder, name);
    const here = await files.readBytes(path, limits.maxArtifactBytes).catch(() => undefined);
    if (isSame(here, bytes)) continue;
    await files.makeFolder(folder);
    await files.remove(path); // it was cut off
    await files.writeBytes(path, bytes);
    written++;
  }
  return written;
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && one.every((byte, index) => byte === other[index]);
}

function needsId(action: string): SkepError {
  const message =
    `skep sessions ${action} needs an ID: skep sessions list --all shows those there are`;
  return new SkepError("USAGE", message, {});
}

function tooMany(action: string, extra: string): SkepError {
  const message = `skep sessions ${action} takes no further argument, and was given "${extra}"`;
  return new SkepError("USAGE", message, { argument: extra });
}
