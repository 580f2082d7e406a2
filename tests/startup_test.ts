// What stands between the start of `skep acp` and its answer to `initialize`, which every editor waits for.
import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { fromRepo } from "./harness.ts";

/** Loaded before the answer: the program, and the command's own code. */
const ROOTS = ["cli.ts", "lib/cli/acp.ts"];

Deno.test("nothing that initialize waits for loads a package or Deno's Node layer", async () => {
  const offenders: string[] = [];
  for (const [path, specifiers] of await loadedBy(ROOTS)) {
    const outside = specifiers.filter((specifier) => !specifier.startsWith("."));
    offenders.push(...outside.map((specifier) => `${path} -> ${specifier}`));
  }
  assertEquals(offenders, []);
});

Deno.test("initialize waits for few modules", async () => {
  const modules = await loadedBy(ROOTS);
  assertEquals(
    [modules.size > 10, modules.size <= 40],
    [true, true],
    [...modules.keys()].join("\n"),
  );
});

/** Every module that is loaded with `roots`, by the imports that load at once, and what each imports so. */
async function loadedBy(roots: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const left = [...roots];
  for (let path; (path = left.pop()) !== undefined;) {
    if (found.has(path)) continue;
    const specifiers = staticImports(await Deno.readTextFile(fromRepo(path)));
    found.set(path, specifiers);
    for (const specifier of specifiers) {
      if (specifier.startsWith(".")) left.push(join(dirname(path), specifier));
    }
  }
  return found;
}

/** The specifiers of a module's static imports and re-exports, those of types alone left out. */
function staticImports(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;"]*?from\s+)?"([^"]+)";/gm);
  return [...statements].filter(([, type, clause = ""]) => !type && !isTypesAlone(clause))
    .map(([, , , specifier]) => specifier!);
}

/** `{ type A, type B } from`: nothing of it is left in the program. */
function isTypesAlone(clause: string): boolean {
  const [, names] = /^\{([^}]*)\}/.exec(clause) ?? [];
  const each = names?.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return each !== undefined && each.length > 0 && each.every((name) => name.startsWith("type "));
}
