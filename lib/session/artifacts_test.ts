import { assertEquals, assertRejects } from "@std/assert";
import { denoFiles } from "../host/files.ts";
import { type ArtifactStore, openArtifacts } from "./artifacts.ts";

const LIMITS = { maxArtifacts: 2, maxArtifactBytes: 20 };
const text = (text: string) => ({ type: "text" as const, text });

async function inFolder(
  run: (open: () => Promise<ArtifactStore>, folder: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "skep-test-" });
  try {
    const folder = `${root}/artifacts`;
    await run(() => openArtifacts(folder, denoFiles(), LIMITS), folder);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("openArtifacts() gives back what was put, in files that nobody else may read", async () => {
  await inFolder(async (open, folder) => {
    const artifacts = await open();
    assertEquals(artifacts.size, 0);
    const image = { type: "image" as const, data: "AAAA", mediaType: "image/svg+xml" };
    assertEquals([artifacts.put(text("ä\ufeff")), artifacts.put(image)], ["a1", "a2"]);
    assertEquals([await artifacts.get("a1"), await artifacts.get("a2")], [text("ä\ufeff"), image]);
    assertEquals(await artifacts.get("../a1"), undefined);
    if (Deno.build.os === "windows") return;
    assertEquals((await Deno.stat(folder)).mode! & 0o777, 0o700);
    const names = await denoFiles().list(folder);
    assertEquals(names, [
      "a1-35f9d0df7998b5b3295989a3205c88db60a6c41b57de271541c8e9ea2739eceb.txt",
      "a2-709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c.svg+xml",
    ]);
    for (const name of names) {
      assertEquals((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o600);
    }
  });
});

Deno.test("openArtifacts() keeps a text exactly at its bound, and cuts one past it off", async () => {
  await inFolder(async (open) => {
    const artifacts = await open();
    artifacts.put(text("x".repeat(20)));
    artifacts.put(text("x".repeat(21)));
    assertEquals(await artifacts.get("a1"), text("x".repeat(20)));
    assertEquals(await artifacts.get("a2"), text(`${"x".repeat(10)}\n[cut off]`));
    const image = { type: "image" as const, data: "AAAA".repeat(7), mediaType: "image/png" };
    const big = artifacts.put(image);
    await assertRejects(() => artifacts.get(big), RangeError, "it has 21 bytes, the limit is 20");
  });
});

Deno.test("openArtifacts() holds as many as its bound says, and removes the oldest past it", async () => {
  await inFolder(async (open, folder) => {
    const artifacts = await open();
    for (const word of ["one", "two", "three"]) artifacts.put(text(word));
    await artifacts.flush();
    assertEquals([artifacts.size, await artifacts.get("a1")], [2, undefined]);
    assertEquals(await artifacts.get("a3"), text("three"));
    const names = await denoFiles().list(folder);
    assertEquals(names.map((name) => name.slice(0, 3)), ["a2-", "a3-"]);
  });
});

Deno.test("openArtifacts() keeps the same content once, and longest what was put last", async () => {
  await inFolder(async (open, folder) => {
    const before = await open();
    assertEquals([before.put(text("one")), before.put(text("one"))], ["a1", "a1"]);
    await before.flush();
    const artifacts = await open();
    assertEquals([artifacts.put(text("two")), artifacts.put(text("one"))], ["a2", "a1"]);
    assertEquals(artifacts.put(text("three")), "a3");
    await artifacts.flush();
    assertEquals([await artifacts.get("a2"), await artifacts.get("a1")], [undefined, text("one")]);
    assertEquals((await denoFiles().list(folder)).length, 2);
  });
});

Deno.test("openArtifacts() gives no content that was changed on the disk, and reads what an older skep kept", async () => {
  await inFolder(async (open, folder) => {
    const before = await open();
    before.put(text("one"));
    await before.flush();
    const [name] = await denoFiles().list(folder);
    await Deno.writeTextFile(`${folder}/${name}`, "other");
    await Deno.writeTextFile(`${folder}/a2.txt`, "old");
    const artifacts = await open();
    await assertRejects(() => artifacts.get("a1"), TypeError, "is not as it was written");
    assertEquals(await artifacts.get("a2"), text("old"));
  });
});

Deno.test("openArtifacts() finds again what an earlier run left, and numbers on", async () => {
  await inFolder(async (open, folder) => {
    const before = await open();
    before.put(text("one"));
    await before.flush();
    await Deno.writeTextFile(`${folder}/a7`, "cut off while it was written");
    const after = await open();
    assertEquals(await after.get("a1"), text("one"));
    assertEquals(after.put(text("two")), "a2");
    await after.remove();
    assertEquals([after.size, await denoFiles().stat(folder)], [0, undefined]);
  });
});

Deno.test("openArtifacts() tells whoever asks for it what could not be written", async () => {
  await inFolder(async (open, folder) => {
    await Deno.writeTextFile(folder, "in the way").then(() => Deno.remove(folder));
    const artifacts = await open();
    await Deno.writeTextFile(folder, "in the way");
    const id = artifacts.put(text("one"));
    await assertRejects(() => artifacts.get(id));
  });
});
