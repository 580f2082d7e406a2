import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { SkepError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { redactor } from "../sandbox/redact.ts";
import { Journal, type JournalOptions } from "./journal.ts";
import { loadSession } from "./load_session.ts";
import type { SessionRecord } from "./session_record.ts";
import type { SessionStore } from "./store.ts";
import { chained, databaseOf, emptySession, fill, testStore } from "./test_store.ts";

const STOP: SessionRecord = { type: "stop", stop: "end_turn" };

function prompt(text: string): SessionRecord {
  return { type: "prompt", turn: "run_1", content: [{ type: "text", text }] };
}

/** A journal over a real store, whose clock a test sets. */
async function inStore(
  run: (world: {
    store: SessionStore;
    folder: string;
    clock: { ms: number };
    open(store?: SessionStore, more?: Partial<JournalOptions>): Journal;
    forks: string[];
  }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "skep-journal-" });
  const { store } = await testStore(folder);
  const clock = { ms: 1000 };
  const forks: string[] = [];
  const open = (over = store, more: Partial<JournalOptions> = {}) =>
    new Journal("s1", {
      store: over,
      at: { seq: 0, chain: "" },
      redact: redactor([]),
      limits: { draftMs: 250 },
      world: { nowMs: () => clock.ms },
      onFork: (_, notice) => Promise.resolve(void forks.push(notice)),
      ...more,
    });
  try {
    await store.create(emptySession("s1"));
    await run({ store, folder, clock, open, forks });
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** A store whose appends fail while a test says so. */
function failing(store: SessionStore, isFailing: () => boolean): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "append" && isFailing()) {
        return () => Promise.reject(new SkepError("STORE_FAILED", "full", { place: "here" }));
      }
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function typesIn(store: SessionStore, id = "s1"): Promise<string[]> {
  const records = await Array.fromAsync(store.read(id));
  return records.map(({ body }) => JSON.parse(body).type);
}

Deno.test("append() writes in the order it was called in, whatever the clock does", () =>
  inStore(async ({ store, clock, open }) => {
    const journal = open();
    const first = journal.append(prompt("a"));
    clock.ms = -5_000_000;
    await Promise.all([first, journal.append(STOP)]);
    assertEquals(await typesIn(store), ["prompt", "stop"]);
    const { state, notices } = await loadSession(store, "s1");
    assertEquals([state.openTurn, notices], [undefined, []]);
  }));

Deno.test("append() keeps what the disk does not take, and writes it before what comes later", () =>
  inStore(async ({ store, open }) => {
    let isFull = true;
    const journal = open(failing(store, () => isFull));
    await assertRejects(() => journal.append(prompt("a")), SkepError, "full");
    await assertRejects(() => journal.append(STOP), SkepError, "full");
    assertEquals(await typesIn(store), []);
    isFull = false;
    await journal.append({ type: "chosen", mode: "plan" });
    assertEquals(await typesIn(store), ["prompt", "stop", "chosen"]);
  }));

Deno.test("tryAppend() forgets what it cannot write: that is not done either", () =>
  inStore(async ({ store, open }) => {
    let isFull = true;
    const journal = open(failing(store, () => isFull));
    await assertRejects(() => journal.tryAppend(prompt("a")), SkepError, "full");
    isFull = false;
    await journal.append(STOP);
    assertEquals(await typesIn(store), ["stop"]);
  }));

Deno.test("a session whose last records are lost is told to be damaged, and does not go on as a fork", () =>
  inStore(async ({ store }) => {
    await store.create(emptySession("ses_1"));
    const body = JSON.stringify({ type: "pinned", text: "x" });
    await fill(store, "ses_1", [body, body, body, body]);
    const db = new DatabaseSync(store.place);
    db.exec("DELETE FROM records WHERE seq > 2");
    db.close();
    const { at, notices } = await loadSession(store, "ses_1");
    assertEquals(notices, [
      "Session ses_1 is damaged from record 3 on (2 records are missing): it goes on from the 2 good " +
      `ones before; the rest is put aside in ${store.place}`,
    ]);
    const { after: _, ...record } = chained([body, body, body])[2]!;
    const options = { after: at.chain, isDurable: true, endsDraft: false };
    await store.append("ses_1", record, options);
    assertEquals((await loadSession(store, "ses_1")).notices, []);
  }));

Deno.test("a session that went on elsewhere becomes a fork, and nobody's words are lost", () =>
  inStore(async ({ store, open, forks }) => {
    const [mine, other] = [open(), open()];
    await mine.append(prompt("common"));
    await mine.append(STOP);
    const { at } = await loadSession(store, "s1");
    const theirs = open(store, { at });
    await theirs.append(prompt("theirs"));
    await mine.append(prompt("mine"));
    assertEquals(mine.id === "s1", false);
    assertEquals(forks.length, 1);
    const said = async (id: string) =>
      (await loadSession(store, id)).state.history.map((message) =>
        message.role === "user" && message.content[0]?.type === "text" && message.content[0].text
      );
    assertEquals(await said("s1"), ["common", "theirs"]);
    assertEquals(await said(mine.id), ["common", "mine"]);
    assertEquals((await store.info(mine.id))?.parent, "s1");
    assertEquals(other.id, "s1");
  }));

Deno.test("a fork of a session that went on elsewhere counts its own turns and usage, not the other's", () =>
  inStore(async ({ store, open }) => {
    const usage = { inputTokens: 5 };
    const mine = open();
    await mine.append(prompt("common"), { turns: 1, title: "common" });
    await mine.append(STOP, { usage });
    const { at } = await loadSession(store, "s1");
    const theirs = open(store, { at, facts: { turns: 1, usage } });
    await theirs.append(prompt("theirs"), { turns: 2 });
    await theirs.append(STOP, { usage: { inputTokens: 90 } });
    await mine.append({ type: "chosen", mode: "plan" });
    const forked = await store.info(mine.id);
    assertEquals([forked?.turns, forked?.usage, forked?.title], [1, usage, "common"]);
    const other = await store.info("s1");
    assertEquals([other?.turns, other?.usage], [2, { inputTokens: 90 }]);
  }));

Deno.test("no secret is in the journal, its title, its draft or any file of the store", () =>
  inStore(async ({ store, folder, open, clock }) => {
    const journal = open(store, { redact: redactor([["TOKEN", "s3cret-value-12"]]) });
    const title = `use s3cret-value-12 ${"x".repeat(LIMITS.maxSessionTitleBytes.value)}`;
    await journal.append(prompt("use s3cret-value-12 now"), { title });
    assertMatch((await store.info("s1"))!.title, /^use \[secret TOKEN\] x+\.\.\.$/);
    clock.ms += 1000;
    journal.draft("it is s3cret-value-12");
    await journal.settle();
    assertEquals(await store.drafted("s1"), "it is [secret TOKEN]");
    for await (const { name } of Deno.readDir(folder)) {
      const text = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
      assertEquals([name, text.includes("s3cret")], [name, false]);
    }
  }));

Deno.test("a secret that a draft says in two pieces is in neither, nor in both together", () =>
  inStore(async ({ store, open, clock }) => {
    const journal = open(store, { redact: redactor([["TOKEN", "s3cret-value-12"]]) });
    await journal.append(prompt("go"));
    const told: string[] = [];
    for (const piece of ["it is s3cret-", "value-12 and", " more s3cr", "ee"]) {
      clock.ms += 1000;
      journal.draft(piece);
      await journal.settle();
      told.push(await store.drafted("s1"));
    }
    const whole = "it is [secret TOKEN] and";
    assertEquals(told, ["it is ", whole, `${whole} more `, `${whole} more s3cree`]);
  }));

Deno.test("draft() writes at most every quarter of a second, and no more than was said since", () =>
  inStore(async ({ store, open, clock }) => {
    const journal = open();
    await journal.append(prompt("go"));
    clock.ms = 1250;
    journal.draft("a");
    clock.ms = 1499;
    journal.draft("b");
    await journal.settle();
    assertEquals(await store.drafted("s1"), "a");
    clock.ms = 1500;
    journal.draft("c");
    await journal.settle();
    assertEquals(await store.drafted("s1"), "abc");
    await journal.append({
      type: "message",
      message: { role: "assistant", content: [{ type: "text", text: "abc" }] },
    });
    assertEquals(await store.drafted("s1"), "");
  }));

Deno.test("a session is in the store with its first record, and not before", () =>
  inStore(async ({ store, open }) => {
    await store.delete("s1");
    const journal = open(store, { begin: () => store.create(emptySession("s1")) });
    journal.prepend({ type: "opened", skep: "0" });
    await journal.settle();
    assertEquals(await store.info("s1"), undefined);
    await journal.append(prompt("a"));
    assertEquals(await typesIn(store), ["opened", "prompt"]);
  }));

Deno.test("a new session that the store does not take goes on unkept, says so once, and is kept whole once it does", () =>
  inStore(async ({ store, open }) => {
    await store.delete("s1");
    const said: string[] = [];
    let [isFailing, tries] = [true, 0];
    const begin = () => {
      tries++;
      if (isFailing) throw new SkepError("STORE_FAILED", "it is damaged", { place: "here" });
      return store.create(emptySession("s1"));
    };
    const journal = open(store, {
      begin: () => Promise.resolve().then(begin),
      onUnkept: (reason) => said.push(reason),
    });
    journal.prepend({ type: "opened", skep: "0" });
    await journal.tryAppend(prompt("a"));
    await journal.append(STOP);
    await journal.settle();
    assertEquals([said, tries, journal.isKept], [["it is damaged"], 1, false]);
    await assertRejects(() => journal.flush(), SkepError, "it is damaged");
    await journal.tryAppend(prompt("b"));
    assertEquals([said.length, tries], [1, 3]);
    isFailing = false;
    await journal.append(STOP);
    assertEquals([tries, await store.info("s1")], [3, undefined]);
    await journal.tryAppend(prompt("c"));
    assertEquals(journal.isKept, true);
    assertEquals(await typesIn(store), ["opened", "prompt", "stop", "prompt", "stop", "prompt"]);
  }));

Deno.test("append() says that its session was removed, and keeps nothing back", () =>
  inStore(async ({ store, open }) => {
    const journal = open();
    await journal.append(prompt("a"));
    await store.delete("s1");
    const error = await assertRejects(() => journal.append(STOP), SkepError, "it was removed");
    assertEquals([error.code, journal.isKept], ["STORE_FAILED", false]);
    assertMatch(
      error.message,
      /^Session s1 cannot go on: it was removed from .* while it ran\. Begin/,
    );
  }));

for (
  const [damage, change] of [
    ["a changed record", "UPDATE records SET body = replace(body, 'b', 'x') WHERE seq = 2"],
    ["a truncated record", "UPDATE records SET body = substr(body, 1, 10) WHERE seq = 2"],
    ["a missing record", "DELETE FROM records WHERE seq = 2"],
  ] as const
) {
  Deno.test(`loadSession() cuts a tail at the last good record and says so: ${damage} (T110)`, () =>
    inStore(async ({ store, folder }) => {
      const bodies = ["a", "b", "c"].map((text) => JSON.stringify(prompt(text)));
      await fill(store, "s1", bodies);
      const { DatabaseSync } = await import("node:sqlite");
      const db = new DatabaseSync(databaseOf(folder));
      db.exec(change);
      const { state, at, notices } = await loadSession(store, "s1");
      assertEquals([state.turns, at.seq, notices.length], [1, 1, 1]);
      assertEquals(notices[0]!.startsWith("Session s1 is damaged from record 2 on"), true);
      // It goes on behind the good ones, and the rest is still there to be looked at.
      const [, next] = chained([bodies[0]!, bodies[2]!]);
      const { after, ...record } = next!;
      await store.append("s1", record, { after, isDurable: true, endsDraft: true });
      assertEquals((await loadSession(store, "s1")).notices, []);
      const aside = db.prepare("SELECT count(*) AS n FROM damaged").get()!.n;
      assertEquals(Number(aside) >= 1, true);
      db.close();
    }));
}
