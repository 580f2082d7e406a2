import { nextChain } from "./chain.ts";
import { newId } from "./new_id.ts";
import type { SessionFile } from "./session_file.ts";
import type { SessionStore } from "./store.ts";

/** What an import came to. */
export interface Imported {
  readonly id: string;
  /**
   * `added`: it was not here. `extended`: the file goes on from what is here. `unchanged`: all of it is here.
   * `forked`: both went on, and the file's is here under an id of its own.
   */
  readonly how: "added" | "extended" | "unchanged" | "forked";
}

const IMPORTED = JSON.stringify({ type: "imported" });

/**
 * Takes a session out of a file into a store. Of two that went on from a common beginning neither is lost.
 *
 * @throws {SkepError} `STORE_FAILED`.
 */
export async function importSession(
  store: SessionStore,
  file: SessionFile,
  nowMs: number,
): Promise<Imported> {
  const { id } = file.info;
  if (await store.info(id) === undefined) {
    await add(store, id, file, nowMs);
    return { id, how: "added" };
  }
  const ids = [id, ...await importedForks(store, id)];
  const standing = new Map<string, Standing>();
  for (const each of ids) standing.set(each, await compare(store, each, file));
  const known = ids.find((each) => standing.get(each) === "all here");
  if (known !== undefined) {
    await addDraft(store, known, file);
    return { id: known, how: "unchanged" };
  }
  const begun = ids.find((each) => standing.get(each) === "goes on");
  if (begun !== undefined) {
    const parent = (await store.info(begun))?.parent;
    const info = { ...file.info, ...(parent && { parent }) };
    await store.delete(begun);
    await add(store, begun, { ...file, info }, nowMs);
    return { id: begun, how: "extended" };
  }
  const fork = newId("ses");
  await add(store, fork, { ...file, info: { ...file.info, parent: id } }, nowMs);
  return { id: fork, how: "forked" };
}

/** Sessions that an import of this one's file made, as it had gone on here too. */
async function importedForks(store: SessionStore, id: string): Promise<string[]> {
  const forks: string[] = [];
  for (let cursor: string | undefined;;) {
    const page = await store.list(cursor === undefined ? {} : { cursor });
    for (const info of page.sessions) {
      if (info.parent === id && await isImported(store, info.id)) forks.push(info.id);
    }
    if ((cursor = page.cursor) === undefined) return forks;
  }
}

async function isImported(store: SessionStore, id: string): Promise<boolean> {
  for await (const { body } of store.read(id)) {
    if (body === IMPORTED) return true;
  }
  return false;
}

type Standing = "all here" | "goes on" | "differs";

/** How the file's records stand to those that are here; that those here were imported is no difference. */
async function compare(
  store: SessionStore,
  id: string,
  { records }: SessionFile,
): Promise<Standing> {
  let common = 0;
  for await (const { seq, body, chain } of store.read(id)) {
    if (records[seq - 1]?.chain === chain) {
      common = seq;
      continue;
    }
    if (body === IMPORTED && common === seq - 1) continue; // the last one, or what follows tells
    return common === records.length ? "all here" : "differs";
  }
  return common === records.length ? "all here" : "goes on";
}

/** What is missing of a draft when an import was cut short; one that went on here needs none. */
async function addDraft(
  store: SessionStore,
  id: string,
  { records, drafted }: SessionFile,
): Promise<void> {
  for await (const { body } of store.read(id, records.length)) {
    if (body !== IMPORTED) return;
  }
  const here = await store.drafted(id);
  const rest = drafted.slice(here.length);
  if (rest !== "" && drafted.startsWith(here)) await store.draft(id, rest);
}

async function add(
  store: SessionStore,
  id: string,
  file: SessionFile,
  nowMs: number,
): Promise<void> {
  const { info, records } = file;
  await store.create({ ...info, id, records: 0 });
  let after = "";
  for (const record of records) {
    await store.append(id, record, { after, isDurable: false, endsDraft: true });
    after = record.chain;
  }
  const chain = nextChain(after, IMPORTED);
  const last = { seq: records.length + 1, atMs: nowMs, body: IMPORTED, chain };
  await store.append(id, last, { after, isDurable: true, endsDraft: true });
  await addDraft(store, id, file);
}
