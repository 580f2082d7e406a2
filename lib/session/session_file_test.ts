import { assertEquals, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { SkepError } from "../errors.ts";
import { importSession } from "./import_session.ts";
import { loadSession } from "./load_session.ts";
import type { SessionRecord } from "./session_record.ts";
import { readSessionFile, writeSessionFile } from "./session_file.ts";
import type { SessionStore } from "./store.ts";
import { emptySession, fill, testStore } from "./test_store.ts";

const ID = "ses_0123456789abcdef";

function bodies(...texts: string[]): string[] {
  return texts.map((text) => {
    const content = [{ type: "text", text }] as const;
    const record: SessionRecord = { type: "prompt", turn: "run_1", content };
    return JSON.stringify(record);
  });
}

async function inStores(run: (a: SessionStore, b: SessionStore) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "skep-file-" });
  const [a, b] = [await testStore(`${folder}/a`), await testStore(`${folder}/b`)];
  try {
    await run(a.store, b.store);
  } finally {
    await Promise.all([a.store.close(), b.store.close()]);
    await Deno.remove(folder, { recursive: true });
  }
}

async function exported(store: SessionStore, id = ID): Promise<string> {
  const artifacts = [{ name: "a1.txt", bytes: new TextEncoder().encode("whole") }];
  return (await Array.fromAsync(writeSessionFile(store, id, artifacts))).join("");
}

async function said(store: SessionStore, id: string): Promise<string[]> {
  const { state, notices } = await loadSession(store, id);
  assertEquals(notices, []);
  return state.history.map((message) => JSON.stringify(message.role === "user" && message.content));
}

Deno.test("a session moves to another store whole: records, facts and artifacts", () =>
  inStores(async (a, b) => {
    await a.create(emptySession(ID, { title: "one" }));
    await fill(a, ID, bodies("one", "two"));
    const file = readSessionFile(await exported(a), "f");
    assertEquals(file.artifacts, [{ name: "a1.txt", bytes: new TextEncoder().encode("whole") }]);
    assertEquals(await importSession(b, file, 5), { id: ID, how: "added" });
    assertEquals(await said(b, ID), await said(a, ID));
    const info = await b.info(ID);
    assertEquals([info?.title, info?.turns, info?.cwd], ["one", 2, "/work"]);
    assertEquals(await importSession(b, file, 6), { id: ID, how: "unchanged" });
  }));

Deno.test("an import goes on with what is here, and makes a fork where both went on", () =>
  inStores(async (a, b) => {
    await a.create(emptySession(ID));
    await fill(a, ID, bodies("one"));
    await importSession(b, readSessionFile(await exported(a), "f"), 5);
    await a.delete(ID);
    await a.create(emptySession(ID));
    await fill(a, ID, bodies("one", "two"));
    const longer = readSessionFile(await exported(a), "f");
    assertEquals(await importSession(b, longer, 6), { id: ID, how: "extended" });
    assertEquals((await said(b, ID)).length, 2);
    await a.delete(ID);
    await a.create(emptySession(ID));
    await fill(a, ID, bodies("one", "other", "more"));
    const { id, how } = await importSession(b, readSessionFile(await exported(a), "f"), 7);
    assertEquals([how, id === ID], ["forked", false]);
    assertEquals([(await said(b, ID)).length, (await said(b, id)).length], [2, 3]);
    assertEquals((await b.info(id))?.parent, ID);
  }));

Deno.test("a file of a session that went on here too made a fork at each import", () =>
  inStores(async (a, b) => {
    const again = async (...texts: string[]) => {
      await a.delete(ID);
      await a.create(emptySession(ID));
      await fill(a, ID, bodies(...texts));
      return await importSession(b, readSessionFile(await exported(a), "f"), 5);
    };
    await b.create(emptySession(ID));
    await fill(b, ID, bodies("one", "here"));
    const { id, how } = await again("one", "there");
    assertEquals(how, "forked");
    assertEquals(await again("one", "there"), { id, how: "unchanged" });
    assertEquals(await again("one", "there", "more"), { id, how: "extended" });
    assertEquals([(await said(b, id)).length, (await b.info(id))?.parent], [3, ID]);
    // A copy that a person made here is no import, and stays as it is.
    await b.fork(ID, "ses_00000000000000cc", 1);
    const other = await again("one", "elsewhere");
    assertEquals([other.how, other.id === id], ["forked", false]);
    assertEquals((await b.list()).sessions.length, 4);
  }));

Deno.test("what a file allows is not allowed here: approvals do not move with a session", () =>
  inStores(async (a, b) => {
    await a.create(emptySession(ID));
    const rules = [{ action: "allow", tool: "*", args: {} }];
    await fill(a, ID, [...bodies("one"), JSON.stringify({ type: "approval", rules })]);
    assertEquals((await loadSession(a, ID)).state.allowed.length, 1);
    await importSession(b, readSessionFile(await exported(a), "f"), 5);
    assertEquals((await loadSession(b, ID)).state.allowed, []);
  }));

Deno.test("a file that was cut off or changed, or names what it may not, is refused", () =>
  inStores(async (a) => {
    await a.create(emptySession(ID));
    await fill(a, ID, bodies("one"));
    const text = await exported(a);
    const refuse = (changed: string, why: string) =>
      assertThrows(() => readSessionFile(changed, "the file"), SkepError, why);
    refuse(text.slice(0, -30), "its digest does not fit");
    refuse(text.replace("one", "two"), "its digest does not fit");
    refuse("", "it is no exported session");
    const sealed = (change: (body: string) => string) => {
      const body = change(text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
      const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
      return `${body}${JSON.stringify({ digest })}\n`;
    };
    refuse(sealed((body) => body.replace("one", "two")), "record 1 is not as it was written");
    refuse(sealed((body) => body.replaceAll("a1.txt", "../a1.txt")), "no name that one can have");
    refuse(sealed((body) => body.replace(ID, "../../evil")), "its session cannot be used");
    refuse(sealed((body) => body.replace('"version":1', '"version":9')), "it is of version 9");
    refuse(sealed((body) => body.replace("skep-session", "other")), "it is no exported session");
    readSessionFile(sealed((body) => body), "the file");
  }));

Deno.test("a half reply was left out of an exported session: an imported copy goes on with it", () =>
  inStores(async (a, b) => {
    await a.create(emptySession(ID));
    await fill(a, ID, bodies("one"));
    await a.draft(ID, "The answer is ");
    await a.draft(ID, "forty");
    const file = readSessionFile(await exported(a), "f");
    assertEquals(file.drafted, "The answer is forty");
    await importSession(b, file, 5);
    assertEquals(await b.drafted(ID), "The answer is forty");
    assertEquals(await importSession(b, file, 6), { id: ID, how: "unchanged" });
    assertEquals(await b.drafted(ID), "The answer is forty");
    await importSession(b, { ...file, drafted: "The answer is forty-two" }, 7); // it was cut short before
    assertEquals(await b.drafted(ID), "The answer is forty-two");
  }));

Deno.test("an artifact that was changed or left out was imported without a word", () =>
  inStores(async (a) => {
    await a.create(emptySession(ID));
    await fill(a, ID, bodies("one"));
    const name = "a1-7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed.txt"; // of "one"
    const file = async (word: string) =>
      (await Array.fromAsync(
        writeSessionFile(a, ID, [{ name, bytes: new TextEncoder().encode(word) }]),
      )).join("");
    assertEquals(readSessionFile(await file("one"), "f").artifacts.length, 1);
    const changed = await file("two");
    assertThrows(
      () => readSessionFile(changed, "f"),
      SkepError,
      `${name} is not as it was written`,
    );
    const lines = (await file("one")).trimEnd().split("\n");
    const body = `${lines.filter((line) => !/^\{"(artifact|digest)"/.test(line)).join("\n")}\n`;
    const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
    const without = `${body}${JSON.stringify({ digest })}\n`;
    assertThrows(() => readSessionFile(without, "f"), SkepError, `${name} is left out`);
  }));

Deno.test("a line that is no object was refused in the words of the engine", () => {
  const body = '{"format":"skep-session","version":1}\nnull\n';
  const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  const text = `${body}${JSON.stringify({ digest })}\n`;
  assertThrows(
    () => readSessionFile(text, "f"),
    SkepError,
    "Cannot import f: line 2 is no object",
  );
});
