import { pathToFileURL } from "node:url";
import { assertEquals } from "@std/assert";
import { denoFiles } from "../host/files.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { FileKnownLists } from "./known_lists.ts";
import type { ToolList } from "./tool_list.ts";

const LIMITS = { maxKnownLists: 2, maxFrameBytes: 1000 };
const SPEC: ServerSpec = {
  name: "a",
  command: "x",
  args: [],
  env: { FOO: "1" },
  origin: { kind: "flag", where: "test" },
};
const LIST: ToolList = {
  tools: [{ name: "t", description: "d", inputSchema: { type: "object" }, notes: [] }],
  hooks: [],
  remarks: [],
};

function launchOf(args: readonly string[], tmp = "/tmp/skep-1/tmp"): Launch {
  const command = { program: "/bin/none", args, cwd: "/nowhere", env: {} };
  return { server: "a", command, grant: { tmp } } as unknown as Launch;
}

async function inFolder(run: (lists: FileKnownLists, folder: string) => Promise<void>) {
  const root = await Deno.makeTempDir({ prefix: "skep-test-" });
  try {
    await run(new FileKnownLists(`${root}/tools`, denoFiles(), LIMITS), `${root}/tools`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("FileKnownLists recalls the list of a server that starts in the same way, and of no other", async () => {
  await inFolder(async (lists, folder) => {
    const launch = launchOf(["--allow-write=/tmp/skep-1/tmp", "npm:x@1.0.0"]);
    assertEquals(await lists.recall(SPEC, launch), undefined);
    await lists.remember(SPEC, launch, LIST);
    assertEquals(await lists.recall({ ...SPEC, name: "b" }, launch), LIST);
    const moved = launchOf(["--allow-write=/tmp/skep-2/tmp", "npm:x@1.0.0"], "/tmp/skep-2/tmp");
    assertEquals(await lists.recall(SPEC, moved), LIST);
    const newer = launchOf(["--allow-write=/tmp/skep-1/tmp", "npm:x@1.0.1"]);
    assertEquals(await lists.recall(SPEC, newer), undefined);
    assertEquals(await lists.recall({ ...SPEC, env: { FOO: "2" } }, launch), undefined);
    const [name] = await denoFiles().list(folder);
    if (Deno.build.os === "windows") return;
    assertEquals((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o600);
  });
});

Deno.test("FileKnownLists forgets a script's list when the script changes", async () => {
  await inFolder(async (lists, folder) => {
    const script = `${folder}.ts`;
    await Deno.writeTextFile(script, "one");
    await lists.remember(SPEC, launchOf([script]), LIST);
    assertEquals(await lists.recall(SPEC, launchOf([script])), LIST);
    await Deno.writeTextFile(script, "three");
    assertEquals(await lists.recall(SPEC, launchOf([script])), undefined);
  });
});

Deno.test("FileKnownLists forgets the list of a script that is named as a target when it changes, be its size the same", async () => {
  await inFolder(async (lists, folder) => {
    const script = `${folder} of mine.ts`;
    const target = encodeURIComponent(pathToFileURL(script).href);
    const launch = launchOf(["run", `file:///skep/tools/entry/main.ts?target=${target}`]);
    await Deno.writeTextFile(script, "one");
    await Deno.utime(script, 1000, 1000);
    await lists.remember(SPEC, launch, LIST);
    assertEquals(await lists.recall(SPEC, launch), LIST);
    await Deno.writeTextFile(script, "two");
    await Deno.utime(script, 1001, 1001);
    assertEquals(await lists.recall(SPEC, launch), undefined);
    await lists.remember(SPEC, launch, LIST);
    await Deno.writeTextFile(script, "three");
    await Deno.utime(script, 1001, 1001);
    assertEquals(await lists.recall(SPEC, launch), undefined);
  });
});

Deno.test("FileKnownLists keeps as many lists as its limit, and not one more", async () => {
  await inFolder(async (lists, folder) => {
    for (const word of ["1", "2", "3"]) await lists.remember(SPEC, launchOf([word]), LIST);
    assertEquals((await denoFiles().list(folder)).length, 2);
    assertEquals(await lists.recall(SPEC, launchOf(["3"])), LIST);
  });
});

Deno.test("FileKnownLists takes a broken file for none", async () => {
  await inFolder(async (lists, folder) => {
    await lists.remember(SPEC, launchOf([]), LIST);
    const [name] = await denoFiles().list(folder);
    for (const text of ["{", "null", '{"tools":[{}],"hooks":[],"remarks":[]}', "x".repeat(1001)]) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
      assertEquals(await lists.recall(SPEC, launchOf([])), undefined);
    }
  });
});
