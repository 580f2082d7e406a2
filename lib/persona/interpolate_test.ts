import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { bridgeTo } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import {
  allowedVariables,
  inOwnSpelling,
  interpolate,
  interpolated,
  type Interpolation,
  inWorkspace,
  unresolvedIn,
} from "./interpolate.ts";

const ENV: Record<string, string> = { HOST: "h", EMPTY: "", ANTHROPIC_API_KEY: "key-of-a-model" };
const PERSONA = { env: { PORT: "80" }, secrets: { GH: "env:GH_TOKEN" }, pack: "/p" };

function spec(args: readonly string[], env: Readonly<Record<string, string>> = {}): ServerSpec {
  return { name: "s", command: "x", args, env, origin: { kind: "file", where: "/w/mcp.json" } };
}

function world(more: Partial<Interpolation> = {}): Interpolation {
  return { allowed: ["HOST", "EMPTY"], env: (name) => ENV[name], ...more };
}

Deno.test("interpolate() fills in what the persona names and the operator allows", () => {
  const filled = interpolate(
    spec(["--port=${PORT}", "${env:HOST}:${PORT}", "${PACK}/a", "$HOME", "$${PORT}"], {
      A: "x${HOST}",
      B: "${PORT}",
    }),
    world({ persona: PERSONA }),
  );
  assertEquals(filled.args, ["--port=80", "h:80", "/p/a", "$HOME", "${PORT}"]);
  assertEquals(filled.env, { A: "xh", B: "80" });
  assertEquals(filled.secrets, undefined);
});

Deno.test("interpolate() makes a secret of a variable whose whole value is a reference to one", () => {
  const filled = interpolate(
    spec([], { GITHUB_TOKEN: "${GH}", H: "${HOST}" }),
    world({ persona: PERSONA }),
  );
  assertEquals([filled.env, filled.secrets], [{}, { GITHUB_TOKEN: "env:GH_TOKEN", H: "env:HOST" }]);
});

Deno.test("interpolate() takes a default for what stands for nothing", () => {
  assertEquals(interpolate(spec(["${X:-a b}", "${HOST:-c}", "${EMPTY:-d}"]), world()).args, [
    "a b",
    "h",
    "d",
  ]);
});

Deno.test("interpolate() does not look into what it filled in", () => {
  const persona = { ...PERSONA, env: { A: "${B}", B: "x" } };
  assertEquals(interpolate(spec(["${A}"]), world({ persona })).args, ["${B}"]);
});

Deno.test("interpolate() refuses what stands for nothing, before anything starts", () => {
  const refusal = (args: readonly string[], more: Partial<Interpolation> = {}) => {
    const error = assertThrows(() => interpolate(spec(args), world(more)), SkepError);
    assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: "/w/mcp.json" }]);
    return error.message.replace('Cannot start server "s": ', "");
  };
  assertEquals(
    refusal(["${FOO}"]),
    "${FOO} in its args stands for nothing: name it in SKEP_INTERPOLATE=FOO; write $${FOO} for the text itself",
  );
  assertEquals(
    refusal(["a${FOO}"], { persona: PERSONA }),
    "${FOO} in its args stands for nothing: name it in the persona's env or secrets, or in SKEP_INTERPOLATE=FOO; write $${FOO} for the text itself",
  );
  assertEquals(
    refusal(["${EMPTY}"]),
    "${EMPTY} in its args stands for nothing: EMPTY is not set",
  );
  assertEquals(
    refusal(["${GH}"], { persona: PERSONA }),
    "${GH} in its args stands for nothing: a secret must be the whole value of a variable",
  );
  assertEquals(
    refusal(["${ANTHROPIC_API_KEY}"], { allowed: ["ANTHROPIC_API_KEY"] }),
    "${ANTHROPIC_API_KEY} in its args stands for nothing: it names a key of the identity or a model, which no server gets",
  );
  assertEquals(refusal(["${PACK}"]).startsWith("${PACK} in its args stands for nothing"), true);
});

Deno.test("what an editor asks for was told to be a variable of the runtime's", () => {
  const asked = spec(["${input:key}", "${userHome}/a"], { T: "x ${input:key}", H: "${HOST}" });
  const foreign =
    "stands for nothing: it is for an editor to fill in, or to ask for. Here write its value there";
  assertEquals(
    unresolvedIn(asked, world()).map(({ message }) =>
      message.replace('Cannot start server "s": ', "")
    ),
    [
      `\${input:key} in its args ${foreign}, or \${NAME} and SKEP_INTERPOLATE=NAME`,
      `\${userHome} in its args ${foreign}, or \${NAME} and SKEP_INTERPOLATE=NAME`,
      `\${input:key} in its env.T ${foreign}; or leave env.T out, and name its source under secrets: of the server's permissions, as T: "env:NAME"`,
    ],
  );
  const far = bridgeTo({ url: "https://h", headers: { K: "Bearer ${input:key}" } });
  assertEquals(
    unresolvedIn({ ...spec([]), ...far }, world()).map(({ message }) =>
      message.split(" stands ")[0]
    ),
    ['Cannot start server "s": ${input:key} in its headers'],
  );
});

Deno.test("a secret that was not set was replaced by the default beside it", () => {
  for (const place of ["args", "env"] as const) {
    const text = "${GH:-none}";
    const asked = place === "args" ? spec([text]) : spec([], { A: text });
    const { message = "" } = interpolated(asked, world({ persona: PERSONA })).problem ?? {};
    assertEquals(message.endsWith("stands for nothing: a secret takes no default"), true, message);
  }
});

Deno.test("a variable of the runtime's with a default beside it was no secret", () => {
  const filled = interpolate(
    spec([], { A: "${HOST:-x}", B: "${EMPTY:-x}", C: "${X:-x}" }),
    world(),
  );
  assertEquals([filled.env, filled.secrets], [{ B: "x", C: "x" }, { A: "env:HOST" }]);
});

Deno.test("a declared secret inside a longer text was filled in from a variable of its name", () => {
  const persona = { ...PERSONA, secrets: { HOST: "file:/x" } };
  const { problem } = interpolated(spec(["pre-${HOST}"]), world({ persona }));
  assertEquals(problem?.message.endsWith("a secret must be the whole value of a variable"), true);
});

Deno.test("a reference inside a reference, and one without an end, were taken as text", () => {
  for (
    const [text, reason] of [
      ["${G:-${HOST}}", "in its args ${G:-${HOST} holds another ${: a default is text"],
      ["a ${HOST", "in its args ${HOST has no } at its end"],
    ]
  ) {
    const { message = "" } = interpolated(spec([text!]), world()).problem ?? {};
    assertEquals(message.includes(reason!), true, message);
    assertEquals(unresolvedIn(spec([text!]), world()).map((each) => each.isMalformed), [true]);
  }
  assertEquals(interpolate(spec(["$${G:-$${HOST}}", "$${"]), world()).args, [
    "${G:-${HOST}}",
    "${",
  ]);
});

Deno.test("unresolvedIn() tells what the operator could allow from what nobody can", () => {
  const asked = spec(["${FOO}", "${GH}x", "${A B}", "${ANTHROPIC_API_KEY}", "${input:k}"]);
  assertEquals(
    unresolvedIn(asked, world({ persona: PERSONA })).map(({ path, isOperators }) => [
      path,
      isOperators,
    ]),
    [
      ["args[0]", true],
      ["args[1]", false],
      ["args[2]", false],
      ["args[3]", false],
      ["args[4]", false],
    ],
  );
});

Deno.test("inOwnSpelling() writes the workspace and variables as skep does, and leaves the rest", () => {
  assertEquals(
    ["${workspaceFolder}/a", "${env:A}${B}", "$${workspaceFolder}", "${input:k}", "$A"]
      .map(inOwnSpelling),
    ["${WORKSPACE}/a", "${A}${B}", "$${workspaceFolder}", "${input:k}", "$A"],
  );
});

Deno.test("inWorkspace() fills in the workspace, under the names that other programs use", () => {
  const filled = interpolate(
    spec(["${WORKSPACE}/a", "${workspaceFolder}"], { A: "${WORKSPACE}" }),
    world(),
  );
  const { args, env } = inWorkspace(filled, "/w$&");
  assertEquals([args, env], [["/w$&/a", "/w$&"], { A: "/w$&" }]);
});

Deno.test("interpolate() opens the network to the registries that the operator names, or to none", () => {
  const permissions = { net: ["a.example:443", "${REGISTRIES}"], run: ["bash"] };
  const net = (registries?: string) =>
    interpolate({ ...spec([]), permissions }, world({ env: () => registries })).permissions?.net;
  assertEquals(net(" r.example, p.example:8443 ,"), [
    "a.example:443",
    "r.example:443",
    "p.example:8443",
  ]);
  assertEquals([net(""), net()], [["a.example:443"], ["a.example:443"]]);
});

Deno.test("allowedVariables() reads names between commas", () => {
  assertEquals(allowedVariables(() => " A, B ,,"), ["A", "B"]);
  assertEquals(allowedVariables(() => undefined), []);
});

Deno.test("interpolate() lets a header hold secrets alone, and marks them for the bridge", () => {
  const far = (value: string): ServerSpec => ({
    ...spec([]),
    ...bridgeTo({ url: "https://h", headers: { K: value } }, { secrets: { T: "env:T" } }),
  });
  const filled = interpolate(
    far("a ${T} ${GH} ${PORT} ${HOST} $${T}"),
    world({ persona: PERSONA }),
  );
  assertEquals(filled.env, {
    BRIDGE_URL: "https://h/",
    BRIDGE_SECRET_HEADER_K: "a \x01T\x01 \x01GH\x01 80 \x01HOST\x01 ${T}",
  });
  assertEquals(filled.secrets, { GH: "env:GH_TOKEN", HOST: "env:HOST" });
  assertThrows(
    () => interpolate(far("Bearer ${OTHER}"), world()),
    SkepError,
    'Cannot start server "s": ${OTHER} in its headers stands for nothing: name it under secrets: of ' +
      'the server\'s permissions, as OTHER: "env:OTHER"',
  );
});

Deno.test("interpolated() keeps the problem of one server with that server (T28)", () => {
  const [bad, good] = [spec(["${FOO}"]), spec(["${HOST}"])].map((each) =>
    interpolated(each, world())
  );
  assertEquals(bad?.problem?.message.includes("${FOO} in its args stands for nothing"), true);
  assertEquals([good?.problem, good?.args], [undefined, ["h"]]);
});
