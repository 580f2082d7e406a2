// The documents against the code: what they say twice is the same, and what they name is there.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { DEFAULT_LIMITS, LIMITS } from "../lib/limits.ts";
import { readServerFile } from "../lib/persona/server_file.ts";
import { readCommand } from "../lib/sandbox/command.ts";
import { VERSION } from "../lib/version.ts";
import { fromRepo, skep, tempFolder } from "./harness.ts";
import { documentsWithTables } from "./document_tables.ts";

const LONGEST: Readonly<Record<string, number>> = {
  "README.md": 250,
  "ARCHITECTURE.md": 150,
  "CONTRIBUTING.md": 80,
};

const read = (path: string) => Deno.readTextFileSync(fromRepo(path));
const README = read("README.md");
const ARCHITECTURE = read("ARCHITECTURE.md");

Deno.test("the documents are no longer than a person reads", () => {
  for (const [path, most] of Object.entries(LONGEST)) {
    const lines = read(path).trimEnd().split("\n").length;
    assert(lines <= most, `${path} has ${lines} lines, ${most} are the most`);
  }
});

Deno.test("the tables of the documents are those of the code (deno task docs writes them)", () => {
  for (const { text, written } of documentsWithTables()) assertEquals(text, written);
});

Deno.test("links and paths in the documents lead to files", async () => {
  const missing: string[] = [];
  const pages = [...Deno.readDirSync(fromRepo("docs"))].map(({ name }) => `docs/${name}`);
  for (const document of [...Object.keys(LONGEST), "CHANGELOG.md", ...pages]) {
    const text = read(document);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) =>
      join(dirname(document), path!)
    );
    const paths = [...text.matchAll(/`((?:lib|tools|tests|personas)\/[\w./-]*\w)`/g)].map((
      [, path],
    ) => path!);
    for (const path of new Set([...links, ...paths])) {
      const isThere = await Deno.stat(fromRepo(path)).then(() => true, () => false);
      if (!isThere) missing.push(`${document}: ${path}`);
    }
  }
  assertEquals(missing, []);
});

Deno.test("every boundary of the security tables is shown by a test that exists", () => {
  const isNamed = /`((?:tests|lib)\/[\w/]+_test\.ts)`(?:: "([^"]+)")?/g;
  for (const [document, least] of [["README.md", 8], ["docs/security.md", 18]] as const) {
    const rows = [...read(document).matchAll(isNamed)];
    assert(rows.length >= least, `the table of ${document} is there`);
    for (const [, path, name] of rows) {
      if (name !== undefined) assertStringIncludes(read(path!), name, `${path}: ${name}`);
    }
  }
});

Deno.test("the examples of docs/grants.md are entries that are read, of ten different servers", async () => {
  const [, section = ""] = /^## Examples\n([^]*?)^## /m.exec(read("docs/grants.md")) ?? [];
  const found: unknown[] = [];
  for (const [, text = ""] of section.matchAll(/```json\n([^]*?)```/g)) {
    const files = { readText: () => Promise.resolve(text) };
    const { specs, problems } = await readServerFile("/m.json", files, DEFAULT_LIMITS);
    assertEquals(problems, [], text);
    for (const spec of specs) {
      const lists = Object.keys(spec.permissions ?? { none: true }).join(" ");
      found.push([spec.name, readCommand(spec).kind, lists]);
    }
  }
  assertEquals(found, [
    ["notes", "npm", "read write"],
    ["thinking", "npm", ""],
    ["memory", "npm", "write env"],
    ["docs", "npm", "net"],
    ["browser", "npm", "sys"],
    ["work", "bundled", "read write run sandbox"],
    ["look", "bundled", "read write"],
    ["repository", "native", "read write run limits sandbox"],
    ["issues", "native", "net secrets sandbox"],
    ["database", "script", "net secrets limits"],
  ]);
});

Deno.test("the README's settings are the variables that the code reads", async () => {
  const bounds = Object.values(LIMITS).flatMap(({ override }) => override as readonly string[]);
  const [, section = ""] = /^## Settings\n([^]*?)^## /m.exec(README) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const written = rows.flatMap((row) =>
    [...row.split("|")[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
  );
  const code = await codeOf(["lib", "tools"]);
  const readByCode = new Set(code.match(/(?<=")SKEP_[A-Z_]+(?=")/g));
  const isSetting = (name: string) => !bounds.includes(name) && !NO_SETTINGS.includes(name);
  assertEquals(
    [...readByCode].filter(isSetting).filter((name) => !written.includes(name)),
    [],
    "read by the code, missing in the README",
  );
  assertEquals(written.filter((name) => !code.includes(`"${name}"`)), [], "read by nobody");
});

/** Names that begin like a setting and are none: a key that is kept from servers, and what a launcher is told. */
const NO_SETTINGS = ["SKEP_PRIVATE_KEY", "SKEP_SERVER_ENVIRONMENT", "SKEP_PACK"];

Deno.test("the README's transcript is what skep says", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "notes.txt"), "buy honey\nmend the hive\n");
  const [, transcript = ""] = /<!-- transcript -->\s+```console\n([^]*?)```/.exec(README) ?? [];
  const steps = transcript.split(/^\$ /m).filter((step) => step !== "");
  let code = 0;
  for (const step of steps) {
    const [command = "", ...lines] = step.trimEnd().split("\n");
    if (command === "echo $?") {
      assertEquals(lines, [String(code)]);
      continue;
    }
    const [, ...args] = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) =>
      a ?? b ?? c ?? ""
    );
    const ended = await skep(args, { cwd: folder.path });
    code = ended.code;
    const shown = code === 0 ? ended.stdout : ended.stderr;
    const place = dirname(fromRepo("cli.ts"));
    assertStringIncludes(shown.replaceAll(place, "/opt/skep"), lines.join("\n"), command);
  }
  assertEquals(steps.length, 3);
});

Deno.test("ARCHITECTURE names functions that exist, and the arrows that a test holds", async () => {
  const steps = [...ARCHITECTURE.matchAll(/`([\w/.]+\.ts): (\w+)\(\)`/g)];
  assert(steps.length >= 10, "the main flow is there");
  for (const [, path, name] of steps) {
    const declared = new RegExp(
      `\\b(function\\*?|class|const|async) (#?${name})\\b|^ +(async )?#?${name}\\(`,
      "m",
    );
    assert(declared.test(await Deno.readTextFile(fromRepo(path!))), `${path} has no ${name}()`);
  }
  const [, literal = ""] =
    /const ARROWS[^=]*= (\{[^]*?\n\});/.exec(read("tests/architecture_test.ts")) ?? [];
  const arrows = [...literal.matchAll(/^ {2}"?([\w.]+)"?: \[([^\]]*)\]/gm)].map(([, from, to]) => {
    const targets = [...to!.matchAll(/"([^"]+)"/g)].map(([, name]) => name).filter((name) =>
      name !== "."
    );
    return [from!, targets.join(", ")] as const;
  }).filter(([from]) => from !== ".");
  const rows = [...ARCHITECTURE.matchAll(/^\| `lib\/(\w+)` +\| ([^|]*)\|/gm)].map(([, from, to]) =>
    [from!, to!.trim().replaceAll("`", "")] as const
  );
  const sorted = (pairs: readonly (readonly [string, string])[]) =>
    [...pairs].sort(([a], [b]) => a < b ? -1 : 1);
  assertEquals(
    sorted(rows),
    sorted(arrows.map(([from, to]) => [from, to === "" ? "—" : to] as const)),
  );
});

Deno.test("the CHANGELOG begins with what is not released, or with this version", () => {
  const [, first = ""] = /^## (.+)$/m.exec(read("CHANGELOG.md")) ?? [];
  assert(first === "Unreleased" || first.startsWith(VERSION), first);
});

async function codeOf(roots: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const root of roots) {
    for await (const { name, isDirectory } of Deno.readDir(fromRepo(root))) {
      const path = `${root}/${name}`;
      if (isDirectory) texts.push(await codeOf([path]));
      else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) texts.push(read(path));
    }
  }
  return texts.join("\n");
}
