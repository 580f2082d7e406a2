// The providers' page against the code.
import { assertEquals } from "@std/assert";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS, LIMITS } from "../lib/limits.ts";
import { EFFORTS } from "../lib/model/effort.ts";
import { EXTRA_FIELDS } from "../lib/model/extra_fields.ts";
import { readOperatorFile } from "../lib/model/operator_file.ts";
import { PROVIDERS } from "../lib/model/providers.ts";
import { parseScript } from "../lib/model/script_file.ts";
import { KEY_VARIABLES } from "../lib/sandbox/keys.ts";
import { fromRepo, tempFolder } from "./harness.ts";

const PAGE = await Deno.readTextFile(fromRepo("docs/providers.md"));

Deno.test("docs/providers.md has a row for each provider, as the code has it", () => {
  const code = (names: readonly string[]) =>
    names.length === 0 ? "none" : names.map((name) => `\`${name}\``).join(", ");
  const expected = [...PROVIDERS].map(([name, { endpoint, modelVariables, quirks }]) => {
    const { or } = endpoint ?? {};
    const pairs = endpoint === undefined ? [] : [endpoint, ...(or === undefined ? [] : [or])];
    const fallback = endpoint === undefined ? "none" : endpoint.defaultBaseUrl ?? "must be set";
    const cells = [
      code([name]),
      code(pairs.map(({ key }) => key)),
      code([...new Set(pairs.map(({ baseUrl }) => baseUrl))]),
      fallback,
      code(modelVariables),
      quirks,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const names = [...PROVIDERS.keys()].map((name) => `| \`${name}\` |`);
  // The formatter pads cells.
  const lines = PAGE.split("\n").map((line) => line.replaceAll(/ +/g, " "));
  const rows = lines.filter((line) => names.some((name) => line.startsWith(name)));
  assertEquals(rows, expected);
});

Deno.test("docs/providers.md names every effort, and the bounds that it speaks of", () => {
  const said = [
    EFFORTS.join(", "),
    `gets ${LIMITS.maxContextTokens.value.toLocaleString("en")} tokens`,
    `${LIMITS.discoverTimeoutS.value} s at most`,
    `up to ${LIMITS.maxRetryAfterS.value} s`,
    LIMITS.maxRetryAfterS.override[0],
    LIMITS.modelTimeoutS.override[0],
    LIMITS.modelAttempts.override[0],
    LIMITS.maxContextTokens.override[0],
  ];
  assertEquals(said.filter((each) => !PAGE.includes(each!)), []);
});

Deno.test("no server gets the key of any provider", () => {
  const keys = [...PROVIDERS.values()].flatMap(({ endpoint }) =>
    endpoint === undefined ? [] : [endpoint.key, ...(endpoint.or ? [endpoint.or.key] : [])]
  );
  assertEquals(keys.filter((key) => !KEY_VARIABLES.includes(key)), []);
});

Deno.test("docs/providers.md names every field that a persona may add to a request", () => {
  const [, list = ""] = /<!-- list extra_fields -->([\s\S]*?)<!-- end -->/.exec(PAGE) ?? [];
  assertEquals(
    list.split(",").map((name) => name.trim()),
    EXTRA_FIELDS.map((name) => `\`${name}\``),
  );
});

Deno.test("docs/providers.md shows a script that can be played, with every kind of part", () => {
  const [, text = ""] = /A test plays this file. -->\s+```yaml\n([\s\S]*?)```/.exec(PAGE) ?? [];
  const { replies, repeat } = parseScript(text, "docs/providers.md");
  const kinds = replies.map(({ steps }) => steps.map(({ type }) => type).join(" "));
  assertEquals([repeat, ...kinds], [
    "last",
    "text stop",
    "reasoning text delay call usage warning stop",
    "error",
    "text cut",
  ]);
});

Deno.test("docs/providers.md shows a models.yaml that can be used", async () => {
  const [, text = ""] = /## models\.yaml[\s\S]*?```yaml\n([\s\S]*?)```/.exec(PAGE) ?? [];
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/models.yaml`, text);
  const { files } = denoHost();
  const world = { files, limits: DEFAULT_LIMITS, configFolder: folder.path };
  const { providers, models } = await readOperatorFile(world);
  assertEquals([...providers.keys()], ["anthropic", "groq", "ollama"]);
  assertEquals(models.get("ollama:llama3:8b")?.prices, { input: 0, output: 0 });
});
