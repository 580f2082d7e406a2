import { VERSION } from "../version.ts";

/** The files of a new pack, which works as it is, by their paths in its folder. */
export function newPack(name: string): Readonly<Record<string, string>> {
  const title = name.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
  const manifest = {
    id: `com.example.${name}`,
    name: title,
    version: "0.1.0",
    description: `What ${title} is for, in one line`,
    engines: { skep: `>=${VERSION}` },
    personas: [`agents/${name}.persona.md`],
  };
  return {
    ".plugin/plugin.json": `${JSON.stringify(manifest, undefined, 2)}\n`,
    [`agents/${name}.persona.md`]: `---
name: ${name}
display_name: ${title}
description: What it does, in one line
mcp_servers:
  - name: dev
    command: skep
    args: [mcp, dev]
    # The workspace alone. More is asked for here, and granted by whoever uses the pack.
    permissions:
      read: ["\${WORKSPACE}"]
      write: ["\${TMP}"]
skills: [./skills/${name}-notes]
---
You are ${title}. Say here who it is, what it does, and how it works.
`,
    "instructions.md": "What holds for every persona of this pack.\n",
    [`skills/${name}-notes/SKILL.md`]: `---
name: ${name}-notes
description: What this skill is about, and when to load it.
---
# Notes

Write here what is too long for the persona's own text, and is needed only now and then.
`,
  };
}
