import { createHash } from "node:crypto";
import { isAbsolute } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { isArtifactName } from "./artifacts.ts";
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
}

const FORMAT = "skep-session";
const VERSION = 1;
const ID = /^ses_[0-9a-f]{16}$/;

/**
 * A session as one file: a line of JSON for what it is, one for each record and each artifact, and last
 * the SHA-256 of all lines before. Secrets are not in it, as they are not in the journal. Of a damaged
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
  yield line({ format: FORMAT, version: VERSION, session: info });
  for await (const { stored } of goodRecords(store, id, onDamage)) yield line(stored);
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
    const { version, session } = JSON.parse(first);
    if (version !== VERSION) {
      throw new TypeError(`it is of version ${version}, this skep reads ${VERSION}`);
    }
    const state = new SessionState();
    const records: StoredRecord[] = [];
    const artifacts: SessionArtifact[] = [];
    let chain = "";
    for (const line of lines) {
      const value = JSON.parse(line);
      if ("artifact" in value) {
        artifacts.push(toArtifact(value));
        continue;
      }
      const record = toRecord(value, records.length + 1, chain);
      chain = record.chain;
      const parsed = parseRecord(record.body);
      if (parsed !== undefined) state.take(parsed);
      records.push(record);
    }
    return { info: toInfo(session, state, records), records, artifacts };
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

function toArtifact({ artifact, data }: Record<string, unknown>): SessionArtifact {
  if (typeof artifact !== "string" || !isArtifactName(artifact) || typeof data !== "string") {
    throw new TypeError("an artifact in it has no name that one can have");
  }
  return { name: artifact, bytes: Uint8Array.fromBase64(data) };
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
