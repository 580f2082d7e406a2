// Holds the layout: which folder of lib may import which, and what says `Deno.`.
import { assertEquals } from "@std/assert";
import { dirname, join, relative } from "@std/path";
import { fromRepo } from "./harness.ts";

/** What each part may import, beside itself. `.` stands for the files directly in lib: limits, errors, suggest, version. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  host: ["."],
  proxy: ["host", "."],
  sandbox: ["proxy", "host", "."],
  model: ["host", "."],
  oauth: ["sandbox", "host", "."],
  mcp: ["model", "sandbox", "host", "."],
  prompt: ["persona", "host", "."],
  persona: ["approval", "model", "sandbox", "host", "."],
  approval: ["host", "."],
  turn: ["mcp", "model", "host", "."],
  session: ["approval", "turn", "persona", "prompt", "mcp", "model", "sandbox", "host", "."],
  acp: ["approval", "session", "turn", "mcp", "model", "sandbox", "host", "."],
  cli: [
    "approval",
    "acp",
    "oauth",
    "session",
    "turn",
    "persona",
    "prompt",
    "mcp",
    "model",
    "sandbox",
    "host",
    ".",
  ],
  ".": [],
};

/** What a tool server may import of lib. */
const TOOLS_MAY = [
  "limits.ts",
  "errors.ts",
  "suggest.ts",
  "version.ts",
  "host/frames.ts",
  "host/join_bytes.ts",
  "host/oversized_request.ts",
  "sandbox/",
];

Deno.test("every import in lib follows an arrow of the table", async () => {
  const offenders: string[] = [];
  for await (const { path, target } of imports("lib")) {
    if (!target.startsWith("lib/")) {
      if (!path.endsWith("_test.ts")) offenders.push(`${path} -> ${target}`);
      continue;
    }
    const [from, to] = [folderOf(path), folderOf(target)];
    if (from !== to && !ARROWS[from]?.includes(to)) offenders.push(`${path} -> ${to}`);
  }
  assertEquals(offenders, []);
});

Deno.test("the arrows have no cycle", () => {
  const reach = (from: string, seen: string[]): string[] =>
    (ARROWS[from] ?? []).flatMap((to) =>
      seen.includes(to) ? [`${seen.join(" -> ")} -> ${to}`] : reach(to, [...seen, to])
    );
  assertEquals(Object.keys(ARROWS).flatMap((from) => reach(from, [from])), []);
});

Deno.test("tools import only what they may of lib, and nothing in lib imports tools", async () => {
  const offenders: string[] = [];
  for await (const { path, target } of imports("tools")) {
    if (path.endsWith("_test.ts") || !target.startsWith("lib/")) continue;
    if (!TOOLS_MAY.some((allowed) => target.slice(4).startsWith(allowed))) {
      offenders.push(`${path} -> ${target}`);
    }
  }
  assertEquals(offenders, []);
});

Deno.test("only lib/host says Deno in lib, types and tests aside", async () => {
  const offenders: string[] = [];
  for await (const path of sources("lib")) {
    if (path.startsWith("lib/host/") || path.endsWith("_test.ts")) continue;
    const text = withoutComments(await Deno.readTextFile(fromRepo(path)));
    if (/\bDeno\.(?!Signal\b)/.test(text)) offenders.push(path);
  }
  assertEquals(offenders, []);
});

/** A table with nothing else in it, which reads best whole. */
const TABLES = ["lib/limits.ts"];

Deno.test("no file is over 400 lines, tables aside, and the three to read first are under 120", async () => {
  const lengths = new Map<string, number>();
  for (const root of ["lib", "tools", "tests"]) {
    for await (const path of sources(root)) {
      lengths.set(path, (await Deno.readTextFile(fromRepo(path))).split("\n").length);
    }
  }
  assertEquals(
    [...lengths].filter(([path, lines]) =>
      !path.endsWith("_test.ts") && !TABLES.includes(path) && lines > 400
    ),
    [],
  );
  for (const path of ["lib/cli/main.ts", "lib/turn/turn.ts"]) {
    assertEquals([path, lengths.get(path)! < 120], [path, true]);
  }
});

Deno.test("no file names a package registry's host", async () => {
  const host = ["registry", "npmjs", "org"].join(".");
  const offenders: string[] = [];
  for (const path of ["deno.json", "deno.lock", "README.md", ".ci/run"]) {
    if ((await Deno.readTextFile(fromRepo(path))).includes(host)) offenders.push(path);
  }
  for (const root of ["lib", "tools", "tests", "personas"]) {
    for await (const path of files(root)) {
      if ((await Deno.readTextFile(fromRepo(path))).includes(host)) offenders.push(path);
    }
  }
  assertEquals(offenders, []);
});

async function* files(root: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(fromRepo(root))) {
    const path = `${root}/${entry.name}`;
    if (entry.isDirectory) yield* files(path);
    else if (entry.isFile) yield path;
  }
}

async function* sources(root: string): AsyncGenerator<string> {
  for await (const path of files(root)) if (path.endsWith(".ts")) yield path;
}

/** Every relative import of a file below `root`, type imports and dynamic ones too. */
async function* imports(root: string): AsyncGenerator<{ path: string; target: string }> {
  for await (const path of sources(root)) {
    const text = withoutComments(await Deno.readTextFile(fromRepo(path)));
    for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      yield { path, target: relative(fromRepo("."), join(dirname(fromRepo(path)), specifier!)) };
    }
  }
}

function folderOf(path: string): string {
  const [, folder, file] = path.split("/");
  return file === undefined ? "." : folder!;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
}
