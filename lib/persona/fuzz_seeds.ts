// What the fuzz tests try first: texts that have a meaning of their own to YAML, JSON or JavaScript, and
// each text that a run once found a fault with.

/** Files of personas and skills. */
export const PERSONA_SEEDS: readonly string[] = [
  "",
  "---",
  "---\n---\n",
  "--- \nname: x\n---\n",
  "---\nname: x\n...\n---\nbody",
  "---\n%YAML 1.1\n---\n",
  "---\nname: a\nname: b\n---\n",
  "---\na: &a [*a]\n---\n",
  "---\n<<: *a\n---\n",
  "---\n<<: { name: x, description: d }\n---\n",
  '---\n<<: *atriggers:{"YD":null}\n---\n',
  "---\n? [a, b]\n: c\n---\n",
  "---\n__proto__: { name: x }\nname: y\n---\n",
  "---\nconstructor: x\ntoString: y\n---\n",
  "---\nname: !!binary aGk=\n---\n",
  "---\nname: .inf\ndescription: 0x10\ndisplay_name: 1_000\n---\n",
  "---\nlimits: { max_rounds: 1e400 }\n---\n",
  '---\ntriggers: { "a.b[0]": 1, "": 2 }\n---\n',
  "---\nmcp_servers: [{ name: x, env: { __proto__: y } }, null, 7]\n---\n",
  "---\nhooks: { on_start: { script: null } }\n---\n",
  "---\nname: x\ndescription: |\n  a\n   b\n\tc\n---\n",
  "\uFEFF---\r\nname: x\r\ndescription: d: e\r\n---\r\n",
  "---\n\ud800: x\n---\n",
  "---\nname: a\u0000b\ndescription: d\n---\n",
  "---\nname: ../../x\ndescription: d\n---\n",
];

/** Manifests and files of servers. */
export const MANIFEST_SEEDS: readonly string[] = [
  "",
  "null",
  "[]",
  "\uFEFF{}",
  '{"id": 1e400}',
  '{"id": "x", "id": "y"}',
  '{"__proto__": {"id": "x"}}',
  '{"id": "x", "name": "n", "version": "1", "personas": [null, "../x", "\\u0000"]}',
  '{"id": "x", "name": "n", "version": "1", "engines": {"skep": "^"}}',
  '{"id": "x", "name": "n", "version": "1", "defaults": {"triggers": []}}',
  '{"extensions": {"dev.skep": {"personas": ["/etc/passwd"]}}}',
  '{"mcpServers": {"": {"command": ""}, "__proto__": {"command": "x"}}}',
  '{"mcpServers": {"a": {"command": "x", "args": [1], "env": {"A": null}}}}',
  '{"a": "\\ud800"}',
  "{".repeat(200),
  "[".repeat(100_000),
];
