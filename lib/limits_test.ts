import { assert, assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "./errors.ts";
import { DEFAULT_LIMITS, type Limit, LIMITS, type Limits, readLimits } from "./limits.ts";

const ALL = Object.entries<Limit>(LIMITS);

function read(variables: Readonly<Record<string, string>>): Limits {
  return readLimits((name) => variables[name]);
}

Deno.test("LIMITS gives every bound a reason, a consequence and a value that an override could set", () => {
  for (const [name, { value, reason, past, least }] of ALL) {
    assert(reason !== "" && past !== "", name);
    assert(Number.isSafeInteger(value) && Number.isSafeInteger(least), name);
    assert(value >= least, `${name} is ${value}, below its least ${least}`);
  }
});

Deno.test("LIMITS takes no variable for two bounds, and ours before those of others", () => {
  const variables = ALL.flatMap(([, { override }]) => override);
  assertEquals(variables.length, new Set(variables).size);
  for (const [name, { override }] of ALL) {
    const [first = "SKEP_"] = override;
    assert(first.startsWith("SKEP_"), `${name} is set by ${first}`);
  }
});

Deno.test("LIMITS lets a cancelled prompt be answered within a second, whatever a server does", () => {
  const { lastOutputMs, settleTurnMs, stopShellMs } = DEFAULT_LIMITS;
  assert(lastOutputMs + settleTurnMs < 1000);
  assert(stopShellMs < lastOutputMs, "a command that ignores TERM still tells what it wrote");
});

Deno.test("readLimits() gives the defaults when nothing is set", () => {
  assertEquals(read({}), DEFAULT_LIMITS);
  assertEquals(DEFAULT_LIMITS.maxRounds, 1000);
});

Deno.test("readLimits() takes each variable exactly at its least, and refuses one below", () => {
  for (const [name, { override, least, unit }] of ALL) {
    for (const variable of override) {
      assertEquals(read({ [variable]: String(least) })[name as keyof Limits], least);
      if (least === 0) continue;
      const error = assertThrows(() => read({ [variable]: String(least - 1) }), SkepError);
      assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: variable }]);
      assertEquals(
        error.message,
        `Cannot use ${variable}="${
          least - 1
        }": it must be a whole number of ${unit}, at least ${least}`,
      );
    }
  }
});

Deno.test("readLimits() lets our variable win over the one of another program", () => {
  const variables = { SKEP_MAX_ROUNDS: "5", BUZZ_AGENT_MAX_ROUNDS: "7" };
  assertEquals(read(variables).maxRounds, 5);
  assertEquals(read({ BUZZ_AGENT_MAX_ROUNDS: "7" }).maxRounds, 7);
});

Deno.test("readLimits() refuses what is no whole number", () => {
  for (const value of ["", " ", "many", "1.5", "-1", "1e3", "0x10", " 5", "9007199254740993"]) {
    const error = assertThrows(() => read({ SKEP_MAX_ROUNDS: value }), SkepError);
    assertEquals(error.code, "CONFIG_INVALID");
  }
});

Deno.test("readLimits() reads every bound that buzz-agent's variables set", () => {
  const names: [string, keyof Limits][] = [
    ["BUZZ_AGENT_HOOK_TIMEOUT_MS", "hookTimeoutMs"],
    ["BUZZ_AGENT_LLM_TIMEOUT_SECS", "modelTimeoutS"],
    ["BUZZ_AGENT_MAX_CONTEXT_TOKENS", "maxContextTokens"],
    ["BUZZ_AGENT_MAX_HANDOFFS", "maxCompactions"],
    ["BUZZ_AGENT_MAX_LINE_BYTES", "maxFrameBytes"],
    ["BUZZ_AGENT_MAX_OUTPUT_TOKENS", "maxOutputTokens"],
    ["BUZZ_AGENT_MAX_PARALLEL_TOOLS", "maxParallelCalls"],
    ["BUZZ_AGENT_MAX_ROUNDS", "maxRounds"],
    ["BUZZ_AGENT_MAX_SESSIONS", "maxSessions"],
    ["BUZZ_AGENT_MAX_TOKEN_RECOVERIES", "maxTokenRecoveries"],
    ["BUZZ_AGENT_MAX_TOOL_RESULT_TEXT_BYTES", "maxToolResultTextBytes"],
    ["BUZZ_AGENT_MCP_INIT_TIMEOUT_SECS", "serverInitTimeoutS"],
    ["BUZZ_AGENT_MCP_RESTART_BASE_MS", "restartBaseMs"],
    ["BUZZ_AGENT_MCP_RESTART_MAX_ATTEMPTS", "restartAttempts"],
    ["BUZZ_AGENT_MCP_RESTART_MAX_MS", "restartMaxMs"],
    ["BUZZ_AGENT_STOP_MAX_REJECTIONS", "maxStopRejections"],
    ["BUZZ_AGENT_TOOL_TIMEOUT_SECS", "toolTimeoutS"],
  ];
  for (const [variable, name] of names) assertEquals(read({ [variable]: "77777" })[name], 77777);
});
