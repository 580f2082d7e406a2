import { join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { isArtifactName } from "../session/artifacts.ts";
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
    const page = await store.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
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
  if (settings.isJson) {
    for await (const { stored: { seq, atMs, body } } of goodRecords(store, id, onDamage)) {
      await host.print(`{"seq":${seq},"atMs":${atMs},"record":${body}}\n`);
    }
  } else {
    await host.print(`${inWords(info, true)}\npersona ${info.persona}, model ${info.model}\n`);
    let message = "";
    for await (const shown of replayRecords(store, id, onDamage)) {
      const text = replayed(shown);
      const isSame = shown.type === "text" && shown.message === message;
      message = shown.type === "text" ? shown.message : "";
      await host.print(isSame ? text : `\n${text}`);
    }
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
  const artifacts = await artifactsOf(sessions.artifacts(id), host, settings);
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
  if (path === undefined) return await host.print(text);
  const target = resolve(settings.cwd, path);
  if (await host.files.stat(target) !== undefined && !invocation.has("replace")) {
    const message = `Cannot export to ${target}: it is there already; --replace replaces it`;
    throw new SkepError("USAGE", message, { argument: path });
  }
  await host.files.writeText(target, text).catch((cause) => {
    const message = `Cannot export to ${target}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source: target }, { cause });
  });
}

async function importFrom(
  { host, settings, sessions, store }: Place,
  path?: string,
  extra?: string,
): Promise<void> {
  if (path === undefined) throw new SkepError("USAGE", "skep sessions import needs a FILE", {});
  if (extra !== undefined) throw tooMany("import", extra);
  const { readSessionFile } = await import("../session/session_file.ts");
  const { importSession } = await import("../session/import_session.ts");
  const source = resolve(settings.cwd, path);
  const { maxSessionFileBytes } = settings.limits;
  const text = await host.files.readText(source, maxSessionFileBytes).catch((cause) => {
    const message = `Cannot import ${source}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source }, { cause });
  });
  const file = readSessionFile(text, source);
  const { id, how } = await importSession(store, file, host.nowMs());
  if (how !== "unchanged") await writeArtifacts(sessions.artifacts(id), file.artifacts, host);
  if (settings.isJson) return await host.print(`${JSON.stringify({ id, how })}\n`);
  const words = {
    added: "is here now",
    extended: "goes on as in the file",
    unchanged: "was here already, with all that is in the file",
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
  return `${id}  ${time}  ${count}${cost}  ${title}${hasCwd ? `  (${cwd})` : ""}`;
}

function replayed(shown: Replayed): string {
  switch (shown.type) {
    case "prompt":
      return `> ${textOf(shown.content).replaceAll("\n", "\n> ")}\n`;
    case "text":
      return `${shown.text}\n`;
    case "thought":
      return `(${shown.text.trim()})\n`;
    case "call":
      return `→ ${shown.tool} ${JSON.stringify(shown.input ?? {})}\n`;
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
  folder: string,
  { files }: Pick<Host, "files">,
  { limits }: Pick<Settings, "limits">,
): Promise<SessionArtifact[]> {
  if (await files.stat(folder) === undefined) return [];
  const names = (await files.list(folder)).filter(isArtifactName);
  return await Promise.all(names.map(async (name) => (
    { name, bytes: await files.readBytes(join(folder, name), limits.maxArtifactBytes) }
  )));
}

async function writeArtifacts(
  folder: string,
  artifacts: readonly SessionArtifact[],
  { files }: Pick<Host, "files">,
): Promise<void> {
  if (artifacts.length === 0) return;
  await files.remove(folder);
  await files.makeFolder(folder);
  for (const { name, bytes } of artifacts) await files.writeBytes(join(folder, name), bytes);
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
