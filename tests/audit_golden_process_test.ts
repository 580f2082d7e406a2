// The audit's screens and JSON, whole, as a person and a program get them: of the shipped personas and of
// four servers of others. `WRITE_GOLDEN=1` writes them anew; what differs between machines is written as a word.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { NAMESPACE_BACKENDS } from "./confined.ts";
import { fromRepo, serverFile, skep, tempFolder } from "./harness.ts";
import { npmProblem } from "./npm_problem.ts";

const HAS_BWRAP = NAMESPACE_BACKENDS.includes("bwrap");
/** The programs of the system alone: version managers show folders of the home folder. */
const PATH = "/usr/bin:/bin";
const registry = HAS_BWRAP ? await npmProblem() : "nothing to compare with";

for (const persona of ["guide", "builder", "reviewer", "ops"]) {
  Deno.test({
    name: `the audit of the shipped persona ${persona} is what it was`,
    ignore: !HAS_BWRAP,
    fn: async () => {
      await compare(persona, ["--persona", persona]);
    },
  });
}

const OTHERS: [name: string, needsRegistry: boolean, entry: Record<string, unknown>][] = [
  ["filesystem", true, {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "${WORKSPACE}/notes"],
  }],
  ["memory", true, {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-memory@2026.8.31"],
    permissions: { read: ["${WORKSPACE}", "/srv"], limits: { memory_mb: 512 } },
  }],
  ["forgetful", true, {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-memory@2026.8.31"],
  }],
  ["weather", false, {
    command: "sh",
    args: ["weather.sh", "--key", "${WORKSPACE}/k"],
    env: { UNITS: "metric", WEATHER_TOKEN: "abc-literal" },
    permissions: {
      read: ["${WORKSPACE}"],
      write: ["${WORKSPACE}/cache"],
      net: ["api.weather.example:443"],
      run: ["no-such-program-here"],
    },
  }],
];

for (const [name, needsRegistry, entry] of OTHERS) {
  Deno.test({
    name: `the audit of the server ${name} is what it was`,
    ignore: !HAS_BWRAP || (needsRegistry && registry !== undefined),
    fn: async () => {
      await using place = await tempFolder();
      const file = await serverFile(place.path, { [name]: entry });
      await compare(name, [name, "--mcp", file], [[place.path, "PLACE"]]);
    },
  });
}

async function compare(
  name: string,
  args: readonly string[],
  more: readonly [string, string][] = [],
): Promise<void> {
  await using work = await tempFolder();
  await using home = await tempFolder();
  for (const granted of ["notes", "cache"]) await Deno.mkdir(join(work.path, granted));
  const command = ["audit", ...args, "--cwd", work.path, "--sandbox", "bwrap"];
  const env = { PATH, HOME: home.path };
  const text = await skep(command, { env });
  const json = await skep([...command, "--json"], { env });
  assertEquals([text.code, json.code], [0, 0], text.stderr + text.stdout);
  const words: [string, string][] = [
    [work.path, "WORKSPACE"],
    [home.path, "HOME"],
    ...more,
    [join(denoDir(denoHost())), "DENO_DIR"],
    [fromRepo("."), "SKEP"],
    [Deno.execPath(), "DENO"],
  ];
  // What bounds memory and processes is the machine's.
  const isMachines = (line: string) =>
    /^ *its (limit|memory) of \d+ (processes|MiB) is /.test(line);
  // Where a program has ever stored something with Deno, that is hidden.
  const stored = join(denoDir(denoHost()), "location_data");
  const screen = text.stdout.split("\n")
    .filter((line) => !isMachines(line) && line !== `    hidden    ${stored}`).join("\n")
    .replace("  not confined\n  its", "  not confined\n    nothing that skep knows of\n  its");
  await hold(`${name}.txt`, plain(screen, words));
  const { confinement, permissions, command: line, ...audit } = JSON.parse(json.stdout);
  const own = (each: { origin: string }) => each.origin === "own files";
  const data = {
    ...audit,
    unconfined: audit.unconfined.filter((line: string) => !isMachines(line)),
    notices: audit.notices.filter((line: string) => !/limit of \d+ processes/.test(line)),
    permissions: { ...permissions, read: permissions.read.filter((each: never) => !own(each)) },
    command: line.map((word: string) =>
      word.split(",").filter((each) => !/\/npm\//.test(each)).join(",")
    ),
    confinement: {
      ...confinement,
      base: "what this machine has",
      hidden: confinement.hidden.filter((path: string) => path !== stored),
    },
  };
  await hold(`${name}.json`, plain(`${JSON.stringify(data, undefined, 2)}\n`, words));
}

/** The same on every machine. */
function plain(text: string, words: readonly [string, string][]): string {
  const named = words.reduce((rest, [path, word]) => rest.replaceAll(path, word), text);
  return named
    .replaceAll(/\/[\w/.-]*\/skep-[0-9a-f]+\//g, "/PRIVATE/")
    .replaceAll(/what programs need to run: [^;\n]*/g, "what programs need to run: …")
    .replaceAll(/\b\d+ folders of its own code/g, "… folders of its own code")
    .replaceAll(/--lock=\S*\/npm\//g, "--lock=STATE/npm/")
    .replaceAll(/ \\\n +/g, " ");
}

async function hold(file: string, found: string): Promise<void> {
  const path = fromRepo(`tests/golden/audit/${file}`);
  if (Deno.env.get("WRITE_GOLDEN") === "1") await Deno.writeTextFile(path, found);
  assertEquals(found, await Deno.readTextFile(path), file);
}
