// The dev server's search and tree: as tools, as commands of its shell, and beside the real ripgrep.
import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { pathToFileURL } from "node:url";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import type { CommandWorld } from "../tools/dev/commands/output.ts";
import { rg } from "../tools/dev/commands/rg.ts";
import { ownCommand } from "../tools/dev/own_command.ts";
import { DevServer } from "./dev_server.ts";
import { childEnv, type Ended, fromRepo, runChild, tempFolder } from "./harness.ts";

/** A small project with what search has to mind. */
async function project(path: string): Promise<void> {
  const files: Record<string, string | Uint8Array> = {
    ".gitignore": "build/\n*.log\n!keep.log\n",
    ".hidden/x.ts": "needle hidden\n",
    "a.txt": "one needle\ntwo\nthree Needle\n",
    "build/out.ts": "needle built\n",
    "debug.log": "needle log\n",
    "keep.log": "needle kept\n",
    "src/.ignore": "gen.ts\n",
    "src/b.ts": "x\nneedle(1)\ny\nz\nq\nneedles\n",
    "src/deep/.gitignore": "/only.ts\n",
    "src/deep/c.py": "# needle ünïcode\r\nlast",
    "src/deep/more/only.ts": "needle deeper\n",
    "src/deep/only.ts": "needle only\n",
    "src/gen.ts": "needle generated\n",
    "bin.dat": new Uint8Array([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0, 1, 0x0a]),
    "weird name's.txt": "needle weird\n",
  };
  for (const [name, content] of Object.entries(files)) {
    const file = `${path}/${name}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(file, bytes);
  }
  await Deno.symlink("/etc", `${path}/src/outside`);
  await Deno.symlink(".", `${path}/src/loop`);
  await Deno.mkdir(`${path}/.git`);
}

async function ours(args: readonly string[], cwd: string, stdin?: string): Promise<Ended> {
  const main = pathToFileURL(fromRepo("tools/dev/main.ts")).href;
  const [program, ...words] = ownCommand("rg", main, Deno.execPath());
  const has = stdin === undefined ? [] : ["--has-input"];
  const env = childEnv(cwd);
  return await runChild(program!, [...words, ...has, ...args], { cwd, env, stdin: stdin ?? "" });
}

/** The same without a process of its own, which would take most of the time. */
async function inProcess(
  args: readonly string[],
  cwd: string,
): Promise<Pick<Ended, "code" | "stdout">> {
  let stdout = "";
  const sink = (take: (text: string) => void) => ({
    writeSync: (bytes: Uint8Array) => {
      take(new TextDecoder().decode(bytes));
      return bytes.length;
    },
  });
  const { readDir, readFile, readTextFile, lstat, stat, open, stdin } = Deno;
  const files = { readDir, readFile, readTextFile, lstat, stat, open, stdin };
  const out = { stdout: sink((text) => stdout += text), stderr: sink(() => {}) };
  const world = { ...files, ...out, cwd: () => cwd } as unknown as CommandWorld;
  const code = await rg(args, world, DEFAULT_LIMITS, false);
  return { code, stdout };
}

const HAS_RIPGREP = await new Deno.Command("rg", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

const SEARCHES: readonly (readonly string[])[] = [
  ["needle"],
  ["-n", "needle"],
  ["-in", "NEEDLE"],
  ["-S", "needle"],
  ["-S", "Needle"],
  ["-w", "needle"],
  ["-x", "one needle"],
  ["-c", "needle"],
  ["-l", "needle"],
  ["--files-without-match", "needles"],
  ["-g", ".hidden/**", "needle"],
  ["-nC1", "needle", "src"],
  ["-nA", "1", "-B2", "needle", "src/b.ts"],
  ["-no", "need(le|les)"],
  ["-nv", "needle", "a.txt"],
  ["-m1", "-n", "needle"],
  ["-F", "needle(1)"],
  ["needle\\(\\d\\)"],
  ["-e", "two", "-e", "last"],
  ["-g", "*.ts", "needle"],
  ["-g", "!*.ts", "needle"],
  ["-g", "src/**", "-g", "!*.py", "needle"],
  ["--glob=*.{py,txt}", "needle"],
  ["-tpy", "needle"],
  ["-Tts", "needle"],
  ["-uu", "needle"],
  ["--no-ignore", "needle"],
  ["--hidden", "-l", "needle"],
  ["--files"],
  ["--files", "src"],
  ["--files", "-g", "*.ts"],
  ["needle", "./src", "a.txt"],
  ["--max-depth", "1", "-l", "needle"],
  ["-n", "--heading", "needle"],
  ["-I", "needle", "src"],
  ["-0nC1", "needle"],
  ["-0c", "needle"],
  ["-0l", "needle"],
  ["-0", "--files"],
  ["--null", "--heading", "needle"],
  ["-H", "needle", "a.txt"],
  ["ün[^[:space:]]+code"],
  ["(?i)NEEDLE WEIRD"],
  ["\\bneedles\\b"],
  ["^(one|x)"],
  ["t$"],
  ["cod.$"],
  ["code.$"],
  ["nothing like it"],
  ["-q", "needle"],
  ["needle", "nosuch"],
  ["needle", "bin.dat"],
  ["-Hn", "needle", "bin.dat"],
  ["needle", "src/b.ts", "bin.dat"],
  ["-l", "needle", "bin.dat"],
  ["-c", "needle", "bin.dat"],
  ["--files-without-match", "nothing", "bin.dat"],
];

Deno.test({
  name: "rg of our own finds what ripgrep finds, and prints it the same",
  ignore: !HAS_RIPGREP, // nothing to compare with
  fn: async () => {
    await using folder = await tempFolder();
    await project(folder.path);
    for (let at = 0; at < SEARCHES.length; at += SIDE_BY_SIDE) {
      await Promise.all(
        SEARCHES.slice(at, at + SIDE_BY_SIDE).map((args) => compare(args, folder.path)),
      );
    }
  },
});

Deno.test({
  name: "rg of our own reads patterns as ripgrep does",
  ignore: !HAS_RIPGREP,
  fn: async () => {
    await using folder = await tempFolder();
    const lines = ["", "a", "ab", "a b", "ä.b", "aXb_9", "tab\tx", "a-b\r", "(a)", "٣", "ﬀ ſ K"];
    await Deno.writeTextFile(`${folder.path}/a`, lines.map((line) => `${line}\n`).join(""));
    const atom = fc.constantFrom(
      ...[
        "a",
        "b",
        ".",
        "\\.",
        "\\w",
        "\\W",
        "\\d",
        "\\s",
        "\\S",
        "[ab]",
        "[^a]",
        "(a|ä)",
        "(?:b|X)?",
      ],
      ...[
        ".*",
        "\\w+",
        "[[:alpha:]]",
        "\\b",
        "\\B",
        "^",
        "$",
        "a{1,2}",
        "(?i:x)",
        "\\x61",
        "\\-",
        "k",
      ],
    );
    const pattern = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join(""));
    // Without -o: ripgrep 13 forgets there what stands before a match that borders on another.
    const flags = fc.constantFrom("-n", "-ni", "-nw", "-nx", "-nv", "-c");
    await fc.assert(
      fc.asyncProperty(pattern, flags, async (pattern, flag) => {
        fc.pre(!/\$./.test(pattern)); // ripgrep looks for nothing behind the end of a line
        await compare([flag, "-e", pattern, "a"], folder.path);
      }),
      { numRuns: 150 },
    );
  },
});

const SIDE_BY_SIDE = 4;

async function compare(args: readonly string[], cwd: string): Promise<void> {
  const own = await inProcess(args, cwd);
  // Configuration aside; sorted, as ours always is.
  const words = ["--sort=path", "--no-config", ...args, ...here(args)];
  const real = await runChild("rg", words, { cwd, env: childEnv(cwd) });
  const both = [own, real].map(({ code, stdout }) => [args, code, dotless(stdout)]);
  assertEquals(both[0], both[1]);
}

/** ripgrep searches a stdin that is a pipe: the folder is named for it. */
function here(args: readonly string[]): string[] {
  const paths = ["a", "src", "./src", "src/b.ts", "a.txt", "nosuch", "bin.dat"];
  return args.some((arg) => paths.includes(arg)) ? [] : ["./"];
}

function dotless(text: string): string {
  return text.replaceAll(/(^|\0)\.\//gm, "$1");
}

Deno.test("rg of our own searches what stands on its stdin", async () => {
  await using folder = await tempFolder();
  const found = await ours(["-n", "b"], folder.path, "a\nb\n");
  assertEquals([found.code, found.stdout], [0, "2:b\n"]);
});

Deno.test("rg of our own says what it cannot do, on stderr", async () => {
  await using folder = await tempFolder();
  const bad = async (...args: string[]) => {
    const { code, stdout, stderr } = await ours(args, folder.path);
    assertEquals([code, stdout], [2, ""]);
    return stderr;
  };
  assertEquals(
    await bad("--replace", "x", "y"),
    "rg: there is no flag --replace here, see rg --help\n",
  );
  assertEquals(await bad(), "rg: a pattern is needed\n");
  assertEquals(
    await bad("-C", "x", "y"),
    "rg: -C x: it must be a whole number\n".replace("-C", "--context"),
  );
  assertMatch(await bad("(a"), /^rg: regex parse error: \(a: /);
  assertMatch(await bad("a(?=b)"), /look-around/);
  assertMatch(await bad("-t", "nosuch", "a"), /no such type/);
});

Deno.test("rg as a tool gives path, line and text, and honours ignore files", async () => {
  await using folder = await tempFolder();
  await project(folder.path);
  await using server = DevServer.withShell(folder.path);
  const rg = (args: unknown) => server.text("rg", args);
  assertEquals(
    await rg({ pattern: "needle" }),
    "a.txt:1:one needle\nkeep.log:1:needle kept\nsrc/b.ts:2:needle(1)\nsrc/b.ts:6:needles\n" +
      "src/deep/c.py:1:# needle ünïcode\r\nsrc/deep/more/only.ts:1:needle deeper\n" +
      "weird name's.txt:1:needle weird\n",
  );
  assertEquals(
    await rg({ pattern: "needle", path: "src", glob: ["*.ts"], mode: "count" }),
    "src/b.ts:2\nsrc/deep/more/only.ts:1\nsrc/deep/only.ts:1\nsrc/gen.ts:1\n",
  );
  assertEquals(
    await rg({ pattern: "NEEDLE(", fixed: true, ignore_case: "true", context: "1" }),
    "src/b.ts-1-x\nsrc/b.ts:2:needle(1)\nsrc/b.ts-3-y\n",
  );
  assertEquals(
    await rg({ mode: "list", workdir: "src" }),
    "b.ts\ndeep/c.py\ndeep/more/only.ts\n",
  );
  assertEquals(await rg({ pattern: "absent" }), "No matches");
  assertEquals(await rg({ pattern: "-e" }), "No matches");
  const bad = await server.call("rg", { pattern: "(a" });
  assertEquals(bad.isError, true);
  assertMatch(bad.content[0]!.text, /^Cannot search: .*regex parse error/s);
});

Deno.test("rg as a tool keeps a name with a line end on one line", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/a\nb:1:fake.txt`, "needle\n");
  await Deno.writeTextFile(`${folder.path}/c`, "no\nneedle\n");
  await using server = DevServer.withShell(folder.path);
  const rg = (args: unknown) => server.text("rg", args);
  assertEquals(await rg({ mode: "list" }), '"a\\nb:1:fake.txt"\nc\n');
  assertEquals(await rg({ mode: "files", pattern: "needle" }), '"a\\nb:1:fake.txt"\nc\n');
  assertEquals(await rg({ mode: "count", pattern: "needle" }), '"a\\nb:1:fake.txt":1\nc:1\n');
  assertEquals(
    await rg({ pattern: "needle", context: 1 }),
    '"a\\nb:1:fake.txt":1:needle\n--\nc-1-no\nc:2:needle\n',
  );
});

Deno.test("rg as a tool denies what lies outside of the grant, and follows no link", async () => {
  await using folder = await tempFolder();
  await project(folder.path);
  await using server = DevServer.withShell(folder.path);
  const { _meta } = await server.call("rg", { pattern: "root", path: "src/outside" });
  assertEquals(_meta, { "skep/denied": { access: "read", value: "/etc", through: "src/outside" } });
  assertEquals(await server.text("rg", { pattern: "root:" }), "No matches");
});

Deno.test("rg as a tool ends at its bound, and says that there is more", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/at`, "x\n".repeat(1000));
  await using server = DevServer.withShell(folder.path);
  assertEquals((await server.text("rg", { pattern: "x" })).endsWith("\nat:1000:x\n"), true);
  await Deno.writeTextFile(`${folder.path}/past`, "x\n");
  const text = await server.text("rg", { pattern: "x" });
  assertEquals(text.split("\n").slice(-2), [
    "at:1000:x",
    "[the first 1000 lines, there are more: narrow the pattern, the glob or the path]",
  ]);
});

Deno.test("rg as a tool gives as many bytes as its bound, and says that there are more", async () => {
  await using folder = await tempFolder();
  // Each line is shown as "a:NN:" and 251 more: 256 bytes, for which there is room 128 times.
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => "x".repeat(252 - `${at + 1}`.length) + "\n").join("");
  await Deno.writeTextFile(`${folder.path}/a`, lines(128));
  await using server = DevServer.withShell(folder.path);
  const whole = await server.text("rg", { pattern: "x" });
  assertEquals([whole.length, whole.includes("there are more")], [32 * 1024, false]);
  await Deno.writeTextFile(`${folder.path}/a`, lines(129));
  const cut = await server.text("rg", { pattern: "x" });
  assertEquals(cut.slice(0, whole.length), whole);
  assertMatch(cut.slice(whole.length), /^\[the first 32768 bytes, there are more: narrow/);
});

Deno.test("rg as a tool without a grant for bash is denied, and marked", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path, [], ["--unconfined"]);
  const { isError, _meta } = await server.call("rg", { pattern: "x" });
  assertEquals([isError, _meta], [true, { "skep/denied": { access: "run", value: "bash" } }]);
});

Deno.test("rg as a tool survives a line of 100 MB", async () => {
  await using folder = await tempFolder();
  const file = await Deno.open(`${folder.path}/long`, { write: true, create: true });
  const part = new TextEncoder().encode("needle ".repeat(150_000));
  for (let count = 0; count < 100; count++) await file.write(part);
  file.close();
  await using server = DevServer.withShell(folder.path);
  const text = await server.text("rg", { pattern: "needle" });
  assert(text.length < 40_000, `${text.length} characters`);
});

Deno.test("tree counts lines of what is not ignored, sums whatever the depth", async () => {
  await using folder = await tempFolder();
  await project(folder.path);
  await using server = DevServer.withShell(folder.path);
  const name = folder.path.slice(folder.path.lastIndexOf("/") + 1);
  assertEquals(
    await server.text("tree", {}),
    `${name}/  [14]\n  a.txt  [3]\n  bin.dat  [binary, 9 B]\n  keep.log  [1]\n  src/  [9]\n` +
      "    b.ts  [6]\n    deep/  [3]\n      c.py  [2]\n      more/  [1]\n        only.ts  [1]\n" +
      "  weird name's.txt  [1]\n",
  );
  assertEquals(
    await server.text("tree", { path: "src", depth: 1, sizes: true }),
    "src/  [9, 64 B]\n  b.ts  [6, 26 B]\n  deep/  [3, 38 B]\n",
  );
  assertEquals(
    await server.text("tree", { path: "a.txt" }),
    'Cannot show "a.txt": it is not a folder that exists',
  );
});

Deno.test("rg and tree are commands of the shell", async () => {
  await using folder = await tempFolder();
  await project(folder.path);
  await using server = DevServer.withShell(folder.path);
  const run = (command: string) => server.text("shell", { command });
  assertMatch(await run("rg -l needles"), /^src\/b.ts\n\[exit code 0/);
  assertMatch(await run("printf 'a\\nb\\n' | rg b"), /^b\n\[exit code 0/);
  assertMatch(
    await run("tree -d 1 src"),
    /^src\/ {2}\[9\]\n {2}b.ts {2}\[6\]\n {2}deep\/ {2}\[3\]\n\[exit code 0/,
  );
  assertMatch(await run("tree --nope"), /^tree: there is no flag --nope\n\[exit code 2/);
  assertMatch(await run("cat a.txt | PATH=$TMPDIR/skep-dev/bin:/bin rg two"), /^two\n/);
});
