import { createHash } from "node:crypto";
import { isAbsolute } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { isArtifactContent, isArtifactName } from "./artifacts.ts";
import { nextChain } from "./chain.ts";
import { type Damage, goodRecords } from "./good_records.ts";
import { parseRecord } from "./session_record.ts";
import { SessionState } from "./session_state.ts";
import type { SessionInfo, SessionStore, StoredRecord } from "./store.ts";

/** Something that lies beside the records of a session: a result that was too long for the history. */
export interface SessionArtifact {
  /** Its file's name. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A whole session, out of a file. */
export interface SessionFile {
  readonly info: SessionInfo;
  readonly records: readonly StoredRecord[];
  readonly artifacts: readonly SessionArtifact[];
  /** What the reply that was under way had said. */
  readonly drafted: string;
}

const FORMAT = "skep-session";
const VERSION = 1;
const ID = /^ses_[0-9a-f]{16}$/;

/**
 * A session as one file: a line of JSON for what it is, one for each record, one for what a reply that is
 * under way has said, one for each artifact, and last the SHA-256 of all lines before. Secrets are not in it, as they are not in the journal. Of a damaged
 * session the records are in it that are good, so that it can be imported.
 *
 * @throws {SkepError} `SESSION_UNKNOWN`, `STORE_FAILED`.
 */
export async function* writeSessionFile(
  store: SessionStore,
  id: string,
  artifacts: readonly SessionArtifact[],
  onDamage: (damage: Damage) => void = () => {},
): AsyncGenerator<string> {
  const info = await store.info(id);
  if (info === undefined) {
    const message = `There is no session "${id}" in ${store.place}`;
    throw new SkepError("SESSION_UNKNOWN", message, { sessionId: id });
  }
  const hash = createHash("sha256");
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  const names = artifacts.map(({ name }) => name);
  yield line({ format: FORMAT, version: VERSION, session: info, artifacts: names });
  let count = 0;
  for await (const { stored } of goodRecords(store, id, onDamage)) {
    count = stored.seq;
    yield line(stored);
  }
  const draft = await store.drafted(id);
  const isNext = (await store.info(id))?.records === count; // it may have gone on, or be damaged
  if (draft !== "" && isNext) yield line({ draft });
  for (const { name, bytes } of artifacts) {
    yield line({ artifact: name, data: bytes.toBase64() });
  }
  yield `${JSON.stringify({ digest: `sha256:${hash.digest("hex")}` })}\n`;
}

/**
 * Reads such a file: its digest, every check of its records and every name in it is tested. What it says
 * of itself is told by its records.
 *
 * @param source Names the file in errors.
 * @throws {SkepError} `CONFIG_INVALID`.
 */
export function readSessionFile(text: string, source: string): SessionFile {
  const refuse = (why: string) =>
    new SkepError("CONFIG_INVALID", `Cannot import ${source}: ${why}`, { source });
  if (!text.startsWith(`{"format":"${FORMAT}"`)) throw refuse("it is no exported session");
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const body = text.slice(0, end);
  const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  if (text.slice(end) !== `${JSON.stringify({ digest })}\n`) {
    throw refuse("it is not whole, or was changed: its digest does not fit");
  }
  const [first = "", ...lines] = body.trimEnd().split("\n");
  try {
    const { version, session, artifacts: names } = JSON.parse(first);
    if (version !== VERSION) {
      throw new TypeError(`it is of version ${version}, this skep reads ${VERSION}`);
    }
    const state = new SessionState();
    const records: StoredRecord[] = [];
    const artifacts: SessionArtifact[] = [];
    let drafted = "";
    let chain = "";
    for (const [index, line] of lines.entries()) {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) throw new TypeError(`line ${index + 2} is no object`);
      if ("draft" in value) {
        drafted = String(value.draft);
        continue;
      }
      if ("artifact" in value) {
        artifacts.push(toArtifact(value));
        continue;
      }
      const record = toRecord(value, records.length + 1, chain);
      chain = record.chain;
      take(record, state);
      records.push(record);
    }
    checkNames(names, artifacts);
    return { info: toInfo(session, state, records), records, artifacts, drafted };
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

function toRecord(value: Record<string, unknown>, seq: number, before: string): StoredRecord {
  const { atMs, body, chain } = value;
  const isWhole = value.seq === seq && typeof atMs === "number" && typeof body === "string" &&
    chain === nextChain(before, body);
  if (!isWhole) throw new TypeError(`record ${seq} is not as it was written`);
  return { seq, atMs, body, chain: String(chain) };
}

function take({ seq, body }: StoredRecord, state: SessionState): void {
  try {
    const parsed = parseRecord(body);
    if (parsed !== undefined) state.take(parsed);
  } catch (cause) {
    throw new TypeError(`record ${seq} cannot be used: ${messageOf(cause)}`, { cause });
  }
}

function toArtifact({ artifact, data }: Record<string, unknown>): SessionArtifact {
  if (typeof artifact !== "string" || !isArtifactName(artifact) || typeof data !== "string") {
    throw new TypeError("an artifact in it has no name that one can have");
  }
  const bytes = Uint8Array.fromBase64(data);
  if (!isArtifactContent(artifact, bytes)) {
    throw new TypeError(`the artifact ${artifact} is not as it was written`);
  }
  return { name: artifact, bytes };
}

/** Files of before have no list of them. */
function checkNames(names: unknown, artifacts: readonly SessionArtifact[]): void {
  if (names === undefined) return;
  if (!Array.isArray(names)) throw new TypeError("its list of artifacts cannot be used");
  const missing = names.find((name) => !artifacts.some((artifact) => artifact.name === name));
  if (missing !== undefined) throw new TypeError(`the artifact ${missing} is left out`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toInfo(
  value: Record<string, unknown>,
  state: SessionState,
  records: readonly StoredRecord[],
): SessionInfo {
  const { id, cwd, title, persona, model, createdMs, updatedMs } = value ?? {};
  const isFit = typeof id === "string" && ID.test(id) && typeof cwd === "string" &&
    isAbsolute(cwd) && [title, persona, model].every((text) => typeof text === "string") &&
    [createdMs, updatedMs].every((ms) => Number.isSafeInteger(ms));
  if (!isFit) throw new TypeError("what it says of its session cannot be used");
  return {
    ...{ id, cwd, title: String(title), persona: String(persona), model: String(model) },
    ...{ createdMs: Number(createdMs), updatedMs: Number(updatedMs) },
    ...{ turns: state.turns, records: records.length, usage: state.usage },
  };
}
