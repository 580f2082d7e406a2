// One prompt to the real command line, through the models that need no provider and through fake providers.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { FAKE_KEYS } from "./fake_provider.ts";
import {
  type Ended,
  fakeServer,
  HAS_TERMINAL,
  serverFile,
  skep,
  startInTerminal,
  startSkep,
  tempFolder,
} from "./harness.ts";
import { startPromptProvider } from "./prompt_provider.ts";

const NO_PROVIDER =
  /^No model provider is configured: .*ANTHROPIC_API_KEY.*OPENAI_COMPAT_API_KEY$/m;

Deno.test("skep chat -p answers through the real loop and a server, and reads no stdin", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "a.txt"), "hello\n");
  const args = ["chat", "-p", "/dev__read_file path=a.txt"];
  await using running = await startSkep(args, { cwd: folder.path, stdin: "not read" });
  const { code, stdout, stderr } = await running.ended; // its stdin is open all the while
  assertEquals([code, stdout], [0, "a.txt (lines 1-1 of 1)\n1:hello\n"]);
  assertMatch(stderr, NO_PROVIDER);
});

Deno.test("skep chat answers what is piped to it as one prompt", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "a.txt"), "hello\n");
  const options = { cwd: folder.path, stdin: "/dev__read_file path=a.txt\n" };
  const { code, stdout } = await skep(["chat"], options);
  assertEquals([code, stdout], [0, "a.txt (lines 1-1 of 1)\n1:hello\n"]);
});

Deno.test("skep chat refuses empty input with exit 1", async () => {
  await Promise.all(["", " \n\n"].map(async (stdin) => {
    assertEquals(await skep(["chat"], { stdin }), {
      code: 1,
      stdout: "",
      stderr: "skep: There is nothing to answer: stdin is empty\n",
    });
  }));
});

Deno.test("skep chat takes a piped prompt up to its bound, and refuses one byte more", async () => {
  const prompt = (bytes: number) => `/help\n${" ".repeat(bytes - 6)}`;
  const [within, past] = await Promise.all([
    skep(["chat"], { stdin: prompt(1_048_576) }),
    skep(["chat"], { stdin: prompt(1_048_577) }),
  ]);
  assertEquals(within.code, 0);
  assertStringIncludes(within.stdout, "/TOOL key=value");
  assertEquals([past.code, past.stdout], [1, ""]);
  assertStringIncludes(past.stderr, "more than 1048576 bytes");
});

Deno.test("the offline model says what it is, lists the tools and helps", async () => {
  const [talk, tools, help] = await Promise.all(
    ["hello", "/tools", "/help"].map((text) => skep(["chat", "-p", text])),
  );
  assertEquals([talk!.code, tools!.code, help!.code], [0, 0, 0]);
  assertMatch(talk!.stdout, /no AI/);
  assertMatch(tools!.stdout, /^\/dev__read_file path=STRING \[offset=INTEGER\]/m);
  assertMatch(help!.stdout, /SKEP_MODEL/);
});

Deno.test("a denied call is an answer of skep chat: exit 0, the denial in it", async () => {
  const { code, stdout } = await skep(["chat", "-p", "/dev__read_file path=/etc/passwd"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, 'the grant of server "dev" does not let it read "/etc/passwd"');
  assertStringIncludes(stdout, 'write read: ["/etc/passwd"] under permissions:');
});

Deno.test("skep chat --json gives the answer and how it ended as one object", async () => {
  const { code, stdout, stderr } = await skep(["chat", "--json", "-p", "/nope"]);
  assertEquals(code, 0);
  const { stop, text } = JSON.parse(stdout);
  assertEquals(stop, "end_turn");
  assertStringIncludes(text, 'There is no tool "nope"');
  const messages = stderr.trimEnd().split("\n").map((line) => JSON.parse(line).message);
  assertMatch(messages[0], NO_PROVIDER);
});

/** Plays a scripted model once, with the fault-injecting server as `fake`. */
async function play(
  script: string,
  { env = {}, knobs = [] }: { env?: Record<string, string>; knobs?: string[] } = {},
): Promise<Ended> {
  await using folder = await tempFolder();
  const path = join(folder.path, "script.yaml");
  await Deno.writeTextFile(path, script);
  const file = await serverFile(folder.path, { fake: fakeServer(knobs) });
  return await skep(["chat", "-p", "go", "--mcp", file, "--model", `script:${path}`], { env });
}

Deno.test("a scripted turn calls a tool, reads its result and answers", async () => {
  const { code, stdout, stderr } = await play(`
replies:
  - expect: go
    parts:
      - reasoning: let me see
      - text: Looking.
      - call: fake__echo
        input: { text: found it }
  - expect: found it
    parts:
      - text: "Done"
      - text: ", all of it."
`);
  assertEquals([code, stdout], [0, "Looking.\nDone, all of it.\n"]);
  assert(!NO_PROVIDER.test(stderr), "a chosen model is no missing provider");
});

Deno.test("calls of one reply run side by side, and their results come in call order (10.32 parallel ordering)", async () => {
  const { code, stdout } = await play(
    `
replies:
  - parts:
      - call: fake__echo
        input: { text: first }
      - call: fake__sleep
        input: { ms: 20 }
      - call: fake__fail
        input: { text: third failed }
      - call: fake__nope
      - call: fake__echo
        input: "{"
      - call: fake__echo
        input: { text: last }
  - expect: "first\\nslept 20\\nthird failed\\nunknown tool: fake__nope"
    parts:
      - text: in order
`,
    { knobs: ["--tool-delay=50"] },
  );
  assertEquals([code, stdout], [0, "in order\n"]);
});

Deno.test("each way in which a turn ends has its exit code, and its reason on stderr", async () => {
  const endless = "repeat: last\nreplies:\n  - parts:\n      - call: fake__echo\n";
  const ends: [script: string, code: number, stderr: RegExp, env?: Record<string, string>][] = [
    ["replies: [{ parts: [{ text: a }, { stop: end }] }]", 0, /^(?!.*skep:)/],
    [
      "repeat: last\nreplies: [{ parts: [{ text: a }, { stop: max_tokens }] }]",
      0,
      /^skep: .*\(max_tokens\)$/m,
    ],
    ["replies: [{ parts: [{ text: a }, { stop: refusal }] }]", 0, /^skep: .*\(refusal\)$/m],
    [
      endless,
      0,
      /^skep: .*\(max_turn_requests; SKEP_MAX_ROUNDS or the persona's limits set it\)$/m,
      {
        SKEP_MAX_ROUNDS: "2",
      },
    ],
    ["replies: [{ parts: [{ text: a }, { error: { break: true } }] }]", 2, /^skep: .*broke off/m],
    ["replies: [{ parts: [{ error: { status: 500, message: no luck } }] }]", 2, /^skep: no luck$/m],
    ["replies: [{ parts: [{ text: a }, { stop: other, raw: odd }] }]", 2, /^skep: .*"odd"/m],
    ["replies: [{ parts: [{ stop: maybe }] }]", 1, /^skep: .*reply 1, part 1.*"maybe"/m],
  ];
  await Promise.all(ends.map(async ([script, code, stderr, env]) => {
    const ended = await play(script, env === undefined ? {} : { env });
    assertEquals([script, ended.code], [script, code]);
    assertMatch(ended.stderr, stderr);
  }));
});

Deno.test("a reply that asks for more calls than one may gets its first 64 run (per_turn_tool_call_cap_enforced)", async () => {
  const calls = "      - { call: fake__echo, input: { text: x } }\n".repeat(65);
  const { code, stdout } = await play(
    `replies:\n  - parts:\n${calls}  - expect: "this is one more"\n    parts: [{ text: ended }]\n`,
  );
  assertEquals([code, stdout], [0, "ended\n"]);
});

for (
  const { model, path, key } of [
    { model: "anthropic:fake-1", path: "/v1/messages", key: FAKE_KEYS.anthropic },
    { model: "openai-compatible:fake-1", path: "/v1/chat/completions", key: FAKE_KEYS.openai },
  ]
) {
  Deno.test(`${model} makes a tool call round trip through its provider's protocol`, async () => {
    await using provider = startPromptProvider([
      { parts: [{ text: "Looking." }, { call: "dev__read_file", input: '{"path":"a.txt"}' }] },
      { parts: [{ text: "It says hello." }] },
    ]);
    await using folder = await tempFolder();
    await Deno.writeTextFile(join(folder.path, "a.txt"), "hello\n");
    const args = ["chat", "--model", model, "-p", "what does a.txt say?"];
    const { code, stdout, stderr } = await skep(args, { cwd: folder.path, env: provider.env });
    assertEquals([code, stdout], [0, "Looking.\nIt says hello.\n"]);
    assert(!NO_PROVIDER.test(stderr), "a chosen model is no missing provider");
    const [first, second, ...more] = provider.prompts();
    assertEquals([first?.path, second?.path, more.length], [path, path, 0]);
    const sent = JSON.stringify(first?.headers);
    assertStringIncludes(sent, key);
    assertStringIncludes(JSON.stringify(first?.body), "You are Guide.");
    assertStringIncludes(JSON.stringify(first?.body), "dev__read_file");
    assertStringIncludes(JSON.stringify(second?.body), "1:hello");
  });

  Deno.test(`${model} that is refused its key says so without showing it, with exit 2`, async () => {
    const body = JSON.stringify({ error: { message: `invalid key ${key}` } });
    await using provider = startPromptProvider([{ status: 401, body }]);
    const args = ["chat", "--model", model, "-p", "hello"];
    const { code, stdout, stderr } = await skep(args, { env: provider.env });
    assertEquals([code, stdout, provider.prompts().length], [2, "", 1]);
    assertMatch(stderr, /^skep: .*401/m);
    assert(!stderr.includes(key), "the key was shown");
  });
}

Deno.test("a provider's stream that breaks in the middle of a call runs nothing, with exit 2", async () => {
  const broken = {
    parts: [{ call: "dev__write_file", input: '{"path":"a"' }, { break: true }],
  } as const;
  await using provider = startPromptProvider([broken, broken, broken]);
  await using folder = await tempFolder();
  const args = ["chat", "--model", "anthropic:fake-1", "-p", "write"];
  const { code } = await skep(args, { cwd: folder.path, env: provider.env });
  assertEquals([code, [...Deno.readDirSync(folder.path)].length], [2, 0]);
});

Deno.test("a model that is not there, or has no key, is one line and exit 1 before a server starts", async () => {
  const models: [id: string, text: string][] = [
    ["anthropic:x", "Cannot use the provider anthropic: ANTHROPIC_API_KEY is not set"],
    ["antropic:x", "did you mean anthropic?"],
    ["anthropic", "it must name a model: anthropic:MODEL"],
    ["script:/no/such.yaml", "Cannot use the script /no/such.yaml"],
  ];
  await Promise.all(models.map(async ([model, text]) => {
    const { code, stdout, stderr } = await skep(["chat", "--model", model, "-p", "hello"]);
    assertEquals([code, stdout, stderr.trimEnd().split("\n").length], [1, "", 1]);
    assertStringIncludes(stderr, text);
  }));
});

Deno.test("a provider that nobody answers at is exit 2 after its attempts", async () => {
  const provider = startPromptProvider([]);
  await provider.close();
  const env = { ...provider.env, SKEP_MODEL_ATTEMPTS: "1" };
  const { code, stdout, stderr } = await skep(["chat", "--model", "anthropic:x", "-p", "hello"], {
    env,
  });
  assertEquals([code, stdout], [2, ""]);
  assertMatch(stderr, /^skep: .*anthropic/m);
});

Deno.test({
  name: "skep chat in a terminal: a command, ^C stops a running call, and ^D ends the conversation",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using folder = await tempFolder();
    const file = await serverFile(folder.path, { fake: fakeServer() });
    await using running = await startInTerminal(["chat", "--mcp", file]);
    const shown = (text: string) => running.until(({ stdout }) => stdout.includes(text));
    await shown("> ");
    await running.write("/fake__echo text=hello\r");
    await shown('→ fake__echo {"text":"hello"}\r\nhello\r\n');
    await running.write("/fake__sleep ms=100\r/fake__echo text=pasted\r"); // typed while an answer runs
    await shown("\r\npasted\r\n");
    await running.write("/fake__sleep ms=60000\r");
    await shown('→ fake__sleep {"ms":60000}');
    await running.write("\x03");
    await shown("skep: cancelled");
    await running.write("/fake__echo text=again\r");
    await shown("\r\nagain\r\n");
    await running.write("\x04");
    assertEquals((await running.ended).code, 0);
  },
});

Deno.test({
  name: "skep chat in a terminal ends by /exit, and by ^C twice; an error ends only its turn",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using folder = await tempFolder();
    const script = join(folder.path, "script.yaml");
    await Deno.writeTextFile(
      script,
      "replies: [{ parts: [{ error: { message: no luck } }] }, Better.]",
    );
    const args = ["chat", "--model", `script:${script}`];
    await using leaving = await startInTerminal(args);
    await using interrupting = await startInTerminal(args);
    for (const running of [leaving, interrupting]) {
      await running.until(({ stdout }) => stdout.includes("> "));
      await running.write("hello\r");
      await running.until(({ stdout }) => stdout.includes("skep: no luck"));
      await running.write("hello again\r");
      await running.until(({ stdout }) => stdout.includes("Better."));
    }
    await leaving.write("/exit\r");
    await interrupting.write("\x03");
    await interrupting.until(({ stdout }) => stdout.includes("^C again"));
    await interrupting.write("\x03");
    assertEquals([(await leaving.ended).code, (await interrupting.ended).code], [0, 0]);
  },
});

Deno.test({
  name: "^C in a terminal gives up /mcp add, and the conversation goes on",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using folder = await tempFolder();
    const hanging = join(folder.path, "hanging.ts");
    await Deno.writeTextFile(
      hanging,
      'console.error("I am up"); setInterval(() => {}, 1000);\n',
    );
    const env = { SKEP_LOG: "1" };
    await using running = await startInTerminal(["chat", "--sandbox", "off"], { env });
    const shown = (text: string) => running.until(({ stdout }) => stdout.includes(text));
    await shown("> ");
    await running.write(`/mcp add slow deno run ${hanging}\r`);
    await shown("slow stderr: I am up");
    await running.write("\x03");
    await shown('The start of server "slow" was cancelled');
    await running.write("/mcp\r");
    await shown("dev is healthy");
    assertEquals(running.stdout.includes("slow is"), false);
    await running.write("\x04");
    assertEquals((await running.ended).code, 0);
  },
});
