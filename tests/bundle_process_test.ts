// The bundle, and what a compiled program carries. A real compiled program needs a download that tests
// must not depend on, so it is built with Deno itself as its base, and never started.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { childEnv, fromRepo, runChild, taskArgs, tempFolder } from "./harness.ts";

const PERMISSIONS = taskArgs("skep").filter((word) => word.startsWith("--allow-"));

Deno.test("the bundle answers with its own servers, from any folder, without the sources' configuration", async () => {
  await using folder = await tempFolder();
  await using home = await tempFolder();
  const out = join(folder.path, "dist");
  // The first bundle on a machine fetches esbuild, as the task does.
  const env = childEnv(home.path, { DENO_TLS_CA_STORE: "system,mozilla" });
  const made = await runChild(
    Deno.execPath(),
    [...taskArgs("bundle").map(absolute), out],
    { env },
  );
  assertEquals([made.code, made.stderr], [0, ""]);

  await Deno.writeTextFile(join(folder.path, "a.txt"), "hello\n");
  const run = (...args: string[]) =>
    runChild(Deno.execPath(), [
      "run",
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--no-npm",
      ...PERMISSIONS,
      join(out, "cli.js"),
      ...args,
    ], { env, cwd: folder.path });
  const read = await run("call", "dev__read_file", '{"path":"a.txt"}');
  assertEquals([read.code, read.stdout], [0, "a.txt (lines 1-1 of 1)\n1:hello\n"]);
  const audit = JSON.parse((await run("audit", "--json", "dev")).stdout);
  assertEquals(audit.command.includes(join(out, "servers", "dev.js")), true);
  assertEquals(audit.command.includes("--no-npm"), true);

  const binary = join(folder.path, "skep");
  const words = taskArgs("compile");
  const compile = words.slice(words.lastIndexOf("compile"))
    .map((word) => word.replace(/^dist/, out)).map((word) =>
      word === join(out, "skep") ? binary : word
    );
  const built = await runChild(Deno.execPath(), compile, {
    env: { ...env, DENORT_BIN: Deno.execPath() },
  });
  assertEquals([built.code, (await Deno.stat(binary)).isFile], [0, true], built.stderr);
  for (const name of ["manifest.json", "personas/*", "tools/*", "servers/*"]) {
    assertStringIncludes(built.stderr + built.stdout, name);
  }
});

function absolute(word: string): string {
  if (word === "tools/bundle/main.ts") return fromRepo(word);
  return word === "--lock=deno.lock" ? `--lock=${fromRepo("deno.lock")}` : word;
}
