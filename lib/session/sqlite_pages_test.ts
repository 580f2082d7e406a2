import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { mendInteriorPages } from "./sqlite_pages.ts";

/** A database of small pages, whose tree of rows has more than two levels. */
async function manyRows(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA page_size = 512; PRAGMA auto_vacuum = FULL");
  db.exec("CREATE TABLE rows (text TEXT NOT NULL, place INTEGER NOT NULL, UNIQUE (place))");
  db.exec("BEGIN");
  const insert = db.prepare("INSERT INTO rows VALUES (?, ?)");
  for (let place = 0; place < 3000; place++) {
    insert.run(place % 500 === 0 ? "long ".repeat(400) : `row ${place} `.repeat(8), place);
  }
  db.exec("COMMIT");
  db.close();
  return await Deno.readFile(path);
}

/** Whether a page is one of the map of pages, of which each has room for 102. */
function isMap(page: number): boolean {
  return (page - 2) % 103 === 0;
}

function rows(path: string): number {
  const db = new DatabaseSync(path);
  try {
    const sql = "SELECT count(*) AS rows, sum(length(text)) AS bytes FROM rows NOT INDEXED";
    assertEquals(
      db.prepare("PRAGMA integrity_check").get(),
      db.prepare("SELECT 'ok' AS integrity_check").get(),
    );
    return Number(db.prepare(sql).get()!.rows);
  } finally {
    db.close();
  }
}

Deno.test("the page that led to all rows of a table was lost, and all rows with it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "skep-pages-" });
  try {
    const path = `${folder}/a.db`;
    const whole = await manyRows(path);
    assertEquals(mendInteriorPages(whole.slice()), 0);
    const interior = Array.from({ length: whole.length / 512 }, (_, index) => index)
      .filter((index) => index > 1 && whole[index * 512] === 0x05 && !isMap(index + 1));
    assert(interior.length > 3, "a tree of two levels shows less");
    for (const lost of [...interior.map((index) => [index]), interior]) {
      for (const value of [0, 0xff]) {
        const bytes = whole.slice();
        for (const index of lost) bytes.fill(value, index * 512, (index + 1) * 512);
        assertEquals(mendInteriorPages(bytes), lost.length);
        await Deno.writeFile(path, bytes);
        assertEquals(rows(path), 3000);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("mendInteriorPages() leaves sound pages as they are where the map of pages is lost", async () => {
  const folder = await Deno.makeTempDir({ prefix: "skep-pages-" });
  try {
    const bytes = await manyRows(`${folder}/a.db`);
    for (let page = 2; page <= bytes.length / 512; page++) {
      if (isMap(page) && page % 2 === 0) bytes.fill(0, (page - 1) * 512, page * 512);
    }
    assertEquals(mendInteriorPages(bytes), 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("mendInteriorPages() leaves alone what is no database with a map of pages", () => {
  for (const bytes of [new Uint8Array(0), new Uint8Array(50), new Uint8Array(5000).fill(0xff)]) {
    const before = bytes.slice();
    assertEquals([mendInteriorPages(bytes), bytes], [0, before]);
  }
});
