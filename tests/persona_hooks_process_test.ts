// The scripts of a persona's pack, as confined processes around a session.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { skep } from "./harness.ts";
import { accepted, folderWith, packOf, PERSONA } from "./packs.ts";
import { says, startTurns } from "./turn_harness.ts";

/** Elsewhere nothing can confine a program, and then none runs. */
const IS_CONFINED = Deno.build.os === "linux";
const CHAT = ["chat", "--model", "offline"];

/** A pack with one script, which is a program of the pack's own. */
async function packWith(
  point: string,
  script: string,
  more = "",
): Promise<{ path: string } & AsyncDisposable> {
  const folder = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace(
      "description: d",
      `description: d\nhooks: { ${point}: { script: ./hooks/x.sh${more} } }`,
    ),
    "hooks/x.sh": `#!/bin/bash\n${script}\n`,
  });
  await Deno.chmod(`${folder.path}/hooks/x.sh`, 0o755);
  return folder;
}

Deno.test({
  name: "on_start runs before the session, and one that fails keeps it from starting",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using good = await packWith("on_start", "exit 0");
    await using bad = await packWith("on_start", "echo not today >&2; exit 3");
    const [first, second] = await Promise.all([
      skep([...CHAT, "--persona", good.path, "-p", "/help"], { env: await accepted(good.path) }),
      skep([...CHAT, "--persona", bad.path, "-p", "/help"], { env: await accepted(bad.path) }),
    ]);
    assertEquals(first.code, 0);
    assertEquals([second.code, second.stdout], [2, ""]);
    assertStringIncludes(
      second.stderr,
      "Cannot start a session: the hook on_start of a failed: it ended with 3: not today",
    );
  },
});

Deno.test({
  name: "a hook whose script was changed since it was accepted ran without a question",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using pack = await packWith("on_start", "exit 0");
    const env = await accepted(pack.path);
    const chat = () => skep([...CHAT, "--persona", pack.path, "-p", "/help"], { env });
    assertEquals((await chat()).code, 0);
    await Deno.writeTextFile(`${pack.path}/hooks/x.sh`, "#!/bin/bash\necho other\n");
    const { code, stdout, stderr } = await chat();
    assertEquals([code, stdout], [3, ""]);
    assertMatch(
      stderr,
      /it asks for more than was accepted \(server hook_on_start; - script: sha256:[0-9a-f]{64}; \+ script: sha256:/,
    );
    await accepted(pack.path);
    assertEquals((await chat()).code, 0);
  },
});

Deno.test({
  name: "on_message reads the prompt, and one that fails or takes too long refuses it",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using pack = await packWith(
      "on_message",
      "read -r line; case $line in *bad*) echo no >&2; exit 1;; *slow*) sleep 60;; esac",
    );
    const env = { ...await accepted(pack.path), SKEP_PACK_HOOK_MS: "6000" };
    const say = (text: string) => skep([...CHAT, "--persona", pack.path, "-p", text], { env });
    const [good, bad, slow] = await Promise.all([say("/help"), say("/bad"), say("/slow")]);
    assertEquals([good.code, bad.stdout, slow.stdout], [0, "", ""]);
    assertStringIncludes(
      bad.stderr,
      "The prompt was refused by the hook on_message of a: it ended with 1: no",
    );
    assertStringIncludes(slow.stderr, "on_message of a: it took longer than 6000 ms");
    assertEquals([bad.code === 0, slow.code === 0], [false, false]);
  },
});

Deno.test({
  name: "a hook reads the workspace and writes nothing of it, sees no key, and has no network",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using work = await folderWith({ "a.txt": "there" });
    const script = [
      "cat a.txt >&2",
      "touch b.txt 2>/dev/null && echo WROTE >&2",
      "echo key=$ANTHROPIC_API_KEY home=$HOME >&2",
      "(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && echo NET >&2",
      "exit 1",
    ].join("\n");
    await using pack = await packWith("on_stop", script);
    const { stderr } = await skep([
      ...CHAT,
      "--persona",
      pack.path,
      "--cwd",
      work.path,
      "-p",
      "/help",
    ], {
      env: { ...await accepted(pack.path), ANTHROPIC_API_KEY: "not-for-hooks-1234" },
    });
    assertStringIncludes(stderr, "The hook on_stop of a failed: it ended with 1: there");
    for (const text of ["WROTE", "NET", "not-for-hooks"]) {
      assertEquals(stderr.includes(text), false);
    }
    assertEquals(await Deno.stat(`${work.path}/b.txt`).then(() => true, () => false), false);
  },
});

Deno.test("with --sandbox off a pack's hook ran unconfined without a word", async () => {
  await using pack = await packWith("on_start", "exit 0");
  const args = [...CHAT, "--persona", pack.path, "--sandbox", "off", "-p", "/help"];
  const { code, stderr } = await skep(args, { env: await accepted(pack.path) });
  assertEquals(code, 0);
  assertStringIncludes(stderr, "The hooks of A run unconfined: --sandbox is off\n");
});

Deno.test("what a pack's hooks print went nowhere, and became the session's title", async () => {
  await using pack = await folderWith({
    ...packOf(),
    "agents/a.persona.md": PERSONA.replace(
      "description: d",
      "description: d\nhooks: { on_start: s.sh, on_message: m.sh, on_stop: e.sh }",
    ),
    "s.sh": "#!/bin/bash\necho branch main\n",
    "m.sh": `#!/bin/bash
case $(cat) in
  *secretly*) echo '{"decision": "deny", "reason": "no secrets"}';;
  *oddly*) echo '{"decision": deny}';;
  *quietly*) ;;
  *) echo noted >&2; printf '%20000s' x;;
esac
`,
    "e.sh": "#!/bin/bash\necho good night\n",
  });
  for (const name of ["s", "m", "e"]) await Deno.chmod(`${pack.path}/${name}.sh`, 0o755);
  await using world = await startTurns([says("ok"), says("ok")], {
    args: ["--persona", pack.path],
    env: { ...await accepted(pack.path), SKEP_LOG: "1", SKEP_PACK_HOOK_MS: "60000" },
  });
  const denied = await world.prompt("say it secretly");
  assertEquals(
    denied.error?.message,
    "The prompt was refused by the hook on_message of a: no secrets",
  );
  const odd = await world.prompt("say it oddly");
  assertStringIncludes(odd.error?.message, "on_message of a: its answer is no decision");
  await world.prompt("say it quietly");
  await world.prompt("say it");
  const said = (hook: string, text: string) =>
    `[Hook output — untrusted]\n${JSON.stringify({ hook, server: `hook_${hook}`, text })}`;
  const texts = (request: number): string[] => {
    const { content } = world.messages(request).at(-1);
    return typeof content === "string"
      ? [content]
      : content.map((each: { text: string }) => each.text);
  };
  assertStringIncludes(texts(0).join("\n"), `${said("on_start", "branch main")}\nsay it quietly`);
  assertEquals(texts(0).join("\n").includes("on_message"), false);
  const second = texts(1).join("\n");
  assertMatch(second, /^say it\n\[Hook output — untrusted\]\n\{"hook":"on_message"/);
  assertStringIncludes(second, "[... the middle of 20000 bytes is left out ...]\\n");
  assertEquals(second.length < 17_000, true);
  const { sessions } = await world.acp.request("session/list", {});
  const [{ title }] = sessions.filter((each: { sessionId: string }) =>
    each.sessionId === world.sessionId
  );
  assertEquals(title, "say it quietly");
  await world.acp.running.closeStdin();
  const { stderr } = await world.acp.running.ended;
  assertStringIncludes(stderr, "hook_on_message stderr: noted\n");
  assertStringIncludes(stderr, "hook_on_stop log: good night\n");
});

Deno.test({
  name: "a hook that changed during a session, or became a link, ran what nobody had accepted",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using outside = await folderWith({ "out.sh": "#!/bin/bash\necho FROM-OUTSIDE\n" });
    await Deno.chmod(`${outside.path}/out.sh`, 0o755);
    await using pack = await packWith(
      "on_message",
      'echo GOOD "$(cat "$(dirname "$0")/beside.txt")" "$(cat "$SKEP_PACK/data.txt")"',
    );
    const script = `${pack.path}/hooks/x.sh`;
    await Deno.writeTextFile(`${pack.path}/hooks/beside.txt`, "BESIDE");
    await Deno.writeTextFile(`${pack.path}/data.txt`, "DATA");
    const env = { ...await accepted(pack.path), SKEP_PACK_HOOK_MS: "60000" };
    await using world = await startTurns([says("1"), says("2"), says("3")], {
      args: ["--persona", pack.path],
      env,
    });
    const last = (request: number) => JSON.stringify(world.messages(request).at(-1));
    const good = await Deno.readTextFile(script);
    const refused = async (prompt: string) => {
      const { error } = await world.prompt(prompt);
      assertStringIncludes(
        error?.message,
        "The prompt was refused by the hook on_message of a: its script hooks/x.sh, or what lies beside it, " +
          `is not what was accepted. To look at it and accept it: skep audit --accept --persona ${pack.path}`,
      );
    };
    await world.prompt("one");
    assertStringIncludes(last(0), "GOOD BESIDE DATA");

    await Deno.remove(script);
    await Deno.symlink(`${outside.path}/out.sh`, script);
    await refused("a link");
    await Deno.remove(script);
    await Deno.writeTextFile(script, "#!/bin/bash\necho EVIL\n", { mode: 0o755 });
    await refused("other text");
    await Deno.writeTextFile(script, good);
    await Deno.writeTextFile(`${pack.path}/hooks/beside.txt`, "EVIL");
    await refused("other text beside it");

    await Deno.writeTextFile(`${pack.path}/hooks/beside.txt`, "BESIDE");
    await world.prompt("two");
    assertStringIncludes(last(1), "GOOD BESIDE DATA");
    await Deno.writeTextFile(script, "#!/bin/bash\necho OTHER\n");
    await accepted(pack.path);
    await world.prompt("three");
    assertStringIncludes(last(2), "OTHER");
  },
});

Deno.test({
  name: "an on_stop that changed during the session was run at its end",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using pack = await packWith("on_stop", "echo GOOD");
    const env = { ...await accepted(pack.path), SKEP_LOG: "1", SKEP_PACK_HOOK_MS: "60000" };
    await using world = await startTurns([says("1")], { args: ["--persona", pack.path], env });
    await world.prompt("one");
    await Deno.writeTextFile(`${pack.path}/hooks/x.sh`, "#!/bin/bash\necho EVIL\n");
    await world.acp.running.closeStdin();
    const { stderr } = await world.acp.running.ended;
    assertStringIncludes(stderr, "The hook on_stop of a failed: its script hooks/x.sh, or what");
    assertEquals(stderr.includes("EVIL"), false);
  },
});

Deno.test({
  name: "a hook of TypeScript runs from its copy, with what it imports from its folder",
  ignore: !IS_CONFINED,
  fn: async () => {
    await using pack = await folderWith({
      ...packOf(),
      "agents/a.persona.md": PERSONA.replace(
        "description: d",
        "description: d\nhooks: { on_start: hooks/s.ts }",
      ),
      "hooks/s.ts": 'import { word } from "./lib/word.ts"; console.error(word); Deno.exit(1);',
      "hooks/lib/word.ts": 'export const word: string = "IMPORTED";',
    });
    const env = { ...await accepted(pack.path), SKEP_PACK_HOOK_MS: "60000" };
    const { stderr } = await skep([...CHAT, "--persona", pack.path, "-p", "/help"], { env });
    assertStringIncludes(stderr, "the hook on_start of a failed: it ended with 1: IMPORTED");
  },
});
