import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { parseScript } from "./script_file.ts";

Deno.test("parseScript() reads every kind of part", () => {
  const script = `
repeat: last
replies:
  - Hello.
  - expect: README
    parts:
      - reasoning: hm
      - reasoning: ha
        block: b
        metadata: { acme: { signature: S } }
      - text: Looking.
      - delay: 50
      - warning: odd
      - call: dev__read_file
        input: { path: README.md, n: 1 }
      - call: dev__shell
        id: c7
        input: '{"command":'
        metadata: { acme: { t: 1 } }
      - call: dev__tree
      - usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 4 }
      - stop: max_tokens
        raw: length
`;
  assertEquals(parseScript(script, "s.yaml"), {
    repeat: "last",
    replies: [
      { steps: [{ type: "text", text: "Hello." }, { type: "stop", reason: "end" }] },
      {
        expect: "README",
        steps: [
          { type: "reasoning", text: "hm", block: "1" },
          { type: "reasoning", text: "ha", block: "b", metadata: { acme: { signature: "S" } } },
          { type: "text", text: "Looking." },
          { type: "delay", ms: 50 },
          { type: "warning", message: "odd" },
          { type: "call", name: "dev__read_file", input: '{"path":"README.md","n":1}' },
          {
            type: "call",
            name: "dev__shell",
            input: '{"command":',
            id: "c7",
            metadata: { acme: { t: 1 } },
          },
          { type: "call", name: "dev__tree", input: "{}" },
          { type: "usage", usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 4 } },
          { type: "stop", reason: "max_tokens", raw: "length" },
        ],
      },
    ],
  });
});

/** The steps of the only reply, its parts given as YAML in flow style. */
const stepsOf = (parts: string) =>
  parseScript(`replies: [{ parts: ${parts} }]`, "s").replies[0]?.steps;

Deno.test("parseScript() adds the stop that fits when none is written", () => {
  assertEquals(stepsOf("[{ text: a }]")?.at(-1), { type: "stop", reason: "end" });
  assertEquals(stepsOf("[{ call: t }, { text: a }]")?.at(-1), { type: "stop", reason: "calls" });
  assertEquals(stepsOf("[]"), [{ type: "stop", reason: "end" }]);
});

Deno.test("parseScript() reads errors, their code by the status when none is written", () => {
  const errors: [string, unknown][] = [
    ["{ break: true }", { type: "cut" }],
    ["{}", { type: "error", code: "PROVIDER_FAILED", message: "the script says so" }],
    [
      "{ status: 429, message: slow down }",
      { type: "error", code: "PROVIDER_FAILED", message: "slow down", status: 429 },
    ],
    [
      "{ status: 401, message: no }",
      { type: "error", code: "PROVIDER_AUTH_FAILED", message: "no", status: 401 },
    ],
    [
      "{ status: 404, message: no }",
      { type: "error", code: "PROVIDER_MODEL_NOT_FOUND", message: "no", status: 404 },
    ],
    [
      "{ code: CONTEXT_TOO_LONG, message: no }",
      { type: "error", code: "CONTEXT_TOO_LONG", message: "no" },
    ],
  ];
  for (const [error, step] of errors) {
    assertEquals(stepsOf(`[{ error: ${error} }]`) as unknown, [step]);
  }
});

Deno.test("parseScript() says where the fault is, what stands there and what was wanted", () => {
  const faults: [string, string][] = [
    ["[a", "the file: it is not YAML: "],
    ["hi", 'the file: it must be a mapping of replies, repeat; it is "hi"'],
    ["replys: []", 'the file: it has an unknown field "replys"; did you mean replies?'],
    ["answers: []", 'the file: it has an unknown field "answers"; known are replies, repeat'],
    ["{}", "the file: replies must be a list; it is missing"],
    ["replies: []", "the file: replies must hold at least one reply"],
    ["{ replies: [a], repeat: all }", 'the file: repeat must be one of last, none; it is "all"'],
    ["replies: [a, 5]", "reply 2: it must be a mapping of expect, parts; it is 5"],
    ["replies: [{ parts: a }]", 'reply 1: parts must be a list; it is "a"'],
    ["replies: [{ parts: [], expect: 5 }]", "reply 1: expect must be a string; it is 5"],
    [
      "replies: [{ parts: [{ txt: a }] }]",
      "reply 1, part 1: it must have just one of text, reasoning, call, usage, warning, delay, " +
      'stop, error; it is {"txt":"a"}',
    ],
    [
      "replies: [a, { parts: [{ text: a, call: b }] }]",
      "reply 2, part 1: it must have just one of text, reasoning, call, usage, warning, delay, " +
      "stop, error; it has text and call",
    ],
    [
      "replies: [{ parts: [{ call: a, inputs: {} }] }]",
      'reply 1, part 1: it has an unknown field "inputs"; did you mean input?',
    ],
    [
      "replies: [{ parts: [{ call: a, input: [1] }] }]",
      "reply 1, part 1: input must be a mapping, or a string as the model wrote it; it is [1]",
    ],
    [
      "replies: [{ parts: [{ text: a }, { delay: soon }] }]",
      'reply 1, part 2: delay must be a whole number of milliseconds; it is "soon"',
    ],
    [
      "replies: [{ parts: [{ usage: { inputTokens: -1 } }] }]",
      "reply 1, part 1, usage: inputTokens must be a whole number of tokens; it is -1",
    ],
    [
      "replies: [{ parts: [{ stop: done }] }]",
      "reply 1, part 1: stop must be one of end, calls, max_tokens, refusal, pause, error, other; " +
      'it is "done"',
    ],
    [
      "replies: [{ parts: [{ stop: end }, { text: a }] }]",
      "reply 1, part 2: nothing can follow a stop or an error",
    ],
    [
      "replies: [{ parts: [{ error: { break: 1 } }] }]",
      "reply 1, part 1, error: break must be true; it is 1",
    ],
    [
      "replies: [{ parts: [{ error: { code: NOPE } }] }]",
      "reply 1, part 1, error: code must be one of PROVIDER_FAILED, PROVIDER_AUTH_FAILED, " +
      'PROVIDER_MODEL_NOT_FOUND, CONTEXT_TOO_LONG; it is "NOPE"',
    ],
  ];
  for (const [text, why] of faults) {
    const error = assertThrows(() => parseScript(text, "s.yaml"), SkepError, why);
    assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: "s.yaml" }]);
    assertEquals(error.message.startsWith(`Cannot use the script s.yaml: ${why}`), true);
  }
});
