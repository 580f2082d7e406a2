import { join } from "@std/path";
import { denoFiles } from "../../lib/host/files.ts";
import { DEFAULT_LIMITS } from "../../lib/limits.ts";
import { loadPack } from "../../lib/persona/pack.ts";
import { resolvePersona } from "../../lib/persona/resolve.ts";
import { systemPrompt } from "../../lib/prompt/system_prompt.ts";
import { skillText, writeFiles } from "../packs.ts";
import { type Measurement, medians } from "./measurement.ts";

const PERSONAS = 100;
const RUNS = 7;

/** A pack of that many skills. */
async function largePack(folder: string, skills: number): Promise<void> {
  const names = Array.from({ length: PERSONAS }, (_, index) => `p${index}`);
  const personas = names.map((name) => `agents/${name}.persona.md`);
  const manifest = { id: "bench", name: "Bench", version: "1", personas };
  await writeFiles(folder, {
    ".plugin/plugin.json": JSON.stringify(manifest),
    ...Object.fromEntries(names.map((name, index) => [
      personas[index]!,
      `---\nname: ${name}\ndisplay_name: P\ndescription: d\nmodel: a:b\n---\nYou are ${name}.\n`,
    ])),
  });
  for (let from = 0; from < skills; from += 500) {
    await writeFiles(
      folder,
      Object.fromEntries(
        Array.from({ length: Math.min(500, skills - from) }, (_, index) => {
          const name = `skill-${from + index}`;
          return [`skills/${name}/SKILL.md`, skillText(name, `What ${name} does`)];
        }),
      ),
    );
  }
}

/** The time of one load and of one persona's prompt, in milliseconds. */
async function load(folder: string): Promise<number> {
  const began = performance.now();
  const { pack } = await loadPack(folder, denoFiles(), DEFAULT_LIMITS);
  const persona = resolvePersona(pack.personas[0]!, pack);
  systemPrompt({ persona, skills: persona.skills }, DEFAULT_LIMITS);
  return performance.now() - began;
}

/** A large pack's load, and the growth of it: ten times the skills against ten times their cost. */
export async function persona(): Promise<Measurement[]> {
  const root = await Deno.makeTempDir({ prefix: "skep-bench-" });
  try {
    const sizes = [0, 500, 5000];
    for (const skills of sizes) await largePack(join(root, String(skills)), skills);
    const [none, some, many] = await medians(
      sizes.map((skills) => () => load(join(root, String(skills)))),
      RUNS,
    ) as [number, number, number];
    const what = `load a pack of ${PERSONAS} personas and`;
    return [
      { what: `${what} 500 skills`, value: some, unit: "ms", reach: 200 },
      {
        what: `${what} 5000 skills`,
        value: many - none,
        unit: "ms",
        base: { what: "ten times 500 of them", value: 10 * (some - none) },
        reach: 1.2,
      },
    ];
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
