// `skep pack`, as people and CI use it.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromRepo, skep, tempFolder } from "./harness.ts";
import { DEV_TOOLS } from "../lib/cli/without_effect.ts";
import { ALL_TOOLS } from "../tools/dev/listed_tools.ts";
import { accepted, folderWith, packOf, PERSONA, writeFiles } from "./packs.ts";

const MEADOW = fromRepo("tests/fixtures/packs/meadow-core");

Deno.test("skep pack validate exits with 0 for a pack that is right, a shipped one by its name", async () => {
  const [path, name] = await Promise.all([
    skep(["pack", "validate", MEADOW]),
    skep(["pack", "validate", "guide", "--json"]),
  ]);
  assertEquals([path.code, path.stdout, path.stderr], [0, "The pack is valid.\n", ""]);
  assertEquals([name.code, JSON.parse(name.stdout)], [
    0,
    { valid: true, errors: 0, warnings: 0, problems: [] },
  ]);
});

Deno.test("skep pack validate tells every problem with its place and exits with 1", async () => {
  await using folder = await folderWith({
    ...packOf({ verison: 1 }),
    "agents/a.persona.md": PERSONA.replace("description: d", "descriptoin: d\ntemperature: hot"),
  });
  const [text, json] = await Promise.all([
    skep(["pack", "validate", folder.path]),
    skep(["pack", "validate", folder.path, "--json"]),
  ]);
  assertEquals([text.code, json.code], [1, 1]);
  assertStringIncludes(text.stdout, "\n3 errors, 1 warning.\n");
  assertStringIncludes(
    text.stdout,
    `${folder.path}/agents/a.persona.md:4:1: error: there is no field "descriptoin", did you mean "description"?\n`,
  );
  const { valid, errors, warnings, problems } = JSON.parse(json.stdout);
  assertEquals([valid, errors, warnings], [false, 3, 1]);
  assertEquals(problems[0], {
    severity: "warning",
    file: `${folder.path}/.plugin/plugin.json`,
    line: 1,
    column: 71,
    message: 'there is no field "verison", did you mean "version"?',
  });
});

Deno.test("skep pack validate exits with 0 when there are warnings alone", async () => {
  await using folder = await folderWith(packOf({ verison: 1 }));
  const { code, stdout } = await skep(["pack", "validate", folder.path]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "0 errors, 1 warning.\n");
});

Deno.test("a file of a skill that is a link out of it, or no file, was dropped without a word", async () => {
  await using folder = await folderWith({
    ...packOf({}),
    "skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nDo it.\n",
    "skills/s/good.md": "fine",
  });
  await Deno.symlink("/etc/hostname", `${folder.path}/skills/s/out.md`);
  await Deno.symlink("/no/such", `${folder.path}/skills/s/gone.md`);
  const { code, stdout } = await skep(["pack", "validate", folder.path]);
  assertEquals(code, 0);
  for (
    const line of [
      `${folder.path}/skills/s/out.md: warning: it is not used: it is a link that leads out of the skill`,
      `${folder.path}/skills/s/gone.md: warning: it is not used: it is a link that leads nowhere`,
    ]
  ) assertStringIncludes(stdout, line);
});

Deno.test("skep pack inspect shows each field with its origin, the operator's above all", async () => {
  const [json, text] = await Promise.all([
    skep(["pack", "inspect", MEADOW, "--json"], {
      env: { BUZZ_AGENT_THINKING_EFFORT: "low", SKEP_MAX_CONTEXT_TOKENS: "9000" },
    }),
    skep(["pack", "inspect", MEADOW, "--model", "a:b"]),
  ]);
  assertEquals([json.code, text.code], [0, 0]);
  const { id, personas } = JSON.parse(json.stdout);
  const lev = personas[1];
  assertEquals([id, lev.name, lev.display_name], ["com.example.meadow-core", "lev", "Lev"]);
  assertEquals(lev.fields.temperature, { value: 0.3, origin: "persona" });
  assertEquals(lev.fields.thread_replies, { value: true, origin: "pack defaults" });
  assertEquals(lev.fields.thinking, { value: "low", origin: "BUZZ_AGENT_THINKING_EFFORT" });
  assertEquals(lev.fields.max_context_tokens, { value: 9000, origin: "SKEP_MAX_CONTEXT_TOKENS" });
  assertEquals(lev.servers[0].env, ["PORT"]);
  assertEquals(json.stdout.includes("8080"), false); // a value may be a secret
  assertMatch(text.stdout, /^ {2}model: a:b \(--model\)$/m);
  assertMatch(text.stdout, /^ {2}not used in chat and acp: subscribe, triggers,/m);
});

Deno.test("skep pack inspect shows no text of a pack as a line of its own, and nothing that steers a terminal", async () => {
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace(
      "description: d",
      'description: "d\\n  permissions: none\\e[2K\\u202e"\navatar: https://a.example/b.png',
    ),
  });
  const { code, stdout } = await skep(["pack", "inspect", folder.path]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "\n  d\\n  permissions: none\\u{1b}[2K\\u{202e}\n");
  assertStringIncludes(stdout, "\n  avatar: https://a.example/b.png\n");
});

Deno.test("skep pack inspect shows servers that are switched off, and what the operator's policy says", async () => {
  const servers = "permissions: { net: [] }\nlimits: { max_rounds: 5 }\n" +
    "mcp_servers:\n  - { name: idle, command: x, enabled: false }";
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${servers}`),
    "policy.yaml": "permissions: { run: [] }\n",
  });
  const args = ["pack", "inspect", folder.path, "--policy", `${folder.path}/policy.yaml`];
  const { code, stdout } = await skep(args, { env: { SKEP_MAX_ROUNDS: "3" } });
  assertEquals(code, 0);
  assertStringIncludes(stdout, "\n  server idle (persona): switched off\n");
  assertStringIncludes(
    stdout,
    `\n  permissions: {"net":[]} (persona)\n  permissions: {"run":[]} (${folder.path}/policy.yaml)\n`,
  );
  assertStringIncludes(
    stdout,
    "\n  limit max_rounds: 3 (SKEP_MAX_ROUNDS)\n  hints: on (built-in)\n",
  );
});

Deno.test("skep why says of a persona's server that it is switched off", async () => {
  const servers = "mcp_servers:\n  - { name: idle, command: x, enabled: false }";
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${servers}`),
  });
  const { code, stdout } = await skep(["why", "idle", "--persona", folder.path]);
  assertEquals(code, 0);
  assertStringIncludes(
    stdout,
    `server "idle" is switched off by its entry in ${folder.path}/agents/a.persona.md`,
  );
});

Deno.test("skep pack init makes a pack that is right and answers, and overwrites nothing", async () => {
  await using folder = await tempFolder();
  const pack = `${folder.path}/my-pack`;
  const made = await skep(["pack", "init", pack]);
  assertEquals([made.code, made.stderr.split("\n")], [0, [
    `Accept what its server may do: skep audit --accept --persona ${pack}`,
    `Then talk to it: skep chat --persona ${pack}`,
    "",
  ]]);
  const [valid, prompt, again, bad] = await Promise.all([
    skep(["pack", "validate", pack]),
    skep(["prompt", "--persona", pack, "--json"], { env: await accepted(pack) }),
    skep(["pack", "init", pack]),
    skep(["pack", "init", `${folder.path}/Bad Name`]),
  ]);
  assertEquals([valid.code, valid.stdout], [0, "The pack is valid.\n"]);
  assertStringIncludes(JSON.parse(prompt.stdout).system, "You are My Pack.");
  assertStringIncludes(JSON.parse(prompt.stdout).system, "- my-pack-notes: ");
  assertEquals([again.code, again.stderr], [
    1,
    `skep: Cannot make a pack in ${pack}: it is not empty\n`,
  ]);
  assertEquals(bad.code, 1);
});

Deno.test("skep pack names what it cannot do", async () => {
  const [action, missing, uninstalled] = await Promise.all([
    skep(["pack", "validat", "x"]),
    skep(["pack", "validate", "/no/such"]),
    skep(["pack", "install", "/no/such.zip"]),
  ]);
  assertEquals([uninstalled.code, uninstalled.stderr], [
    1,
    "skep: Cannot install /no/such.zip: there is no such file or folder\n",
  ]);
  assertEquals([action.code, action.stderr], [
    1,
    'skep: skep pack has no action "validat": did you mean validate?\n',
  ]);
  assertEquals([missing.code, missing.stderr], [
    1,
    'skep: Cannot find the pack "/no/such": there is no /no/such\n',
  ]);
});

Deno.test("one persona of a pack could not be named to skep pack", async () => {
  await using elsewhere = await tempFolder();
  const run = (action: string, ...rest: string[]) =>
    skep(["pack", action, ...rest], { cwd: elsewhere.path });
  const [one, validated, other, exported, flag, nothing] = await Promise.all([
    run("inspect", `${MEADOW}#lev`, "--json"),
    run("validate", `${MEADOW}#lev`),
    run("inspect", `${MEADOW}#lav`),
    run("export", `${MEADOW}#lev`),
    run("inspect", MEADOW, "--persona", "lev"),
    run("validate", ""),
  ]);
  const { personas } = JSON.parse(one.stdout);
  assertEquals(personas.map(({ name }: { name: string }) => name), ["lev"]);
  assertEquals([validated.code, validated.stdout], [0, "The pack is valid.\n"]);
  assertEquals([other.code, other.stderr], [
    1,
    `skep: Cannot find the persona "${MEADOW}#lav": the pack has skip, lev, bana. Did you mean "lev"?\n`,
  ]);
  assertEquals([exported.code, exported.stderr], [
    1,
    'skep: skep pack export takes a whole pack, or a persona file alone: leave out "#lev"\n',
  ]);
  assertEquals([flag.code, flag.stderr], [
    1,
    "skep: skep pack inspect takes no --persona: name it as PACK, or PACK#NAME\n",
  ]);
  assertEquals([nothing.code, nothing.stdout], [1, ""]);
});

Deno.test("skep pack export into a folder that is not there is no defect of skep", async () => {
  await using folder = await folderWith(packOf());
  const file = `${folder.path}/none/x.zip`;
  const { code, stderr } = await skep(["pack", "export", folder.path, file]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, `skep: Cannot write ${file}: No such file or directory`);
});

Deno.test("skep pack validate warns of a provider that is not there, which chat would refuse", async () => {
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace("description: d", "description: d\nmodel: gpt"),
  });
  const { code, stdout } = await skep(["pack", "validate", folder.path]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, 'warning: Cannot use the model "gpt": there is no provider "gpt"');
});

Deno.test("skep audit refuses a server whose arguments name nothing, as chat does", async () => {
  const servers = 'mcp_servers:\n  - { name: u, command: echo, args: ["${NOPE}"] }';
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${servers}`),
  });
  const { code, stdout } = await skep(["audit", "--persona", folder.path]);
  assertEquals(code, 3);
  assertStringIncludes(stdout, 'Cannot start server "u": ${NOPE} in its args stands for nothing');
});

Deno.test("skep pack export and install move a pack, by its digest, and overwrite nothing silently", async () => {
  await using folder = await tempFolder();
  const env = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  const zip = `${folder.path}/meadow.zip`;
  const exported = await skep(["pack", "export", MEADOW, zip, "--json"]);
  assertEquals(exported.code, 0);
  const { digest } = JSON.parse(exported.stdout);
  assertEquals((await skep(["pack", "export", MEADOW, zip])).code, 1); // it is there
  const install = (...more: string[]) => skep(["pack", "install", zip, "--json", ...more], { env });
  const other = await install("--digest", `sha256:${"0".repeat(64)}`);
  assertEquals(other.code, 1);
  assertStringIncludes(
    JSON.parse(other.stderr).message,
    `its digest is ${digest}, and not sha256:000`,
  );
  const installed = await install("--digest", digest);
  assertEquals(installed.code, 0);
  const { id, folder: target } = JSON.parse(installed.stdout);
  assertEquals([id, target], ["com.example.meadow-core", `${folder.path}/packs/${id}`]);
  const lock = JSON.parse(await Deno.readTextFile(`${folder.path}/packs/packs.lock.json`));
  assertEquals(lock.packs[id], { version: "0.1.0", from: zip, digest });
  const again = await install();
  assertStringIncludes(
    JSON.parse(again.stderr).message,
    `there is version 0.1.0 (${digest}) already`,
  );
  assertEquals((await install("--replace")).code, 0);
  const names = [];
  for await (const { name } of Deno.readDir(`${folder.path}/packs`)) names.push(name);
  assertEquals(names.sort(), [".lock", id, "packs.lock.json"]);
});

Deno.test("an installed pack is found by its id, as long as its files are those that were installed", async () => {
  await using folder = await folderWith({ "from/plugin.json": "" });
  const pack = `${folder.path}/my-pack`;
  const installing = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  await skep(["pack", "init", pack]);
  assertEquals((await skep(["pack", "install", pack], { env: installing })).code, 0);
  const env = {
    ...installing,
    ...await accepted(`${folder.path}/packs/com.example.my-pack`),
  };
  const args = ["prompt", "--json", "--persona", "com.example.my-pack"];
  const found = await skep(args, { env });
  assertStringIncludes(JSON.parse(found.stdout).system, "You are My Pack.");
  const file = `${folder.path}/packs/com.example.my-pack/instructions.md`;
  await Deno.writeTextFile(file, "Obey me.");
  const changed = await skep(args, { env });
  assertEquals([changed.code, changed.stdout], [1, ""]);
  assertStringIncludes(changed.stderr, "its files are not those that were installed");
});

Deno.test("an installed pack that was changed was validated, inspected and exported silently", async () => {
  await using folder = await folderWith(packOf({ id: "x" }));
  await using packs = await tempFolder();
  const env = { SKEP_PACKS_DIR: packs.path };
  const pack = `${packs.path}/x`;
  assertEquals((await skep(["pack", "install", folder.path], { env })).code, 0);
  assertEquals((await skep(["pack", "validate", "x"], { env })).code, 0);
  const persona = `${pack}/agents/a.persona.md`;
  await Deno.writeTextFile(persona, `${PERSONA} and obey me`);
  const runs = [["validate", "x"], ["validate", persona], ["inspect", pack], ["export", "x"]];
  for (const args of runs) {
    const { code, stdout, stderr } = await skep(["pack", ...args], { env });
    assertEquals([args, code], [args, 1]);
    assertStringIncludes(stdout + stderr, `${pack}: `);
    assertStringIncludes(stdout + stderr, "its files are not those that were installed (sha256:");
  }
});

Deno.test("skep pack install refuses what is no pack, and leaves nothing behind", async () => {
  await using folder = await folderWith({ "a/README.md": "no pack", "b.zip": "no archive" });
  const env = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  await Deno.symlink("/etc/passwd", `${folder.path}/link`);
  const all = await Promise.all(
    ["a", "b.zip", "link", "none"].map((name) =>
      skep(["pack", "install", `${folder.path}/${name}`], { env })
    ),
  );
  assertEquals(all.map(({ code, stdout }) => [code, stdout]), Array(4).fill([1, ""]));
  assertEquals(await Deno.stat(env.SKEP_PACKS_DIR).then(() => true, () => false), false);
});

Deno.test("a pack with a hook that is a program could not be installed: its executable bit was lost", async () => {
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace(
      "description: d",
      "description: d\nhooks: { on_start: hooks/s.sh }",
    ),
    "hooks/s.sh": "#!/bin/sh\nexit 0\n",
  });
  await Deno.chmod(`${folder.path}/hooks/s.sh`, 0o755);
  await using packs = await tempFolder();
  const zip = `${packs.path}/x.zip`;
  assertEquals((await skep(["pack", "export", folder.path, zip])).code, 0);
  for (const [source, target] of [[folder.path, "a"], [zip, "b"]] as const) {
    const env = { SKEP_PACKS_DIR: `${packs.path}/${target}` };
    const { code, stderr } = await skep(["pack", "install", source, "--json"], { env });
    assertEquals([source, code, stderr], [source, 0, ""]);
    const { mode } = await Deno.stat(`${packs.path}/${target}/x/hooks/s.sh`);
    assertEquals((mode ?? 0) & 0o777, 0o700);
  }
});

Deno.test("a pack with the id of the lock file, of a shipped persona or of no folder wrecked what is installed", async () => {
  await using folder = await tempFolder();
  const env = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  const install = async (id: string) => {
    await using pack = await folderWith(packOf({ id }));
    return await skep(["pack", "install", pack.path, "--replace"], { env });
  };
  assertEquals((await install("mine")).code, 0);
  const why = {
    "packs.lock.json": "is the name of the lock file",
    "Packs.Lock.json": "is the name of the lock file",
    "guide": "is the name of a persona that ships with skep",
    "-x": "begins with -, as options do",
    "CON": "has a name that Windows keeps for itself",
    "x.": "has a name that Windows keeps for itself",
    "Mine": 'differs from the installed "mine" in case alone',
  };
  for (const [id, reason] of Object.entries(why)) {
    const { code, stderr } = await install(id);
    assertEquals([id, code], [id, 1]);
    assertStringIncludes(stderr, `its id "${id}" ${reason}\n`);
  }
  const lock = JSON.parse(await Deno.readTextFile(`${folder.path}/packs/packs.lock.json`));
  assertEquals(Object.keys(lock.packs), ["mine"]);
});

Deno.test("a pack was valid though its id could not be installed, and its servers had other names", async () => {
  const validate = async (id: string, servers = "[]") => {
    await using pack = await folderWith({
      ...packOf({ id }),
      "agents/a.persona.md": PERSONA.replace(
        "description: d",
        `description: d\nmcp_servers: ${servers}`,
      ),
    });
    const { code, stdout } = await skep(["pack", "validate", pack.path, "--json"]);
    const { problems } = JSON.parse(stdout);
    return [code, ...problems.map(({ message }: { message: string }) => message)];
  };
  const [lock, shipped, device, plain, named] = await Promise.all([
    validate("Packs.lock.json"),
    validate("guide"),
    validate("CON"),
    validate("constructor"),
    validate("x", '[{ name: "a b", command: x }, { name: a_b, command: x }]'),
  ]);
  const cannot = "it cannot be installed";
  assertEquals(lock, [1, `its id "Packs.lock.json" is the name of the lock file: ${cannot}`]);
  assertEquals(shipped, [
    1,
    `its id "guide" is the name of a persona that ships with skep: ${cannot}`,
  ]);
  assertEquals(device, [1, `its id "CON" has a name that Windows keeps for itself: ${cannot}`]);
  assertEquals(plain, [0]);
  assertEquals([named?.[0], String(named?.[1]).split(",")[0]], [
    0,
    'the server "a b" is known as "a_b-2"',
  ]);
});

Deno.test("an installed pack with an id that objects have could not be told from one that is not there", async () => {
  await using folder = await tempFolder();
  const env = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  await writeFiles(`${folder.path}/packs/constructor`, packOf({ id: "constructor" }));
  await writeFiles(`${folder.path}/packs/__proto__`, packOf({ id: "__proto__" }));
  await Deno.writeTextFile(`${folder.path}/packs/packs.lock.json`, '{"version":1,"packs":{}}');
  for (const id of ["constructor", "__proto__"]) {
    const validated = await skep(["pack", "validate", id], { env });
    assertEquals(validated.code, 1);
    assertStringIncludes(validated.stdout, "it is not in the lock file: install it anew");
    await using pack = await folderWith(packOf({ id }));
    const replaced = await skep(["pack", "install", pack.path], { env });
    assertStringIncludes(replaced.stderr, "there is something already: give --replace");
    assertEquals((await skep(["pack", "install", pack.path, "--replace"], { env })).code, 0);
    assertEquals((await skep(["pack", "validate", id], { env })).code, 0);
  }
});

Deno.test("packs that were installed at once lost their entries in the lock file", async () => {
  await using folder = await tempFolder();
  const ids = ["q1", "q2", "q3", "q4"];
  const env = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  for (const id of ids) await writeFiles(`${folder.path}/${id}`, packOf({ id }));
  const all = await Promise.all(
    ids.map((id) => skep(["pack", "install", `${folder.path}/${id}`], { env })),
  );
  assertEquals(all.map(({ code }) => code), [0, 0, 0, 0]);
  const lock = JSON.parse(await Deno.readTextFile(`${folder.path}/packs/packs.lock.json`));
  assertEquals(Object.keys(lock.packs), ids);
});

Deno.test("skep pack validate said nothing of an option that no provider is sent", async () => {
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace(
      "description: d",
      "description: d\nprovider: { bogus_field: 1, seed: 2 }",
    ),
  });
  const { code, stdout } = await skep(["pack", "validate", folder.path]);
  assertEquals(code, 0);
  assertStringIncludes(
    stdout,
    'warning: no provider is sent the option "bogus_field": it is not used\n',
  );
  assertStringIncludes(stdout, "0 errors, 1 warning.\n");
});

Deno.test("skep pack export of a persona file alone took what lies beside it, and could not be installed", async () => {
  await using folder = await folderWith({
    "solo/solo.persona.md": PERSONA.replace(
      "description: d",
      "description: d\nhooks: { on_stop: hooks/a.ts }",
    ),
    "solo/hooks/a.ts": "",
    "solo/hooks/.env": "KEY=1",
    "solo/.env": "KEY=1",
    "solo/notes.txt": "mine",
  });
  const env = { SKEP_PACKS_DIR: `${folder.path}/packs` };
  const zip = `${folder.path}/solo.zip`;
  const made = await skep(["pack", "export", `${folder.path}/solo/solo.persona.md`, zip]);
  assertEquals([made.code, made.stderr], [
    0,
    "hooks/.env is left out: a file of variables may hold keys\n",
  ]);
  assertEquals((await skep(["pack", "install", zip], { env })).code, 0);
  const names = [];
  for await (const { name } of Deno.readDir(`${folder.path}/packs/a`)) names.push(name);
  assertEquals(names.sort(), [".plugin", "hooks", "solo.persona.md"]);
});

Deno.test("rules, disabled tools and parts of a policy that speak of nothing were silent", async () => {
  assertEquals([...DEV_TOOLS].sort(), ALL_TOOLS.map(({ name }) => name).sort());
  const frontmatter = `mcp_servers:
  - name: dev
    command: skep
    args: [mcp, dev]
    disabled_tools: [todo, wirte_file]
  - name: fs
    command: x
approvals:
  - ask: dve__shell
  - deny: "dev__shel"
  - deny: "*__shell"
  - ask: "fs__anything"
  - ask: load_skill
  - ask: shell`;
  await using folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${frontmatter}`),
    "policy.yaml": `approvals: [{ ask: "git__*" }, { ask: "*" }]
servers: { dev: {}, gone: {} }
hooks: { servers: [fs, guard] }
`,
  });
  const [validated, inspected] = await Promise.all([
    skep(["pack", "validate", folder.path, "--json"]),
    skep(["pack", "inspect", folder.path, "--policy", `${folder.path}/policy.yaml`]),
  ]);
  assertEquals(validated.code, 0);
  const has = "the persona has no such server (it has dev, fs)";
  assertEquals(
    JSON.parse(validated.stdout).problems.map((
      { line, message }: { line: number; message: string },
    ) => `${line}: ${message}`),
    [
      `13: the rule "ask dve__shell" speaks of no call: ${has}, did you mean "dev__shell"?`,
      '14: the rule "deny dev__shel" speaks of no call: there is no such tool, did you mean "dev__shell"?',
      `18: the rule "ask shell" speaks of no call: ${has}`,
      '9: server "dev" has no tool "wirte_file", did you mean "write_file"?',
    ],
  );
  const shown = inspected.stdout.split("\n").filter((line) =>
    line.startsWith("  without effect: ")
  );
  const policy = `(${folder.path}/policy.yaml)`;
  assertEquals(shown.slice(3).map((line) => line.replace("  without effect: ", "")), [
    `ask git__*: ${has} ${policy}`,
    `servers.gone: ${has} ${policy}`,
    `hooks of guard: ${has} ${policy}`,
  ]);
  assertStringIncludes(shown[0] ?? "", "ask dve__shell: ");
});

Deno.test("a pack was valid whose servers' scripts and programs are not in it", async () => {
  await using folder = await folderWith({
    ...packOf(),
    "good.ts": "",
    "plain.sh": "#!/bin/bash\n",
    ".mcp.json": `{"mcpServers": {
"good": {"command": "good.ts"},
"work": {"command": "\${WORKSPACE}/there.ts"},
"elsewhere": {"command": "no-such-program-here"},
"gone": {"command": "\${PACK}/gone.ts"},
"native": {"command": "\${PACK}/bin/gone"},
"plain": {"command": "\${PACK}/plain.sh"}}}`,
  });
  const { code, stdout } = await skep(["pack", "validate", folder.path, "--json"]);
  const problems = JSON.parse(stdout).problems.map((
    { line, message }: { line: number; message: string },
  ) => `${line}: ${message}`);
  const cannot = (name: string, what: string) => `Cannot start server "${name}": ${what}`;
  const wanted = [
    `5: Cannot start server "gone" (command "${folder.path}/gone.ts"): there is no file ${folder.path}/gone.ts`,
    `6: ${cannot("native", `there is no file ${folder.path}/bin/gone`)}`,
    `7: ${cannot("plain", `${folder.path}/plain.sh is no program: chmod +x it`)}`,
  ];
  assertEquals([code, problems], [1, wanted]);
});
