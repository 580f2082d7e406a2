// Writes a start script for this checkout: `deno task install`.
import { dirname, join } from "@std/path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const home = Deno.env.get("HOME");
if (home === undefined || !home.startsWith("/")) {
  say(Deno.stderr, "skep: cannot install: HOME is not set to an absolute path");
  Deno.exit(1);
}
const folder = join(home, ".local", "bin");
const script = join(folder, "skep");
await Deno.mkdir(folder, { recursive: true });
await Deno.writeTextFile(script, startScript(Deno.execPath(), root), { mode: 0o755 });
await Deno.chmod(script, 0o755); // a script from before keeps its mode otherwise
say(Deno.stdout, `Wrote ${script}, which runs ${root}`);
if (!(Deno.env.get("PATH") ?? "").split(":").includes(folder)) {
  say(Deno.stdout, `Add ${folder} to PATH to call it as skep.`);
}

/** The script: the Deno found now, else the one on PATH; the same permissions as the task `skep`. */
function startScript(deno: string, root: string): string {
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(root, "deno.json")));
  const words = (tasks.skep.command as string).split(" ");
  const at = words.indexOf("deno");
  const absolute: Record<string, string> = {
    "cli.ts": quoted(join(root, "cli.ts")),
    "--lock=deno.lock": `--lock=${quoted(join(root, "deno.lock"))}`,
  };
  const flags = words.slice(at + 1).map((word) => absolute[word] ?? word).join(" ");
  const variables = words.slice(0, at).map((word) => `export ${word}`);
  const found = `d=${quoted(deno)}; [ -x "$d" ] || d=deno`;
  return ["#!/bin/sh", ...variables, found, `exec "$d" ${flags} "$@"`, ""].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function say(target: { writeSync(bytes: Uint8Array): number }, line: string): void {
  target.writeSync(new TextEncoder().encode(`${line}\n`));
}
