import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { SkepError } from "../errors.ts";
import { chained, databaseOf, emptySession, fill, testStore } from "./test_store.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "skep-store-" });
  try {
    await run(`${folder}/sessions`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function bodiesOf(store: Awaited<ReturnType<typeof testStore>>["store"], id: string) {
  return (await Array.fromAsync(store.read(id))).map(({ body }) => body);
}

Deno.test("openStore() keeps sessions across openings, for this user alone whatever the umask is", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.create(emptySession("s1"));
    await fill(store, "s1", ["1", "2"]);
    if (Deno.build.os !== "windows") {
      const modes = ["", "/sessions.db", "/sessions.db-wal", "/sessions.db-shm"]
        .map((name) => Deno.statSync(folder + name).mode! & 0o777);
      assertEquals(modes, [0o700, 0o600, 0o600, 0o600]);
    }
    await store.close();
    const again = await testStore(folder);
    assertEquals(await bodiesOf(again.store, "s1"), ["1", "2"]);
    assertEquals((await again.store.info("s1"))?.records, 2);
    assertEquals(again.warnings, []);
    await again.store.close();
  }));

Deno.test({
  name: "what somebody had opened of the store to others stayed open",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const path = databaseOf(folder);
      await (await testStore(folder)).store.close();
      await Promise.all([Deno.chmod(folder, 0o755), Deno.chmod(path, 0o664)]);
      const { store, warnings } = await testStore(folder);
      await store.close();
      assertEquals([folder, path].map((each) => Deno.statSync(each).mode! & 0o777), [0o700, 0o600]);
      assertEquals(warnings, [
        `The store of sessions was open to other users of this machine: ${folder} had mode 755, ` +
        `it is 700 now; ${path} had mode 664, it is 600 now`,
      ]);
    }),
});

Deno.test({
  name: "a store whose file is a link is refused, and what the link leads to stays as it is",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const other = `${folder}-other`;
      await Deno.writeTextFile(other, "mine");
      await Deno.chmod(other, 0o644);
      for (const name of ["sessions.db", "sessions.db-wal"]) {
        await Deno.mkdir(folder);
        await Deno.symlink(other, `${folder}/${name}`);
        const error = await assertRejects(() => testStore(folder), SkepError);
        assertEquals(error.code, "STORE_FAILED");
        assertMatch(error.message, new RegExp(`/${name}.*: it is a link, which is not followed`));
        assertEquals(await Deno.readTextFile(other), "mine");
        assertEquals(Deno.statSync(other).mode! & 0o777, 0o644);
        assertEquals(Array.from(Deno.readDirSync(folder), (entry) => entry.name), [name]);
        await Deno.remove(folder, { recursive: true });
      }
    }),
});

Deno.test("append() takes a record only behind the last one, and changes nothing otherwise", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.create(emptySession("s1"));
    const [first, second] = chained(["a", "b"]);
    const options = { isDurable: true, endsDraft: true };
    const add = ({ after, ...record }: NonNullable<typeof first>) =>
      store.append("s1", record, { ...options, after });
    await assertRejects(() => add(second!), SkepError, "it went on elsewhere");
    await add(first!);
    await assertRejects(() => add(first!), SkepError, "it went on elsewhere");
    await assertRejects(() => add({ ...second!, after: "other" }), SkepError, "elsewhere");
    await add(second!);
    assertEquals(await bodiesOf(store, "s1"), ["a", "b"]);
    const unknown = await assertRejects(
      () => store.append("nope", { ...first! }, { ...options, after: "" }),
      SkepError,
    );
    assertEquals(unknown.code, "SESSION_UNKNOWN");
    await store.close();
  }));

Deno.test("two openings of one store lose nothing: of two that go on with a session one is told", () =>
  inFolder(async (folder) => {
    const [a, b] = [await testStore(folder), await testStore(folder)];
    await a.store.create(emptySession("s1"));
    await b.store.create(emptySession("s2"));
    await Promise.all([
      fill(a.store, "s1", Array.from({ length: 50 }, (_, n) => `a${n}`)),
      fill(b.store, "s2", Array.from({ length: 50 }, (_, n) => `b${n}`)),
    ]);
    assertEquals((await bodiesOf(b.store, "s1")).length, 50);
    assertEquals((await bodiesOf(a.store, "s2")).at(-1), "b49");
    await assertRejects(() => fill(b.store, "s1", ["x"]), SkepError, "elsewhere");
    await assertRejects(() => b.store.create(emptySession("s1")), SkepError, "elsewhere");
    await Promise.all([a.store.close(), b.store.close()]);
  }));

Deno.test("append() gives up on a store that another program keeps busy, and says so", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder, 20);
    await store.create(emptySession("s1"));
    const other = new DatabaseSync(databaseOf(folder));
    other.exec("BEGIN IMMEDIATE");
    const error = await assertRejects(() => fill(store, "s1", ["1"]), SkepError, "keeps it busy");
    assertEquals(error.code, "STORE_FAILED");
    other.exec("ROLLBACK");
    other.close();
    await fill(store, "s1", ["1"]);
    await store.close();
  }));

Deno.test("a full disk refuses a record whole, and the store goes on when there is room", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.create(emptySession("s1"));
    await store.close();
    const db = new DatabaseSync(databaseOf(folder));
    const pages = Number(db.prepare("PRAGMA page_count").get()!.page_count);
    db.close();
    const full = await testStore(folder);
    // The bound is the connection's own, so it is set on the very one that is tested.
    const { SqliteStore } = await import("./sqlite_store.ts");
    const bounded = new DatabaseSync(databaseOf(folder));
    bounded.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const small = new SqliteStore(bounded, "the place", 50);
    await assertRejects(
      () => fill(small, "s1", ["x".repeat(100_000)]),
      SkepError,
      "Cannot use the sessions in the place: the disk is full",
    );
    assertEquals(await bodiesOf(small, "s1"), []);
    bounded.exec(`PRAGMA max_page_count = ${pages + 200}`);
    await fill(small, "s1", ["x".repeat(100_000)]);
    assertEquals((await bodiesOf(full.store, "s1")).length, 1);
    await Promise.all([small.close(), full.store.close()]);
  }));

Deno.test("a store of a newer skep is refused with what to do, and a foreign database too", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.close();
    const db = new DatabaseSync(databaseOf(folder));
    db.exec("PRAGMA user_version = 99");
    db.close();
    const error = await assertRejects(
      () => testStore(folder),
      SkepError,
      "a newer skep made it (version 99 of the store, this one knows 1). Update skep",
    );
    assertEquals(error.details, { place: databaseOf(folder), isNewer: true });
    const other = new DatabaseSync(databaseOf(folder));
    other.exec("PRAGMA application_id = 5; PRAGMA user_version = 1");
    other.close();
    await assertRejects(() => testStore(folder), SkepError, "it is no store of sessions");
  }));

Deno.test("openStore() puts a database aside that is none, and goes on with a new one (T110)", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(folder, { mode: 0o700 });
    const text = "this is no database at all, and was one";
    await Deno.writeTextFile(databaseOf(folder), text, { mode: 0o600 });
    const { store, warnings } = await testStore(folder);
    assertEquals((await store.list()).sessions, []);
    assertEquals(warnings.length, 1);
    assertEquals(
      await Deno.readTextFile(`${databaseOf(folder)}.damaged-1000000`),
      "this is no database at all, and was one",
    );
    await store.close();
  }));

Deno.test("a database that is damaged inside is put aside, and what can be read of it is there again (T110)", () =>
  inFolder(async (folder) => {
    const bodies = (id: number) =>
      Array.from({ length: 5 }, (_, at) => `"${`s${id}r${at + 1},`.repeat(60)}"`);
    const ids = Array.from({ length: 40 }, (_, index) => index + 1);
    const { store } = await testStore(folder);
    for (const id of ids) {
      await store.create(emptySession(`s${id}`));
      await fill(store, `s${id}`, bodies(id));
    }
    await store.close();
    const path = databaseOf(folder);
    const db = new DatabaseSync(path);
    const pageBytes = Number(db.prepare("PRAGMA page_size").get()!.page_size);
    const indexes = db.prepare(
      "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'sessions' AND type = 'index'",
    ).all().map(({ rootpage }) => Number(rootpage) - 1);
    db.close();
    const file = await Deno.readFile(path);
    const place = new TextDecoder("latin1").decode(file).indexOf("s20r3,");
    for (const page of [...indexes, Math.floor(place / pageBytes)]) {
      file.fill(0xff, page * pageBytes, (page + 1) * pageBytes);
    }
    await Deno.writeFile(path, file);

    const again = await testStore(folder);
    assertEquals(again.warnings.length, 1);
    assertMatch(again.warnings[0]!, /was damaged\. 40 sessions with \d+ records could be read/);
    const aside = await Deno.readFile(`${path}.damaged-1000000`);
    assertEquals(aside.subarray(pageBytes), file.subarray(pageBytes)); // the first page counts openings
    let whole = 0;
    for (const id of ids) {
      const read = await bodiesOf(again.store, `s${id}`);
      assertEquals(read, bodies(id).slice(0, read.length));
      assertEquals((await again.store.info(`s${id}`))?.records, read.length);
      if (read.length === 5) whole++;
    }
    assertEquals([whole >= 30, whole < 40], [true, true]);
    await again.store.close();
  }));

/** Sessions s1 to s12 with five records each, in a store that is closed again. */
async function filledStore(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const { store } = await testStore(folder);
  for (let id = 1; id <= 12; id++) {
    const texts = Array.from({ length: 5 }, (_, at) => `s${id} ${at} `.repeat(40));
    const opened = { type: "opened", skep: "0", cwd: `/work/${id}`, persona: "guide" };
    const bodies = [opened, ...texts.map((text) => ({ type: "pinned", text }))];
    await store.create(emptySession(`s${id}`, { cwd: `/work/${id}`, updatedMs: id }));
    await fill(store, `s${id}`, bodies.map((body) => JSON.stringify(body)));
  }
  await store.close();
  return await Deno.readFile(databaseOf(folder));
}

Deno.test("a damaged page of the store, whichever it is, ends no new session, and costs the others only what lay on it (T110)", () =>
  inFolder(async (folder) => {
    const whole = await filledStore(folder);
    const pages = whole.length / 4096;
    const left: number[] = [];
    for (let page = 0; page < pages; page++) {
      const file = whole.slice();
      file.fill(0xff, page * 4096, (page + 1) * 4096);
      const place = `${folder}-${page}`;
      await Deno.mkdir(place, { mode: 0o700 });
      await Deno.writeFile(databaseOf(place), file, { mode: 0o600 });
      const { store, warnings } = await testStore(place);
      await store.create(emptySession("new", { updatedMs: 99 }));
      await fill(store, "new", ["1", "2"]);
      for (let id = 1; id <= 12; id++) await bodiesOf(store, `s${id}`); // here at the latest it shows
      const { sessions } = await store.list();
      assertEquals([page, sessions[0]?.id, sessions[0]?.records], [page, "new", 2]);
      let records = 0;
      for (const { id, records: count, cwd } of sessions.slice(1)) {
        assertEquals([page, cwd], [page, `/work/${id.slice(1)}`]);
        assertEquals([page, id, (await bodiesOf(store, id)).length], [page, id, count]);
        records += count;
      }
      left.push(records);
      assertEquals([page, warnings.length <= 1], [page, true]);
      await store.close();
      const db = new DatabaseSync(databaseOf(place));
      if (warnings.length === 1) {
        const found = db.prepare("PRAGMA integrity_check").all();
        assertEquals(found.map(({ integrity_check }) => integrity_check), ["ok"]);
      }
      db.close();
    }
    assertEquals(left.filter((records) => records < 50), []);
  }));

for (const index of ["sessions_by_use", "sqlite_autoindex_sessions_1"]) {
  Deno.test(`programs that have a damaged store open go over to the one that one of them puts in its place: ${index}`, () =>
    inFolder(async (folder) => {
      const whole = await filledStore(folder);
      const db = new DatabaseSync(databaseOf(folder));
      const root = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").get(index)!;
      db.close();
      const page = Number(root.rootpage) - 1;
      whole.fill(0xff, page * 4096, (page + 1) * 4096);
      await Deno.writeFile(databaseOf(folder), whole);
      const [a, b, c] = [await testStore(folder), await testStore(folder), await testStore(folder)];
      for (const [name, { store }] of Object.entries({ a, b, c })) {
        await store.create(emptySession(name));
        await fill(store, name, ["1", "2"]);
      }
      for (const { store } of [a, b, c]) {
        const { sessions } = await store.list();
        assertEquals([sessions.length, await bodiesOf(store, "b")], [15, ["1", "2"]]);
      }
      const warnings = [a, b, c].flatMap(({ warnings }) => warnings);
      assertEquals(warnings.length, 1);
      assertMatch(
        warnings[0]!,
        /12 sessions with 72 records could be read and are kept; the damaged file is/,
      );
      await Promise.all([a, b, c].map(({ store }) => store.close()));
      const files = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
      const stays = /^sessions\.db(\.lock|\.damaged-1000000(-wal|-shm)?)?$/;
      assertEquals(files.filter((name) => !stays.test(name)), []);
      if (Deno.build.os !== "windows") {
        const modes = files.map((name) => Deno.statSync(`${folder}/${name}`).mode! & 0o777);
        assertEquals(modes, modes.map(() => 0o600));
      }
    }));
}

Deno.test("a session whose own row is damaged costs no list", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.create(emptySession("s1"));
    await store.create(emptySession("s2", { usage: { inputTokens: 5 } }));
    const db = new DatabaseSync(databaseOf(folder));
    db.exec("UPDATE sessions SET usage = '{\"inputTok' WHERE id = 's1'");
    db.close();
    const { sessions } = await store.list();
    assertEquals(sessions.map(({ id, usage }) => [id, usage]), [["s2", { inputTokens: 5 }], [
      "s1",
      {},
    ]]);
    await store.close();
  }));

Deno.test("list() gives pages by last use, of one folder when asked, and refuses a made-up cursor", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    for (const n of [1, 2, 3, 4, 5]) {
      const cwd = n % 2 === 0 ? "/even" : "/odd";
      await store.create(emptySession(`s${n}`, { updatedMs: n === 2 ? 90 : n, cwd }));
    }
    const first = await store.list({ limit: 2 });
    assertEquals(first.sessions.map(({ id }) => id), ["s2", "s5"]);
    const second = await store.list({ limit: 2, cursor: first.cursor! });
    assertEquals(second.sessions.map(({ id }) => id), ["s4", "s3"]);
    const third = await store.list({ limit: 2, cursor: second.cursor! });
    assertEquals([third.sessions.map(({ id }) => id), third.cursor], [["s1"], undefined]);
    const even = await store.list({ cwd: "/even" });
    assertEquals(even.sessions.map(({ id }) => id), ["s2", "s4"]);
    const error = await assertRejects(
      () => store.list({ cursor: "1; DROP" }),
      SkepError,
      "no cursor",
    );
    assertEquals(error.code, "INVALID_PARAMS");
    await store.close();
  }));

Deno.test("a session that nobody prompted is in no list of those, and gone a month later when another one begins", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    const day = 24 * 60 * 60 * 1000;
    await store.create(emptySession("old", { updatedMs: 0 }));
    await store.create(emptySession("used", { updatedMs: 0, turns: 1 }));
    await store.create(emptySession("new", { createdMs: 30 * day, updatedMs: 30 * day }));
    const listed = await store.list({ isPrompted: true });
    assertEquals(listed.sessions.map(({ id }) => id), ["used"]);
    assertEquals((await store.info("old"))?.id, "old");
    await store.create(emptySession("newer", { createdMs: 30 * day + 1 }));
    assertEquals(await store.info("old"), undefined);
    assertEquals((await store.info("new"))?.id, "new");
    assertEquals((await store.info("used"))?.id, "used");
    await store.close();
  }));

Deno.test("fork() copies records up to one, and delete() leaves nothing of a session in the files", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.create(emptySession("s1", { title: "one" }));
    await fill(store, "s1", ["1", "2", "an unmistakable phrase"]);
    await store.fork("s1", "s2", 2);
    assertEquals(await bodiesOf(store, "s2"), ["1", "2"]);
    const copy = await store.info("s2");
    assertEquals([copy?.records, copy?.parent, copy?.title], [2, "s1", "one"]);
    const [, , third] = chained(["1", "2", "3"]);
    const { after, ...record } = third!;
    await store.append("s2", record, { after, isDurable: true, endsDraft: true });
    assertEquals([await store.delete("s1"), await store.delete("s1")], [true, false]);
    assertEquals(await bodiesOf(store, "s1"), []);
    await store.close();
    for await (const { name } of Deno.readDir(folder)) {
      const text = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
      assertEquals([name, text.includes("unmistakable")], [name, false]);
    }
  }));

Deno.test("a draft grows until a record ends it", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    await store.create(emptySession("s1"));
    await store.draft("s1", "Half ");
    await store.draft("s1", "an answer");
    assertEquals(await store.drafted("s1"), "Half an answer");
    const [first, second] = chained(["1", "2"]);
    const add = ({ after, ...record }: NonNullable<typeof first>, endsDraft: boolean) =>
      store.append("s1", record, { after, isDurable: false, endsDraft });
    await add(first!, false);
    assertEquals(await store.drafted("s1"), "Half an answer");
    await add(second!, true);
    assertEquals([await store.drafted("s1"), await store.drafted("nope")], ["", ""]);
    await store.close();
  }));

Deno.test("delete() takes along what lies beside the records of a session, and of no other", () =>
  inFolder(async (folder) => {
    const { store } = await testStore(folder);
    for (const id of ["s1", "s2"]) {
      await store.create(emptySession(id));
      await Deno.mkdir(`${folder}/artifacts/${id}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/artifacts/${id}/a1.txt`, "whole");
    }
    await store.delete("s1");
    const left = await Array.fromAsync(Deno.readDir(`${folder}/artifacts`), ({ name }) => name);
    assertEquals(left, ["s2"]);
    await store.close();
  }));
