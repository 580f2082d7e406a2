import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { CallResult, ListedHook } from "../mcp/registry.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { HookName, HookSettings } from "./hook_settings.ts";
import { hookVerdict } from "./hook_verdict.ts";
import { Hooks } from "./hooks.ts";
import { objectionMessages } from "./objections.ts";
import { ReplyGuard } from "./reply_guard.ts";
import { SessionHooks } from "./session_hooks.ts";

type Reply = string | CallResult | "late" | Error;

const NEVER = new AbortController().signal;
const CALL = { type: "call", id: "c", name: "s__t", input: "{}" } as const;

/** Hooks of servers that reply as told, and what was asked of them. */
function serving(
  replies: Readonly<Record<string, Reply>>,
  settings: Partial<HookSettings> = {},
  schema: Readonly<Record<string, unknown>> = {},
  specs: readonly ServerSpec[] = [],
): { hooks: Hooks; asked: unknown[]; ended: string[] } {
  const asked: unknown[] = [];
  const ended: string[] = [];
  const listed = Object.keys(replies).map((key): ListedHook => {
    const [server = "", name = ""] = key.split(":");
    return { server, name, inputSchema: { type: "object", properties: schema } };
  });
  const hooks = new Hooks({ servers: "*", closed: [], ...settings }, {
    registry: {
      hooks: () => listed,
      callHook: ({ server, name }, args, signal) => {
        asked.push([server, name, args]);
        const reply = replies[`${server}:${name}`]!;
        if (reply === "late") {
          return new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(new SkepError("CANCELLED", "x", {})))
          );
        }
        if (reply instanceof Error) return Promise.reject(reply);
        return Promise.resolve(typeof reply === "string" ? says(reply) : reply);
      },
      giveUp: (server) => Promise.resolve(void ended.push(server)),
      specs: () => specs,
    },
    limits: { hookTimeoutMs: 5, maxHookResultBytes: 256 },
    world: {
      sleep: (_ms, signal) =>
        new Promise((resolve, reject) => {
          queueMicrotask(() => queueMicrotask(resolve));
          signal?.addEventListener("abort", () => reject(signal.reason));
        }),
    },
  });
  return { hooks, asked, ended };
}

function says(text: string): CallResult {
  return { isError: false, content: [{ type: "text", text }] };
}

async function verdict(reply: Reply | undefined, isClosed: boolean): Promise<string | undefined> {
  const closed = isClosed ? [{ server: "g", hook: "_PreToolUse" as HookName }] : [];
  const { hooks } = serving(reply === undefined ? {} : { "g:_PreToolUse": reply }, { closed });
  return hookVerdict(await hooks.run("_PreToolUse", {}, NEVER))?.reason;
}

Deno.test("hookVerdict() lets an advisory hook fail, and a security hook never (T82)", async () => {
  const failed: CallResult = { ...says("exit 2"), isError: true };
  const cases: [Reply | undefined, string][] = [
    ["{bad", "its answer is no decision"],
    ["no", "its answer is no decision"],
    [failed, "its hook _PreToolUse failed: exit 2"],
    ["late", "its hook _PreToolUse did not answer within 5 ms"],
    [undefined, "its hook _PreToolUse is not there"],
    [new Error("broken pipe"), "its hook _PreToolUse failed: broken pipe"],
    [{ ...failed, isUndelivered: true }, "its hook _PreToolUse cannot be asked: exit 2"],
  ];
  for (const [reply, reason] of cases) {
    assertEquals(await verdict(reply, true), reason);
    assertEquals(await verdict(reply, false), undefined);
  }
});

Deno.test("hookVerdict() heeds a decision, closed or not; silence is none", async () => {
  for (const isClosed of [true, false]) {
    assertEquals(
      await verdict('{"decision":"deny","reason":"not on Fridays"}', isClosed),
      "not on Fridays",
    );
    assertEquals(await verdict('{"decision":"deny"}', isClosed), "it gave no reason");
    assertEquals(await verdict('{"decision":"allow"}', isClosed), undefined);
    assertEquals(await verdict(" \n", isClosed), undefined);
  }
});

Deno.test("Hooks call the servers that are listed, and no others", async () => {
  const replies = { "a:_Stop": "A", "b:_Stop": "B", "a:_Other": "x" };
  const off = serving(replies, { servers: [] });
  assertEquals(await off.hooks.run("_Stop", {}, NEVER), []);
  assertEquals([off.asked, off.hooks.has("_Stop")], [[], false]);
  const some = serving(replies, { servers: ["b"] });
  assertEquals(await some.hooks.run("_Stop", {}, NEVER), [{
    server: "b",
    isClosed: false,
    text: "B",
  }]);
  const all = serving(replies);
  const texts = (await all.hooks.run("_Stop", {}, NEVER)).map((each) =>
    "text" in each && each.text
  );
  assertEquals(texts, ["A", "B"]);
});

Deno.test("Hooks tell a hook what its schema names, and else nothing", async () => {
  const facts = { summary: "s", droppedItems: 3 };
  const plain = serving({ "a:_PostCompact": "" });
  await plain.hooks.run("_PostCompact", facts, NEVER);
  assertEquals(plain.asked, [["a", "_PostCompact", {}]]);
  const curious = serving({ "a:_PostCompact": "" }, {}, { summary: {}, other: {} });
  await curious.hooks.run("_PostCompact", facts, NEVER);
  assertEquals(curious.asked, [["a", "_PostCompact", { summary: "s" }]]);
});

Deno.test("Hooks end a server at its second timeout in a row, not when it answered between (10.32 second hook timeout kill)", async () => {
  const replies: Record<string, Reply> = { "a:_Stop": "late" };
  const { hooks, ended } = serving(replies);
  await hooks.run("_Stop", {}, NEVER);
  replies["a:_Stop"] = "";
  await hooks.run("_Stop", {}, NEVER);
  replies["a:_Stop"] = "late";
  await hooks.run("_Stop", {}, NEVER);
  assertEquals(ended, []);
  await hooks.run("_Stop", {}, NEVER);
  assertEquals(ended, ["a"]);
});

Deno.test("Hooks keep what a hook says exactly at its limit, and elide one byte past it", async () => {
  const say = async (text: string) => {
    const [answer] = await serving({ "a:_Stop": text }).hooks.run("_Stop", {}, NEVER);
    return answer !== undefined && "text" in answer ? answer.text : "";
  };
  assertEquals(await say("x".repeat(256)), "x".repeat(256));
  assertEquals((await say("x".repeat(257))).includes("elided"), true);
});

Deno.test("SessionHooks mark what hooks add to a prompt, and refuse one that a hook denies", async () => {
  const adds = new SessionHooks(
    serving({ "a:_SessionStart": "welcome", "a:_UserPromptSubmit": "it is Monday" }).hooks,
    "ses_1",
  );
  adds.start("/work", NEVER);
  const content = [{ type: "text", text: "go" }] as const;
  const texts = (await adds.submit(content, NEVER)).map((block) =>
    block.type === "text" && block.text
  );
  assertEquals(texts, [
    '[Hook output — untrusted]\n{"hook":"_SessionStart","server":"a","text":"welcome"}',
    "go",
    '[Hook output — untrusted]\n{"hook":"_UserPromptSubmit","server":"a","text":"it is Monday"}',
  ]);
  assertEquals((await adds.submit(content, NEVER)).length, 2);
  const denies = serving({ "a:_UserPromptSubmit": '{"decision":"deny","reason":"secret"}' });
  const error = await assertRejects(
    () => new SessionHooks(denies.hooks, "ses_1").submit(content, NEVER),
    SkepError,
    'The prompt was refused by server "a": secret',
  );
  assertEquals(error.code, "PROMPT_DENIED");
});

Deno.test("SessionHooks tell the model why a call was not run, and add to results", async () => {
  const denies = serving({ "a:_PreToolUse": '{"decision":"deny","reason":"no"}' });
  assertEquals(
    await new SessionHooks(denies.hooks, "s").beforeCall(CALL, {}, NEVER),
    's__t was not run: denied by a hook of server "a": no',
  );
  const adds = new SessionHooks(serving({ "a:_PostToolUse": "lint failed" }).hooks, "s");
  const review = adds.review("s__t", {}, says("result"), NEVER);
  assertEquals(review?.unreviewed, says("result"));
  assertEquals((await review?.reviewed)?.content, [
    { type: "text", text: "result" },
    {
      type: "text",
      text: '[Hook output — untrusted]\n{"hook":"_PostToolUse","server":"a","text":"lint failed"}',
    },
  ]);
  const closed = [{ server: "gone", hook: "_PostToolUse" as const }];
  const withheld = new SessionHooks(serving({}, { closed }).hooks, "s");
  const closedReview = withheld.review("s__t", {}, says("result"), NEVER)!;
  for (const { isError, content } of [await closedReview.reviewed, closedReview.unreviewed]) {
    assertEquals([isError, JSON.stringify(content).includes("withheld")], [true, true]);
  }
  assertEquals(
    new SessionHooks(serving({}).hooks, "s").review("t", {}, says(""), NEVER),
    undefined,
  );
});

Deno.test("SessionHooks give what must not be forgotten, by server, marked as untrusted", async () => {
  const { hooks } = serving({
    "a:_PostCompact": "todo: x",
    "b:_PostCompact": "",
    "c:_PostCompact": "y",
  });
  const compacted = { summary: "s", droppedItems: 1 };
  assertEquals(
    await new SessionHooks(hooks, "s").postCompact(compacted, NEVER),
    "[Post-compact hook output — untrusted]\n[a]\ntodo: x\n\n[c]\ny",
  );
  const silent = serving({ "b:_PostCompact": " " }).hooks;
  assertEquals(await new SessionHooks(silent, "s").postCompact(compacted, NEVER), undefined);
});

Deno.test("objectionMessages() makes each an answered call, or a message where there are no tools", () => {
  const objection = { server: "a", hook: "_Stop", text: 'say "done"' } as const;
  const text = '{"hook":"_Stop","server":"a","text":"say \\"done\\""}';
  assertEquals(objectionMessages([objection], "hook_1", true), [
    {
      role: "assistant",
      content: [{ type: "call", id: "hook_1_1", name: "a___Stop", input: "{}" }],
    },
    {
      role: "tool",
      results: [{
        callId: "hook_1_1",
        name: "a___Stop",
        isError: false,
        content: [{ type: "text", text }],
      }],
    },
  ]);
  assertEquals(objectionMessages([objection], "hook_1", false), [
    { role: "user", content: [{ type: "text", text }] },
  ]);
});

Deno.test("ReplyGuard reminds up to its bound, and not after something was published", () => {
  const reminders = (see: (guard: ReplyGuard) => void) => {
    const guard = new ReplyGuard(2, (tool) => tool === "relay__send_message");
    see(guard);
    return [guard.remind(), guard.remind(), guard.remind()].map((each) => each !== undefined);
  };
  const send = { command: "buzz messages send --text hi" };
  const failed: CallResult = { ...says(""), isError: true };
  assertEquals(reminders(() => {}), [true, true, false]);
  assertEquals(reminders((guard) => guard.see("dev__shell", send, failed)), [false, false, false]);
  assertEquals(reminders((guard) => guard.see("shell", send, says(""))), [true, true, false]);
  assertEquals(reminders((guard) => guard.see("dev__shell", { cmd: "messages send" }, says(""))), [
    true,
    true,
    false,
  ]);
  assertEquals(reminders((guard) => guard.see("relay__send_message", {}, failed)), [
    true,
    true,
    false,
  ]);
  assertEquals(reminders((guard) => guard.see("relay__send_message", {}, says("ok"))), [
    false,
    false,
    false,
  ]);
});

Deno.test("a security hook of a server that is listed under another name was nobody's", async () => {
  const spec = {
    name: "a_b",
    configuredName: "a__b",
    command: "x",
    args: [],
    env: {},
    origin: { kind: "file", where: "mcp.json" },
  } as const;
  const { hooks, asked } = serving(
    { "a_b:_PreToolUse": "fine" },
    { servers: ["a__b"], closed: [{ server: "a__b", hook: "_PreToolUse" }] },
    {},
    [spec],
  );
  assertEquals(await hooks.run("_PreToolUse", {}, NEVER), [
    { server: "a_b", isClosed: true, text: "fine" },
  ]);
  assertEquals(asked, [["a_b", "_PreToolUse", {}]]);
});
