import { assertEquals } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Reloaded, SessionServers } from "../session/session_servers.ts";
import { chatServers } from "./chat_servers.ts";

const UP = { name: "a", state: "healthy", tools: ["a__t"] } as const;
const NOTHING: Reloaded = {
  text: false,
  added: [],
  changed: [],
  removed: [],
  widened: [],
  refused: [],
};

/** What a person sees of one line, and what was done. */
async function say(line: string, answers: readonly string[] = [], mcp: object = {}) {
  const done: unknown[] = [];
  const shown: string[] = [];
  const waiting = [...answers];
  const servers = {
    list: () => [UP],
    add: (spec: unknown) => (done.push(spec), Promise.resolve(UP)),
    remove: (name: string) => Promise.resolve(void done.push(name)),
    disable: () =>
      Promise.resolve({ ...UP, state: "disabled", reason: "was switched off", tools: [] }),
    restart: (name: string) =>
      Promise.reject(new SkepError("SERVER_UNKNOWN", "no", { server: name })),
    ...mcp,
  } as unknown as SessionServers;
  const isTaken = await chatServers(line, servers, {
    signal: new AbortController().signal,
    print: (text) => Promise.resolve(void shown.push(text)),
    ask: (question) => (shown.push(`${question}\n`), Promise.resolve(waiting.shift())),
  });
  return { isTaken, shown: shown.join(""), done };
}

Deno.test("chatServers() leaves every other line to the model", async () => {
  assertEquals(await say("/mcps"), { isTaken: false, shown: "", done: [] });
  assertEquals((await say("tell me of /mcp")).isTaken, false);
});

Deno.test("chatServers() shows servers, changes them and says what failed", async () => {
  assertEquals((await say("/mcp")).shown, "a is healthy, 1 tools\n");
  assertEquals((await say("/mcp add b npx -y c")).done, [{
    name: "b",
    command: "npx",
    args: ["-y", "c"],
    env: {},
    origin: { kind: "flag", where: "/mcp add" },
  }]);
  assertEquals((await say("/mcp off a")).shown, "a is disabled, 0 tools: was switched off\n");
  assertEquals((await say("/mcp remove a")).done, ["a"]);
  assertEquals((await say("/mcp on a")).shown, "no\n");
  assertEquals((await say("/mcp add b")).shown.startsWith("  /mcp  "), true);
});

Deno.test("chatServers() asks before a server gets more than it had", async () => {
  const widened = [{ server: "a", more: ["net x.org"] }, { server: "b", more: ["run git"] }];
  const reloads: unknown[] = [];
  const reload = (accepted: readonly string[] = []) => {
    reloads.push(accepted);
    return Promise.resolve({ ...NOTHING, widened, changed: accepted });
  };
  const { shown } = await say("/mcp reload", ["y", "n"], { reload });
  assertEquals(reloads, [[], ["a"]]);
  assertEquals(
    shown,
    "a would get what it did not have:\n  net x.org\nGive it to a? [y/N] \n" +
      "b would get what it did not have:\n  run git\nGive it to b? [y/N] \nchanged: a\n",
  );
  const none = await say("/mcp reload", [], { reload: () => Promise.resolve(NOTHING) });
  assertEquals(none.shown, "Nothing is changed\n");
});
