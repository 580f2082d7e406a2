// `skep audit` as people use it: what must be accepted, what is recorded, and grants that are tried.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { existsSync } from "node:fs";
import {
  fakeServer,
  fromRepo,
  HAS_TERMINAL,
  serverFile,
  skep,
  startInTerminal,
  startSkep,
  tempFolder,
} from "./harness.ts";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { AcpProcess } from "./acp_process.ts";
import { NAMESPACE_BACKENDS } from "./confined.ts";
import { folderWith, packOf, PERSONA, writeFiles } from "./packs.ts";

const CHAT = ["chat", "--model", "offline", "-p", "/tools"];

/** A persona with one server, that asks for `permissions`. */
function personaText(permissions: string): string {
  const server = `mcp_servers:\n  - name: dev\n    command: skep\n    args: [mcp, dev]\n`;
  return PERSONA.replace(
    "description: d",
    `description: d\n${server}    permissions: ${permissions}`,
  );
}

Deno.test("a pack's grants are accepted once before it runs, more is asked for again, less is not", async () => {
  await using pack = await folderWith({ ...packOf(), "agents/a.persona.md": personaText("{}") });
  await using state = await tempFolder();
  const env = { SKEP_STATE_DIR: state.path };
  const on = (args: readonly string[]) => skep([...args, "--persona", pack.path], { env });
  const ask = (permissions: string) =>
    writeFiles(pack.path, { "agents/a.persona.md": personaText(permissions) });
  const command = `skep audit --accept --persona ${pack.path}`;

  await ask('{ read: ["${WORKSPACE}"], run: [bash], sandbox: prefer }');
  const first = await on(CHAT);
  assertEquals([first.code, first.stdout], [3, ""]);
  assertStringIncludes(
    first.stderr,
    `nobody has accepted yet what its servers may do. To look at it and accept it: ${command}\n`,
  );
  const shown = await on(["audit", "--json"]);
  assertEquals(shown.code, 0);
  assertStringIncludes(JSON.parse(shown.stderr).message, `Not accepted: the servers of persona a`);
  assertEquals(JSON.parse(shown.stdout).cut, []);
  const acceptance = async () => JSON.parse((await on(["audit", "--json"])).stdout).acceptance;
  assertEquals(JSON.parse(shown.stdout).acceptance, "new");
  {
    await using running = await startSkep(["acp", "--persona", pack.path], { env });
    const client = new AcpProcess(running);
    await client.request("initialize", { protocolVersion: 1 });
    const { error } = await client.request("session/new", { cwd: pack.path, mcpServers: [] });
    assertStringIncludes(error.message, `To look at it and accept it: ${command}`);
    assertEquals(error.code, -32603); // in version 1 of ACP what a login does not help
  }

  const accepting = await on(["audit", "--accept"]);
  assertEquals(accepting.code, 0);
  assertStringIncludes(accepting.stderr, "Accepted: the servers of persona a");
  assertEquals((await on(CHAT)).code, 0);
  assertEquals(await acceptance(), "accepted");

  await ask('{ read: ["${WORKSPACE}"], run: [bash], net: ["a.example:443"], sandbox: prefer }');
  const wider = await on(["call", "dev__read_file", '{"path":"x"}', "--json"]);
  assertEquals(wider.code, 3);
  const { code, message } = JSON.parse(wider.stderr);
  assertEquals(code, "GRANT_NOT_ACCEPTED");
  assertStringIncludes(message, "(server dev; + net: a.example:443)");
  assertEquals(await acceptance(), "widened");

  await ask('{ read: ["${WORKSPACE}/docs"] }');
  assertEquals((await on(CHAT)).code, 0);
});

Deno.test({
  name: "chat asks in the terminal about a pack that was not accepted, once",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using pack = await folderWith({
      ...packOf(),
      "agents/a.persona.md": personaText('{ read: ["${WORKSPACE}"] }'),
    });
    await using state = await tempFolder();
    const env = { SKEP_STATE_DIR: state.path };
    const args = ["chat", "--model", "offline", "--persona", pack.path];
    const start = () => startInTerminal(args, { env });
    {
      await using no = await start();
      await no.until(({ stdout }) => stdout.includes("Start them with that?"));
      await no.write("n\r");
      const { code, stdout } = await no.ended;
      assertEquals(code, 3);
      assertStringIncludes(stdout, "You have not used persona a of");
    }
    {
      await using yes = await start();
      await yes.until(({ stdout }) => stdout.includes("Start them with that?"));
      await yes.write("y\r");
      await yes.until(({ stdout }) => stdout.includes("/help for help"));
    }
    await using again = await start();
    await again.until(({ stdout }) => stdout.includes("/help for help"));
    assertEquals(again.stdout.includes("Start them with that?"), false);
  },
});

Deno.test("a server file of the workspace gets the workspace at most until it was accepted", async () => {
  await using work = await tempFolder();
  await using state = await tempFolder();
  await using outside = await tempFolder();
  const file = await serverFile(work.path, {
    fake: fakeServer([], { permissions: { read: [outside.path], sandbox: "require" } }),
  });
  const env = { SKEP_STATE_DIR: state.path };
  const on = (args: readonly string[]) =>
    skep([...args, "--mcp", file, "--cwd", work.path], { env });
  const read = async () => {
    const { stdout } = await on(["audit", "fake", "--json"]);
    return JSON.parse(stdout).permissions.read.map(({ value }: { value: string }) => value);
  };
  const before = await on(CHAT);
  assertEquals(before.code, 0);
  assertStringIncludes(before.stderr, `skep audit --accept --mcp ${file}`);
  assertEquals((await read()).includes(outside.path), false);
  assertEquals((await on(["audit", "--accept"])).code, 0);
  assertEquals((await read()).includes(outside.path), true);
  assertEquals((await on(CHAT)).stderr.includes("--accept"), false);
});

Deno.test("audit --check tells what a pack or a server file asks for beyond its grants.lock", async () => {
  await using pack = await folderWith({
    ...packOf(),
    "agents/a.persona.md": personaText("{ run: [git] }"),
  });
  await using place = await tempFolder();
  const file = await serverFile(place.path, { fake: fakeServer() });
  const on = (...args: string[]) => skep(["audit", ...args, "--persona", pack.path, "--mcp", file]);
  const none = await on("--check");
  assertEquals(none.code, 1);
  assertStringIncludes(none.stderr, `There is no ${pack.path}/grants.lock: skep audit --write`);

  const written = await on("--write");
  const locks = [`${pack.path}/grants.lock`, join(place.path, "grants.lock")];
  assertEquals([written.code, written.stdout], [0, locks.map((lock) => `${lock}\n`).join("")]);
  const lock = JSON.parse(await Deno.readTextFile(locks[0]!));
  assertEquals(Object.keys(lock.grants), ["agents/a.persona.md"]);
  assertEquals((await on("--check")).code, 0);

  await writeFiles(pack.path, { "agents/a.persona.md": personaText("{ run: [bash, git] }") });
  await serverFile(place.path, { fake: fakeServer([], { permissions: { net: ["loopback"] } }) });
  const [text, json] = await Promise.all([on("--check"), on("--check", "--json")]);
  assertEquals([text.code, json.code], [3, 3]);
  assertStringIncludes(text.stdout, "  server dev\n    + run: bash\n");
  assertStringIncludes(text.stdout, "  server fake\n    + net: loopback\n");
  assertEquals(JSON.parse(json.stdout.split("\n")[0]!).widened, [
    { server: "dev", field: "run", asked: "bash" },
  ]);
});

Deno.test("audit --write leaves skep's own folder as it is, and records the server file beside a shipped persona", async () => {
  await using place = await tempFolder();
  const file = await serverFile(place.path, { fake: fakeServer() });
  const on = (...args: string[]) => skep(["audit", ...args, "--persona", "guide"]);
  const [alone, checked] = await Promise.all([on("--write"), on("--check")]);
  const told =
    "Nothing to record: the persona guide ships with skep, and there are no other servers\n";
  assertEquals([alone.code, alone.stdout, alone.stderr], [0, "", told]);
  assertEquals([checked.code, checked.stdout, checked.stderr], [0, "", told]);
  const written = await on("--write", "--mcp", file);
  assertEquals([written.code, written.stdout], [0, `${join(place.path, "grants.lock")}\n`]);
  assertEquals((await on("--check", "--mcp", file)).code, 0);
  assertEquals(existsSync(fromRepo("personas/guide/grants.lock")), false);
});

Deno.test("another value of a masked secret, a variable or a persona's own went unnoticed by --check and was never asked about", async () => {
  const text = (env: string, value: string, secret: string) =>
    `---\nname: a\ndisplay_name: A\ndescription: d\nenv: { MODE: ${value} }\nsecrets: { KEY: "env:${secret}" }\n` +
    'mcp_servers:\n  - name: dev\n    command: sh\n    args: [x.sh, "${MODE}"]\n' +
    `    env: { UNITS: ${env}, API: "\${KEY}" }\n---\nHello`;
  await using pack = await folderWith({
    ...packOf(),
    "agents/a.persona.md": text("metric", "a", "ONE"),
  });
  await using place = await tempFolder();
  const args = (token: string) => ["x.sh", "--token", token];
  const file = await serverFile(place.path, { tok: { command: "sh", args: args("sk-first-one") } });
  await using state = await tempFolder();
  const env = { SKEP_STATE_DIR: state.path, ONE: "1st", TWO: "2nd" };
  const on = (...args: string[]) =>
    skep(["audit", ...args, "--persona", pack.path, "--mcp", file], { env });
  const [written, accepted] = [await on("--write"), await on("--accept")];
  assertEquals(written.code, 0, written.stderr);
  assertStringIncludes(accepted.stderr, "Accepted: the servers of persona a of"); // whatever holds them here
  assertEquals((await on("--check")).code, 0);
  await writeFiles(pack.path, { "agents/a.persona.md": text("imperial", "b", "TWO") });
  await serverFile(place.path, { tok: { command: "sh", args: args("sk-other-one") } });
  const [checked, chat] = await Promise.all([
    on("--check"),
    skep(["chat", "-p", "/help", "--persona", pack.path], { env }),
  ]);
  assertEquals([checked.code, chat.code], [3, 3], checked.stdout + chat.stderr);
  for (const name of ["${KEY}", "${MODE}", "UNITS"]) {
    assertStringIncludes(checked.stdout, `    + env: ${name}, with another value\n`);
    assertStringIncludes(chat.stderr, `+ env: ${name}, with another value`);
  }
  const masked = "sh x.sh --token [secret]";
  assertStringIncludes(
    checked.stdout,
    `    - command: ${masked}\n    + command: ${masked} (another value where it says [secret])\n`,
  );
  const locks = [`${pack.path}/grants.lock`, join(place.path, "grants.lock")];
  for (const lock of locks) {
    assertEquals(/first-one|metric/.test(await Deno.readTextFile(lock)), false);
  }
});

Deno.test("audit and grants.lock show no secrets of a command line", async () => {
  await using place = await tempFolder();
  const args = ["x.sh", "--token", "sk-not-to-be-seen", "https://u:not-to-be-seen@h.example/x"];
  const file = await serverFile(place.path, { tok: { command: "sh", args } });
  const on = (...given: string[]) => skep(["audit", ...given, "--mcp", file]);
  const [text, json, written] = await Promise.all([
    on("tok"),
    on("tok", "--json"),
    on("--write", "--persona", "guide"),
  ]);
  assertEquals(written.code, 0, written.stderr);
  const lock = await Deno.readTextFile(join(place.path, "grants.lock"));
  for (const shown of [text.stdout, json.stdout, lock]) {
    assertStringIncludes(shown, "https://u:[secret]@h.example/x");
    assertEquals(shown.includes("not-to-be-seen"), false, shown);
  }
  const checked = await on("--check", "--persona", "guide");
  assertEquals(checked.code, 0, checked.stdout + checked.stderr);
});

Deno.test("audit says of a workspace with secrets in its root that a server reads them", async () => {
  await using work = await folderWith({ ".env": "GH_TOKEN=abc\n" });
  await using clean = await tempFolder();
  const on = (cwd: string) => skep(["audit", "--persona", "guide", "--cwd", cwd]);
  const [dirty, without] = await Promise.all([on(work.path), on(clean.path)]);
  const told = "    it reads .env in the workspace, with what looks like secrets in it\n";
  assertStringIncludes(dirty.stdout, told);
  assertEquals(without.stdout.includes(told), false);
});

Deno.test({
  name: "audit in a terminal lost its colours, and was as wide as its longest line",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using terminal = await startInTerminal(["audit", "dev", "--persona", "guide"], {
      env: { NO_COLOR: "" },
    });
    const { code, stdout } = await terminal.ended;
    assertEquals(code, 0, stdout);
    assertStringIncludes(stdout, "\u001b[1m  in short\u001b[0m\r\n");
    // deno-lint-ignore no-control-regex -- colours take no room
    const lines = stdout.replaceAll(/\u001b\[\d+m/g, "").split("\r\n");
    assertEquals(lines.filter((line) => line.length > 80), []);
    assertMatch(stdout, /\n {4}starts {4}\S*bash {2,}\S*its entry/);
  },
});

Deno.test("skep audit does one thing at a time", async () => {
  const [two, named] = await Promise.all([
    skep(["audit", "--probe", "--check"]),
    skep(["audit", "dev", "--accept"]),
  ]);
  assertEquals([two.code, named.code], [1, 1]);
  assertEquals(two.stderr, "skep: skep audit does one of --probe and --check at a time\n");
});

Deno.test({
  name: "audit --probe leaves what another program stores meanwhile, and takes it for no way out",
  ignore: NAMESPACE_BACKENDS.length === 0,
  fn: async () => {
    await using place = await tempFolder();
    const file = await serverFile(place.path, { fake: fakeServer() });
    const storage = join(denoDir(denoHost()), "location_data");
    const names = () => {
      try {
        return Array.from(Deno.readDirSync(storage), ({ name }) => name)
          .filter((name) => name.startsWith("skep-probe-"));
      } catch {
        return []; // nothing was stored yet
      }
    };
    const before = names();
    const other = join(storage, `other-${crypto.randomUUID()}`);
    await using probe = await startSkep(["audit", "fake", "--probe", "--mcp", file]);
    try {
      await probe.until(() => names().some((name) => !before.includes(name)), 60_000);
      await Deno.mkdir(other);
      await Deno.writeTextFile(join(other, "local_storage"), "of somebody else");
      const { code, stdout } = await probe.ended;
      assertEquals(code, 0, stdout);
      assertEquals(existsSync(join(other, "local_storage")), true);
    } finally {
      await Deno.remove(other, { recursive: true }).catch(() => {}); // it was not made
      await Deno.remove(storage).catch(() => {}); // unless others use it
    }
  },
});

Deno.test({
  name: "audit --probe tries the shipped default from four places, and nothing gets out",
  ignore: NAMESPACE_BACKENDS.length === 0,
  fn: async () => {
    await using temp = await tempFolder();
    const { code, stdout } = await skep(["audit", "--probe", "--json"], {
      env: { TMPDIR: temp.path },
    });
    const { probes, backend } = JSON.parse(stdout);
    type Probe = { probe: string; from: string; backend: string; outcome: string; detail: string };
    const all = probes as Probe[];
    assertEquals(code, 0, JSON.stringify(all.filter(({ outcome }) => outcome === "allowed")));
    assert(all.length >= 60, `${all.length} attempts`);
    assertEquals(new Set(all.map(({ from }) => from)), new Set(["js", "bash", "deno", "python"]));
    assertEquals(new Set(all.map((each) => each.backend)), new Set([backend]));
    const outcomes = new Set(all.map(({ outcome }) => outcome));
    assert([...outcomes].every((each) => ["denied", "allowed", "skipped"].includes(each)));
    assert(all.some(({ probe, outcome }) => probe === "write-workspace" && outcome === "allowed"));
  },
});

Deno.test({
  name:
    "audit --probe uses each entry of the grant, and says of what is not there that it is not there",
  ignore: NAMESPACE_BACKENDS.length === 0,
  fn: async () => {
    await using data = await folderWith({ "kept.txt": "as it was" });
    await using work = await folderWith({ "notes/a.txt": "a" });
    await using out = await tempFolder();
    await using place = await tempFolder();
    const lists = {
      read: [`${data.path}/none`],
      write: ["${WORKSPACE}/notes", out.path, `${data.path}/kept.txt`],
      run: ["bash", "no-such-program-here"],
      net: ["a.example:443"],
    };
    const file = await serverFile(place.path, {
      bundled: { command: "skep", args: ["mcp", "dev"], permissions: lists },
      native: { command: "sh", args: ["x.sh"], permissions: lists },
    });
    for (const [server, from] of [["bundled", "js"], ["native", "bash"]] as const) {
      const given = ["audit", server, "--probe", "--json", "--mcp", file, "--cwd", work.path];
      const { code, stdout } = await skep(given);
      const { probes } = JSON.parse(stdout);
      type Probe = { probe: string; from: string; outcome: string; detail: string };
      const of = (probes as Probe[])
        .filter((each) => each.probe.startsWith("granted-") && each.from === from);
      const outcomes = Object.fromEntries(of.map(({ probe, outcome }) => [probe, outcome]));
      assertEquals(code, 0, JSON.stringify(of));
      const program = of.find(({ probe }) => /^granted-run .*\/bash$/.test(probe))!;
      assertEquals(outcomes, {
        [`granted-read ${data.path}/none`]: "skipped",
        "granted-write ./notes": "allowed",
        [`granted-write ${out.path}`]: "allowed",
        [`granted-write ${data.path}/kept.txt`]: "skipped",
        [program.probe]: "allowed",
        "granted-run no-such-program-here": "skipped",
        "granted-net a.example:443": "skipped",
      });
      assertEquals(
        of.find(({ probe }) => probe === `granted-read ${data.path}/none`)!.detail,
        "it is not there",
      );
    }
    assertEquals(await Array.fromAsync(Deno.readDir(out.path)), []);
    assertEquals(await Deno.readTextFile(`${data.path}/kept.txt`), "as it was");
  },
});

Deno.test({
  name: "audit --probe takes a Python that does not run inside for no broken grant",
  ignore: NAMESPACE_BACKENDS.length === 0,
  fn: async () => {
    await using bin = await tempFolder();
    await using place = await tempFolder();
    // A shim that leads to a program which is not shown.
    await Deno.writeTextFile(`${bin.path}/python3`, "#!/bin/sh\nexec /nowhere/python3\n", {
      mode: 0o755,
    });
    const file = await serverFile(place.path, { py: { command: "sh", args: ["x.sh"] } });
    const PATH = `${bin.path}:/usr/bin:/bin`;
    const { code, stdout } = await skep(["audit", "py", "--probe", "--json", "--mcp", file], {
      env: { PATH },
    });
    const { probes } = JSON.parse(stdout);
    type Probe = { probe: string; expected: string; outcome: string };
    const broken = (probes as Probe[])
      .filter(({ expected, outcome }) => expected === "allowed" && outcome === "denied");
    assertEquals([code, broken], [0, []]);
  },
});

Deno.test({
  name: "audit --probe finds out a grant that leaks, shows what got out, and exits with 3",
  ignore: NAMESPACE_BACKENDS.length === 0,
  fn: async () => {
    await using home = await folderWith({ ".profile": "export EDITOR=vi\n", "notes/a": "a" });
    await using place = await tempFolder();
    const leaky = (read: string) =>
      serverFile(place.path, {
        leaky: {
          command: "skep",
          args: ["mcp", "dev"],
          permissions: { read: ["${WORKSPACE}", read], run: ["bash"] },
        },
      });
    const probe = async (file: string) =>
      await skep(["audit", "leaky", "--probe", "--mcp", file], { env: { HOME: home.path } });
    const { code, stdout } = await probe(await leaky(home.path));
    assertEquals(code, 3);
    assertStringIncludes(stdout, "leaky: ");
    for (const from of ["js", "bash", "deno", "python"]) {
      assert(new RegExp(`GOT OUT +${from} +\\w+ +read-personal-file`).test(stdout), from);
    }
    assert(/attempts to get out: \d+ GOT THROUGH\n/.test(stdout));
    assertEquals((await probe(await leaky(`${home.path}/notes`))).code, 0);
  },
});

Deno.test("audit shows what a server asks for that cannot start yet, so that nothing unseen is accepted", async () => {
  await using pack = await folderWith({
    ...packOf(),
    "agents/a.persona.md": personaText(
      '{ net: ["a.example:443"], secrets: { THEME: "env:SKEP_TEST_UNSET" } }',
    ),
  });
  await using state = await tempFolder();
  const on = (...args: string[]) =>
    skep(["audit", ...args, "--persona", pack.path], { env: { SKEP_STATE_DIR: state.path } });
  const [text, json] = await Promise.all([on(), on("--json")]);
  assertEquals([text.code, json.code], [3, 3]);
  assertEquals(
    text.stdout,
    'dev: Cannot grant secrets.THEME "env:SKEP_TEST_UNSET" to server "dev": there is nothing in it\n' +
      "  what it asks for\n" +
      "    + command: skep mcp dev\n" +
      "    + net: a.example:443\n" +
      "    + secrets: THEME=env:SKEP_TEST_UNSET\n",
  );
  assertEquals(JSON.parse(json.stdout).asked.net, ["a.example:443"]);
  const accepted = await on("--accept");
  assertStringIncludes(accepted.stdout, "    + net: a.example:443\n");
  assertStringIncludes(accepted.stderr, "may do what is shown above");
});
