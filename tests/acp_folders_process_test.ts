// Folders that a session of an ACP client works in beside its `cwd`: `additionalDirectories`.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { type AcpProcess, startAcp, type WireMessage } from "./acp_process.ts";
import { NAMESPACE_BACKENDS } from "./confined.ts";
import { fakeServer, tempFolder } from "./harness.ts";

/** Has the offline model make a call; gives what it came to, for people. */
async function call(acp: AcpProcess, sessionId: string, line: string): Promise<string> {
  const before = acp.updates().length;
  await acp.turn(sessionId, line);
  const ended = acp.updates().slice(before)
    .filter(({ sessionUpdate, rawOutput }) =>
      sessionUpdate === "tool_call_update" && rawOutput !== undefined
    );
  return ended.flatMap(({ status, content }) => [
    status,
    ...content.map((each: WireMessage) => each.content?.text ?? each.type),
  ]).join("\n");
}

/** A workspace, a repository to be added, and a folder that nobody names. */
async function folders() {
  const home = await tempFolder();
  const [work, added, other] = ["work", "added", "other"].map((name) => join(home.path, name));
  await Promise.all(
    [work!, join(added!, ".git", "hooks"), other!].map((path) =>
      Deno.mkdir(path, { recursive: true })
    ),
  );
  for (const folder of [added!, other!]) {
    await Deno.writeTextFile(join(folder, "a.txt"), "one bee\n");
  }
  return {
    ...{ home: home.path, work: work!, added: added!, other: other! },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

Deno.test("a session works in the folders that its client adds, as in its own, and in no others", async () => {
  await using at = await folders();
  const { work, added, other } = at;
  const env = { SKEP_STATE_DIR: join(at.home, "state") };
  const more = { additionalDirectories: [added] };
  let sessionId: string;
  {
    const acp = await startAcp([], { env });
    await using running = acp.running;
    const { agentCapabilities } = await acp.request("initialize", { protocolVersion: 1 });
    assertEquals(agentCapabilities.sessionCapabilities.additionalDirectories, {});
    const mcpServers = [{ ...fakeServer(), name: "mine", env: [] }];
    sessionId = await acp.open(work, { ...more, mcpServers });
    assertStringIncludes(
      await call(acp, sessionId, `/dev__read_file path=${added}/a.txt`),
      "one bee",
    );
    const written = await call(
      acp,
      sessionId,
      `/dev__str_replace path=${added}/a.txt old_str=bee new_str=wasp`,
    );
    assertStringIncludes(written, "completed");
    assertEquals(await Deno.readTextFile(join(added, "a.txt")), "one wasp\n");
    const shell = await call(
      acp,
      sessionId,
      `/dev__shell command="cat ${added}/a.txt && echo new > ${added}/b.txt; cat ${other}/a.txt"`,
    );
    assertStringIncludes(shell, "one wasp");
    assert(!shell.includes("one bee"), shell);
    assertEquals(await Deno.readTextFile(join(added, "b.txt")), "new\n");
    // Landlock alone cannot keep them, in a workspace neither, which `skep audit` tells.
    const held = NAMESPACE_BACKENDS.length > 0 ? [".git/hooks/pre-commit", ".envrc"] : [];
    for (const protectedFile of held) {
      const path = join(added, protectedFile);
      await call(acp, sessionId, `/dev__shell command="echo evil > ${path}"`);
      await call(acp, sessionId, `/dev__write_file path=${path} content=evil`);
      const text = await Deno.readTextFile(path).catch(() => "");
      assert(!text.includes("evil"), `${path} was written`);
    }
    const denied = await call(acp, sessionId, `/dev__read_file path=${other}/a.txt`);
    assertStringIncludes(denied, "failed\nAccess denied");
    const roots = await call(acp, sessionId, "/mine__roots");
    for (const folder of [work, added]) assertStringIncludes(roots, `file://${folder}"`);
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  }
  const acp = await startAcp([], { env });
  await using running = acp.running;
  await acp.request("initialize", { protocolVersion: 1 });
  const place = { cwd: work, mcpServers: [] };
  const read = `/dev__read_file path=${added}/a.txt`;
  await acp.request("session/load", { sessionId, ...place });
  assertStringIncludes(await call(acp, sessionId, read), "Access denied");
  await acp.request("session/load", { sessionId, ...place, ...more });
  assertStringIncludes(await call(acp, sessionId, read), "one wasp");
  await acp.request("session/close", { sessionId });
  await acp.request("session/resume", { sessionId, ...place, ...more });
  assertStringIncludes(await call(acp, sessionId, read), "one wasp");
  const fork = await acp.request("session/fork", { sessionId, ...place, ...more });
  assertStringIncludes(await call(acp, fork.sessionId, read), "one wasp");
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});

Deno.test("a folder that a session cannot have is refused by its name, and a policy counts for those that it adds", async () => {
  await using at = await folders();
  const { work, added } = at;
  const state = join(at.home, "state");
  const policy = join(at.home, "policy.yaml");
  await Deno.writeTextFile(policy, 'permissions:\n  read: ["${WORKSPACE}"]\n  write: []\n');
  await Deno.mkdir(join(at.home, "a,b"));
  await Deno.symlink(added, join(at.home, "link"));
  const acp = await startAcp(["--policy", policy], { env: { SKEP_STATE_DIR: state } });
  await using running = acp.running;
  await acp.request("initialize", { protocolVersion: 1 });
  const opened = (folder: unknown) =>
    acp.request("session/new", { cwd: work, mcpServers: [], additionalDirectories: [folder] });
  for (
    const [folder, why] of [
      ["added", "must be absolute paths"],
      [join(at.home, "none"), "does not exist"],
      [join(added, "a.txt"), "is no folder"],
      ["/", "whole file system"],
      [join(at.home, "a,b"), "holds a comma"],
      [join(state, "sessions"), "never granted"],
    ] as const
  ) {
    const { error } = await opened(folder);
    assertStringIncludes(error?.message ?? `${folder} was taken`, why);
    assertStringIncludes(error.message, folder);
    assertEquals(error.code, -32602);
  }
  const { sessionId } = await opened(join(at.home, "link"));
  assertStringIncludes(
    await call(acp, sessionId, `/dev__read_file path=${added}/a.txt`),
    "one bee",
  );
  await call(acp, sessionId, `/dev__write_file path=${added}/c.txt content=c`);
  assertEquals(await Deno.stat(join(added, "c.txt")).catch(() => "not written"), "not written");
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});
