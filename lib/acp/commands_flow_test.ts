import { assertEquals, assertStringIncludes } from "@std/assert";
import { echo, FakeSession, MemoryClient } from "../../tests/acp_client.ts";
import { SkepError } from "../errors.ts";

const REVIEW = { name: "review", description: "Reviews a change" };

Deno.test("serveAcp() tells the commands after the session's reply, and again when they have changed", async () => {
  const session = new FakeSession("s1", echo);
  session.known = [REVIEW];
  await using client = new MemoryClient({ open: () => Promise.resolve(session) });
  await client.open();
  await client.prompt("s1", "/review a.ts");
  assertEquals(client.commands, [{ names: ["compact", "review"], behind: 1 }]);
  const meaning = "[/review is a skill: load it with load_skill first, and do as it says.]";
  assertEquals(client.said(), `/review a.ts\n\n${meaning}`);
  session.known = [REVIEW, { name: "deploy", description: "Deploys" }];
  await client.prompt("s1", "hi");
  assertEquals(client.commands.at(-1)!.names, ["compact", "review", "deploy"]);
  await client.prompt("s1", "hi");
  assertEquals(client.commands.length, 2);
});

Deno.test("serveAcp() tells of skills that come up while nobody prompts", async () => {
  const session = new FakeSession("s1", echo);
  const ticks: (() => void)[] = [];
  const untilSkillsChange = (signal: AbortSignal) =>
    new Promise<void>((wake, end) => {
      ticks.push(wake);
      signal.addEventListener("abort", end);
    });
  await using client = new MemoryClient({
    open: () => Promise.resolve(session),
    untilSkillsChange,
  });
  await client.open();
  session.found = [REVIEW];
  ticks.shift()!();
  while (client.commands.length < 2) await client.request("session/list"); // it answers an error
  assertEquals(client.commands.map(({ names }) => names), [["compact"], ["compact", "review"]]);
});

Deno.test("serveAcp() compacts at /compact without a turn, and says when there is nothing to summarise", async () => {
  const session = new FakeSession("s1", echo);
  await using client = new MemoryClient({ open: () => Promise.resolve(session) });
  await client.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { session: { compaction: {} } },
  });
  await client.open();
  session.compaction = (onUpdate) => {
    onUpdate({ type: "compaction", compaction: { state: "started" } });
    const counts = { droppedMessages: 2, tokensBefore: 90, tokensAfter: 20 };
    onUpdate({ type: "compaction", compaction: { state: "done", how: "summary", ...counts } });
    return Promise.resolve(true);
  };
  assertEquals(await client.prompt("s1", "/compact"), { stopReason: "end_turn" });
  const states = client.updates().flatMap(({ sessionUpdate, status }) =>
    sessionUpdate === "compaction_update" ? [status] : []
  );
  assertEquals([states, session.log], [["in_progress", "completed"], ["compact"]]);
  let focus: string | undefined;
  session.compaction = (_onUpdate, options) => {
    focus = options?.focus;
    return Promise.resolve(false);
  };
  assertEquals(await client.prompt("s1", "/compact keep it"), { stopReason: "end_turn" });
  assertEquals(focus, "keep it");
  assertEquals(await client.prompt("s1", "/compact"), { stopReason: "end_turn" });
  assertStringIncludes(client.said(), "There is nothing to summarise yet");
  session.compaction = () => Promise.reject(new SkepError("CANCELLED", "It was cancelled", {}));
  assertEquals(await client.prompt("s1", "/compact"), { stopReason: "cancelled" });
  session.compaction = () =>
    Promise.reject(new SkepError("PROVIDER_FAILED", "down", { provider: "p" }));
  assertStringIncludes(String((await client.prompt("s1", "/compact")).message), "down");
});
