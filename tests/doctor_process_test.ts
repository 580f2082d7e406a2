// `skep doctor`, as a person and a script use it.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { childEnv, runChild, skep, skepCommand, tempFolder } from "./harness.ts";
import { CAN_BE_ANOTHER, ordinaryUser, thisUser } from "./other_user.ts";

interface Finding {
  readonly about: string;
  readonly state: string;
  readonly text: string;
}

function findings(stdout: string): Map<string, Finding> {
  const all: Finding[] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  return new Map(all.map((each) => [each.about, each]));
}

Deno.test("skep doctor tells versions, each backend tried, providers, and folders with their modes", async () => {
  await using home = await tempFolder();
  const [state, config] = [`${home.path}/state`, `${home.path}/config`];
  await Deno.mkdir(state, { mode: 0o700 });
  const env = { SKEP_STATE_DIR: state, SKEP_CONFIG_DIR: config, ANTHROPIC_API_KEY: "not-shown-1" };
  const [json, text] = await Promise.all([
    skep(["doctor", "--json"], { env }),
    skep(["doctor"], { env }),
  ]);
  assertEquals([json.code, text.code, json.stderr], [0, 0, ""]);
  const found = findings(json.stdout);
  assertMatch(found.get("deno")!.text, /^deno 2\.\d+\.\d+ at \//);
  assertMatch(found.get("system")!.text, new RegExp(`, ${Deno.build.arch}$`));
  if (Deno.build.os === "linux") {
    for (const backend of ["bwrap", "unshare", "landlock"]) {
      const { state, text } = found.get(backend)!;
      assertEquals(state === "ok", /^works/.test(text), text);
    }
  }
  assertEquals(found.get("state folder")!.text, `${state} (mode 700)`);
  assertEquals(found.get("config folder")!.text, `${config}, made when it is needed`);
  assertEquals(found.get("anthropic"), { about: "anthropic", state: "ok", text: "set" });
  assertEquals(found.get("ollama")!.text.startsWith("no key is needed"), true);
  assertEquals((json.stdout + text.stdout).includes("not-shown-1"), false);
  assertMatch(text.stdout, /^ok {3}state folder +\//m);
});

Deno.test("skep doctor exits with 1 when something does not work", async () => {
  await using home = await tempFolder();
  const state = `${home.path}/state`;
  await Deno.mkdir(state);
  await Deno.chmod(state, 0o755);
  const env = { SKEP_STATE_DIR: state, SKEP_DENO: "/no/such/deno", SKEP_MODEL: "anthropic:x" };
  const { code, stdout } = await skep(["doctor", "--json"], { env });
  assertEquals(code, 1);
  const found = findings(stdout);
  assertEquals(found.get("deno")!.state, "bad");
  assertEquals(found.get("model"), {
    about: "model",
    state: "bad",
    text: "Cannot use the provider anthropic: ANTHROPIC_API_KEY is not set",
  });
  assertEquals(found.get("state folder"), {
    about: "state folder",
    state: "bad",
    text: `${state} is open to others (mode 755): chmod 700 it`,
  });
});

Deno.test("skep doctor, and every other command, say which folder is a file, or lies below one", async () => {
  await using home = await tempFolder();
  const file = `${home.path}/file`;
  await Deno.writeTextFile(file, "");
  const [below, is, chat] = await Promise.all([
    skep(["doctor", "--json"], { env: { SKEP_STATE_DIR: `${file}/state` } }),
    skep(["doctor", "--json"], { env: { SKEP_CACHE_DIR: file } }),
    skep(["chat", "-p", "/tools"], { env: { SKEP_STATE_DIR: file } }),
  ]);
  assertEquals([below.code, is.code, chat.code], [1, 1, 1]);
  assertEquals(findings(below.stdout).get("state folder"), {
    about: "state folder",
    state: "bad",
    text: `${file}/state cannot be made: ${file} is not a folder`,
  });
  assertEquals(findings(is.stdout).get("cache folder")!.text, `${file} is not a folder`);
  assertEquals(
    chat.stderr,
    `skep: Cannot keep the state folder at ${file}: it is not a folder; SKEP_STATE_DIR sets another place\n`,
  );
});

Deno.test({
  name: "skep doctor says which folder cannot be written, which its mode does not tell",
  ignore: Deno.uid() === 0 && !CAN_BE_ANOTHER, // root may write everything
  fn: async () => {
    await using user = await (CAN_BE_ANOTHER ? ordinaryUser : thisUser)(denoDir(denoHost()));
    const shut = `${user.folder}/shut`;
    await Deno.mkdir(shut);
    const { uid, gid } = await Deno.stat(user.folder);
    await Deno.chown(shut, uid, gid);
    await Deno.chmod(shut, 0o500);
    const env = {
      ...childEnv(user.folder),
      DENO_DIR: user.denoDir,
      SKEP_STATE_DIR: shut,
      SKEP_CACHE_DIR: `${shut}/cache`,
    };
    const [program, all] = skepCommand(["doctor", "--json"]);
    const [first, ...rest] = [...user.before, program, ...all];
    const { code, stdout } = await runChild(first!, rest, { cwd: user.folder, env });
    await Deno.chmod(shut, 0o700);
    assertEquals(code, 1);
    const found = findings(stdout);
    assertEquals(found.get("state folder")!.state, "bad");
    assertStringIncludes(found.get("state folder")!.text, `${shut} cannot be written: `);
    assertStringIncludes(found.get("cache folder")!.text, `${shut}/cache cannot be made: `);
    assertEquals(found.get("config folder")!.state, "ok");
  },
});

Deno.test("skep doctor does not call a provider set whose address is none", async () => {
  const env = { OPENAI_COMPAT_BASE_URL: "notaurl", OPENAI_COMPAT_API_KEY: "not-shown-1" };
  const { code, stdout } = await skep(["doctor", "--json"], { env });
  assertEquals(code, 1);
  const text =
    'Cannot use OPENAI_COMPAT_BASE_URL="notaurl": it must be an http or https URL, or not be set';
  for (const about of ["openai", "openai-compatible"]) {
    assertEquals(findings(stdout).get(about), { about, state: "bad", text });
  }
});

Deno.test("skep doctor does not say that a backend is used which --sandbox rules out", async () => {
  const on = (sandbox: string) => skep(["doctor", "--json", "--sandbox", sandbox]);
  const [off, none] = await Promise.all([on("off"), on("seatbelt")]);
  for (const { stdout } of [off, none]) assertEquals(stdout.includes("and is used"), false);
  assertStringIncludes(off.stdout, "switched off by you");
  if (Deno.build.os === "darwin") return;
  assertEquals(none.code, 1);
  assertStringIncludes(none.stdout, "seatbelt was asked for and does not work here");
});
