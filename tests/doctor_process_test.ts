// `skep doctor`, as a person and a script use it.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { skep, tempFolder } from "./harness.ts";

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

Deno.test("skep doctor does not say that a backend is used which --sandbox rules out", async () => {
  const on = (sandbox: string) => skep(["doctor", "--json", "--sandbox", sandbox]);
  const [off, none] = await Promise.all([on("off"), on("seatbelt")]);
  for (const { stdout } of [off, none]) assertEquals(stdout.includes("and is used"), false);
  assertStringIncludes(off.stdout, "switched off by you");
  if (Deno.build.os === "darwin") return;
  assertEquals(none.code, 1);
  assertStringIncludes(none.stdout, "seatbelt was asked for and does not work here");
});
