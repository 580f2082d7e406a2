import { assertEquals, assertRejects } from "@std/assert";
import { TextReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../limits.ts";
import { readArchive, writeArchive } from "./pack_archive.ts";
import type { PackEntry } from "./pack_content.ts";

const LIMITS = DEFAULT_LIMITS;
const text = (entry: PackEntry) => new TextDecoder().decode(entry.bytes);

function entry(path: string, content = "", isExecutable = false): PackEntry {
  return { path, bytes: new TextEncoder().encode(content), isExecutable };
}

type Options = NonNullable<Parameters<ZipWriter<unknown>["add"]>[2]>;

/** An archive as somebody else would make it. */
async function archive(
  entries: readonly (readonly [path: string, content: string, options?: Options])[],
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [path, content, options] of entries) {
    await writer.add(path, new TextReader(content), options);
  }
  return new Uint8Array(await writer.close());
}

async function refusal(bytes: Uint8Array<ArrayBuffer>, limits = LIMITS): Promise<string> {
  const error = await assertRejects(() => readArchive(bytes, "A", limits), Error);
  assertEquals(error.message.startsWith("Cannot use A: "), true, error.message);
  return error.message.replace("Cannot use A: ", "");
}

/** Replaces each place of `from` by `to`, of the same length. */
function patched(
  bytes: Uint8Array<ArrayBuffer>,
  from: string,
  to: string,
): Uint8Array<ArrayBuffer> {
  const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return Uint8Array.from(latin.replaceAll(from, to), (char) => char.charCodeAt(0));
}

Deno.test("readArchive() gives back what writeArchive() wrote, which is the same each time", async () => {
  const entries = [entry("a/x.sh", "echo", true), entry("b.md", "ü".repeat(1000))];
  const bytes = new Uint8Array(await writeArchive(entries));
  assertEquals(await writeArchive(entries), bytes);
  const read = await readArchive(bytes, "A", LIMITS);
  assertEquals(read.map((each) => [each.path, text(each).length, each.isExecutable]), [
    ["a/x.sh", 4, true],
    ["b.md", 1000, false],
  ]);
});

Deno.test("readArchive() takes a pack that lies one folder deep", async () => {
  const bytes = await archive([
    ["my-pack/", "", { directory: true }],
    ["my-pack/.plugin/plugin.json", "{}"],
    ["my-pack/a.md", "x"],
  ]);
  const read = await readArchive(bytes, "A", LIMITS);
  assertEquals(read.map(({ path }) => path), [".plugin/plugin.json", "a.md"]);
});

Deno.test("readArchive() refuses an entry that leads out", async () => {
  // zip.js writes no such name: the archive is made with another of the same length.
  const good = await archive([["aa/bb/cc", "x"]]);
  for (const path of ["../../cc", "/etc/pwd", "aa/../cc", "aa\\..\\cc", "aa//bb/c"]) {
    const reason = await refusal(patched(good, "aa/bb/cc", path));
    assertEquals([path, reason.includes("entry") || reason.includes("archive")], [path, true]);
  }
});

Deno.test("readArchive() refuses links, devices and encrypted entries", async () => {
  const kinds: [mode: number, what: string][] = [[0o120777, "link"], [0o060644, "device"], [
    0o010644,
    "fifo",
  ]];
  for (const [unixMode, what] of kinds) {
    const bytes = await archive([[what, "/etc/passwd", { unixMode }]]);
    assertEquals(
      await refusal(bytes),
      `its entry "${what}" is a link or a device: a pack has plain files alone`,
    );
  }
  const secret = await archive([["x", "text", { password: "p", zipCrypto: true }]]);
  assertEquals(await refusal(secret), 'its entry "x" is encrypted');
});

Deno.test("readArchive() refuses a bomb by what it says, and by what it does", async () => {
  const bytes = await archive([["big", "0".repeat(100_000)]]);
  const limits = { ...LIMITS, maxPackFileBytes: 99_999 };
  assertEquals(
    await refusal(bytes, limits),
    'its entry "big" has 100000 bytes, the limit is 99999',
  );
  const honest = "\xa0\x86\x01\x00"; // 100,000 in four bytes
  const lying = patched(bytes, honest, "\x0a\x00\x00\x00");
  const reason = await refusal(lying, { ...LIMITS, maxPackFileBytes: 1000 });
  assertEquals(/more than|no zip archive/.test(reason), true, reason);
  const many = await archive(Array.from({ length: 5 }, (_, index) => [`f${index}`, "x"] as const));
  assertEquals(
    await refusal(many, { ...LIMITS, maxPackFiles: 4 }),
    "it has over 4 files, the limit",
  );
  assertEquals((await readArchive(many, "A", { ...LIMITS, maxPackFiles: 5 })).length, 5);
  assertEquals(
    await refusal(many, { ...LIMITS, maxPackArchiveBytes: many.length - 1 }),
    `it has ${many.length} bytes, the limit is ${many.length - 1}`,
  );
});

Deno.test("readArchive() refuses one name twice, in any case, and content that was changed", async () => {
  assertEquals(
    await refusal(await archive([["a.md", "1"], ["A.md", "2"]])),
    '"a.md" and "A.md" are one name',
  );
  const twice = patched(await archive([["a.md", "1"], ["b.md", "2"]]), "b.md", "a.md");
  assertEquals((await refusal(twice)).length > 0, true);
  const stored = await archive([["a.md", "HELLO", { level: 0 }]]);
  assertEquals((await refusal(patched(stored, "HELLO", "HELLA"))).includes("no zip archive"), true);
});

Deno.test("readArchive() refuses what is no archive, cut short, or has something in front", async () => {
  const bytes = await archive([["a.md", "x"]]);
  const inputs = [
    new Uint8Array(),
    new TextEncoder().encode("PK\x03\x04 not an archive"),
    bytes.slice(0, -5),
    new Uint8Array([...new TextEncoder().encode("#!/bin/sh\n"), ...bytes]),
  ];
  for (const input of inputs) await refusal(input);
});

Deno.test("readArchive() never gives more than its bounds, nor fails otherwise, whatever is damaged", async () => {
  const bytes = await archive([["a/b.md", "text ".repeat(50)], ["c.md", "more"]]);
  const limits = { ...LIMITS, maxPackFileBytes: 1000, maxPackArchiveBytes: 2000 };
  const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(damage, async (changes) => {
      const broken = bytes.slice();
      for (const [at, value] of changes) broken[at] = value;
      try {
        const read = await readArchive(broken, "A", limits);
        for (const { path, bytes: { length } } of read) {
          assertEquals([path.split("/").includes(".."), length <= 1000], [false, true]);
        }
      } catch (error) {
        assertEquals((error as Error).name, "SkepError");
      }
    }),
    { numRuns: 150 },
  );
});
