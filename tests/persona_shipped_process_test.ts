// Holds what the document says of the shipped personas against their files, and both against what is granted.
import { assertEquals, assertMatch } from "@std/assert";
import { denoFiles } from "../lib/host/files.ts";
import { findPersona } from "../lib/persona/find.ts";
import { fromRepo, skep, tempFolder } from "./harness.ts";

const PERSONAS = ["guide", "builder", "reviewer", "ops"];

/** The row of each persona in the document's table: reads, writes, programs, network. */
async function documented(): Promise<Map<string, string[]>> {
  const text = await Deno.readTextFile(fromRepo("docs/personas.md"));
  return new Map(
    text.split("\n").filter((line) => /^\| `\w+`\s+\| `\$/.test(line)).map((line) => {
      const [, name, ...cells] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      return [name!, cells.slice(0, 4)];
    }),
  );
}

function listed(values: readonly string[] = [], none: string): string {
  const shown = values.filter((value) => value !== "${TMP}" && value !== "${HOME}");
  return shown.length === 0 ? none : shown.join(", ");
}

Deno.test("the document's table says what the shipped personas ask for, and names each of them", async () => {
  const shipped: string[] = [];
  for await (const { name } of Deno.readDir(fromRepo("personas"))) shipped.push(name);
  assertEquals(shipped.sort(), PERSONAS.toSorted());
  const table = await documented();
  assertEquals([...table.keys()], PERSONAS);
  for (const name of PERSONAS) {
    const { persona, notices } = await findPersona(name, fromRepo("personas"), "/", denoFiles());
    const { permissions = {} } = persona.servers[0]!;
    const row = [
      listed(permissions.read, "nothing"),
      listed(permissions.write, "nothing"),
      listed(permissions.run, "none"),
      listed(permissions.net, "none"),
    ];
    assertEquals([name, persona.servers.length, row, notices], [name, 1, table.get(name), []]);
  }
});

Deno.test("what a shipped persona is granted is what it asks for", async () => {
  await using folder = await tempFolder();
  const granted = async (name: string, env: Record<string, string> = {}) => {
    const args = ["audit", "--json", "--persona", name, "--cwd", folder.path];
    const { stdout, code } = await skep(args, { env });
    assertEquals(code, 0, stdout);
    const { permissions: { read, write, run, net } } = JSON.parse(stdout);
    return [read, write, run, net].map((entries: { value: string }[]) =>
      entries.map(({ value }) => value.replace(/^.*\/(bash|git)$/, "$1"))
        .filter((value) => !/\/skep-[0-9a-f]+\/(tmp|home)$/.test(value))
    );
  };
  const { path } = folder;
  const [guide, builder, open, reviewer, ops] = await Promise.all([
    granted("guide"),
    granted("builder"),
    granted("builder", { SKEP_REGISTRIES: "registry.example.com" }),
    granted("reviewer"),
    granted("ops"),
  ]);
  assertEquals(guide, [[path], [path], ["bash"], []]);
  assertEquals(builder, [[path], [path], ["bash"], []]);
  assertEquals(open, [[path], [path], ["bash"], ["registry.example.com:443"]]);
  assertEquals(reviewer, [[path], [], ["bash", "git"], []]);
  assertEquals(ops, [[path], [path], ["bash"], []]);
});

Deno.test("reviewer reads the history, and neither writes nor runs anything else", async () => {
  await using folder = await tempFolder();
  const say = (text: string) =>
    skep(["chat", "--persona", "reviewer", "--model", "offline", "--cwd", folder.path, "-p", text]);
  await new Deno.Command("git", { args: ["init", "-q", folder.path] }).output();
  await Deno.writeTextFile(`${folder.path}/a.txt`, "x");
  const [status, touch, pipe, output, job, tools] = await Promise.all([
    say('/dev__shell command="git status --short"'),
    say('/dev__shell command="touch b.txt"'),
    say('/dev__shell command="git status; touch b.txt"'),
    say(`/dev__shell command="git diff --no-index '--output=/tmp/x' /dev/null a.txt"`),
    say('/dev__shell command="git status" background=true'),
    skep(["tools", "--persona", "reviewer", "--cwd", folder.path]),
  ]);
  assertMatch(job.stdout, /Cannot run a command in the background: shell_job/);
  assertMatch(status.stdout, /\?\? a\.txt/);
  for (const { stdout } of [touch, pipe, output]) {
    assertMatch(stdout, /denied|deny|refuse|not allowed/i);
  }
  await assertMissing(`${folder.path}/b.txt`);
  assertMatch(tools.stdout, /^dev__shell /m);
  for (const name of ["write_file", "str_replace", "shell_job"]) {
    assertEquals(new RegExp(`^dev__${name} `, "m").test(tools.stdout), false);
  }
});

Deno.test({
  name: "reviewer's git ran the programs that a repository's settings name",
  ignore: Deno.build.os !== "linux", // elsewhere nothing confines a shell, and there is none
  fn: async () => {
    await using folder = await tempFolder();
    const git = (...args: string[]) =>
      new Deno.Command("git", {
        args: ["-C", folder.path, "-c", "user.name=a", "-c", "user.email=a@b.test", ...args],
      }).output();
    await git("init", "-q");
    await Deno.writeTextFile(`${folder.path}/a.txt`, "one\n");
    await git("add", ".");
    await git("commit", "-qm", "one");
    await Deno.writeTextFile(`${folder.path}/a.txt`, "another\n");
    await Deno.writeTextFile(`${folder.path}/.git/info/attributes`, "* diff=x filter=x merge=x\n");
    const program = (name: string) => `"sh -c 'echo RAN-${name} >&2; cat'"`;
    await Deno.writeTextFile(
      `${folder.path}/.git/config`,
      `[core]\nfsmonitor = ${program("monitor")}\npager = ${program("pager")}
[diff]\nexternal = ${program("external")}
[diff "x"]\ncommand = ${program("command")}\ntextconv = ${program("textconv")}
[filter "x"]\nclean = ${program("clean")}\nprocess = ${program("process")}\nrequired = true
[gpg]\nprogram = ${program("gpg")}\n[log]\nshowSignature = true\n`,
      { append: true },
    );
    const plain = await git("diff");
    assertMatch(new TextDecoder().decode(plain.stderr), /RAN-/); // the settings are as they were meant
    const say = (command: string) =>
      skep([
        ...["chat", "--persona", "reviewer", "--model", "offline", "--cwd", folder.path],
        ...["-p", `/dev__shell ${JSON.stringify({ command })}`],
      ]);
    const looks = await Promise.all(
      ["git status", "git diff", "git log -p", "git show", "git blame a.txt"].map(say),
    );
    for (const { stdout } of looks) assertMatch(stdout, /a\.txt|another/);
    assertMatch(looks[1]!.stdout, /^-one\n\+another$/m);
    const refused = await Promise.all(
      [
        "git diff --ext-diff",
        "git log -p --textconv",
        "git show --show-signature",
        "git log --help",
      ]
        .map(say),
    );
    for (const { stdout } of refused) assertMatch(stdout, /is not there: this git looks/);
    const set = await say("GIT_EXTERNAL_DIFF='echo RAN-set' git diff");
    assertMatch(set.stdout, /denied by a rule/);
    const all = [...looks, ...refused, set].map(({ stdout, stderr }) => stdout + stderr).join("");
    assertEquals(/RAN-/.exec(all.replaceAll("RAN-set", "")), null);
  },
});

Deno.test("ops asks before every command, and runs none when nobody can be asked (T74)", async () => {
  await using folder = await tempFolder();
  const args = ["chat", "--persona", "ops", "--model", "offline", "--cwd", folder.path];
  const { stdout } = await skep([...args, "-p", '/dev__shell command="touch b.txt"']);
  assertMatch(stdout, /nobody|no one|approv/i);
  await assertMissing(`${folder.path}/b.txt`);
});

async function assertMissing(path: string): Promise<void> {
  assertEquals(await Deno.stat(path).then(() => true, () => false), false);
}
