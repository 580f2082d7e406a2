// What a client of ACP that is an editor lends to the dev server: text that is not saved. The client is the SDK's.
import { ClientApp, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { checkFrame } from "./acp_schema.ts";
import { childEnv, fakeServer, serverFile, skepCommand, tempFolder } from "./harness.ts";

/** What an editor does when it is asked; both by the absolute path. */
interface Methods {
  readonly read?: (path: string) => Promise<string>;
  readonly write?: (path: string, content: string) => Promise<void>;
}

/** What a test does with a session of such an editor. */
interface Opened {
  /** Has the offline model make a call; gives what it came to, for people. */
  readonly call: (line: string) => Promise<string>;
  /** What the editor was asked: `read /w/a`, `write /w/a`. */
  readonly asked: readonly string[];
}

/** Opens a session of `skep acp` in `work` for an editor that has `methods`, and none that it has not. */
async function inEditor(
  work: string,
  methods: Methods,
  play: (opened: Opened) => Promise<void>,
  { env = {}, args = [], added = [] }: {
    env?: Record<string, string>;
    args?: readonly string[];
    added?: string[];
  } = {},
): Promise<void> {
  await using home = await tempFolder();
  const [program, all] = skepCommand(["acp", ...args]);
  const child = new Deno.Command(program, {
    args: all,
    cwd: home.path,
    clearEnv: true,
    env: childEnv(home.path, env),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const asked: string[] = [];
  let said = "";
  const [forClient, forTest] = child.stdout.tee();
  const frames = new Response(forTest).text();
  const app = new ClientApp({ name: "editor" })
    .onNotification("session/update", ({ params: { update } }) => {
      const { sessionUpdate: kind } = update;
      if (kind === "agent_message_chunk" && update.content.type === "text") {
        said += update.content.text;
      }
    })
    .onRequest("fs/read_text_file", async ({ params: { path } }) => {
      asked.push(`read ${path}`);
      return { content: await methods.read!(path) };
    })
    .onRequest("fs/write_text_file", async ({ params: { path, content } }) => {
      asked.push(`write ${path}`);
      await methods.write!(path, content);
      return {};
    });
  await app.connectWith(ndJsonStream(child.stdin, forClient), async (agent) => {
    await agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: {
        fs: {
          readTextFile: methods.read !== undefined,
          writeTextFile: methods.write !== undefined,
        },
      },
    });
    const { sessionId } = await agent.request("session/new", {
      ...{ cwd: work, mcpServers: [] },
      additionalDirectories: added,
    });
    const call = async (line: string) => {
      said = "";
      await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: line }] });
      return said;
    };
    await play({ call, asked });
  });
  await child.stdin.close();
  assertEquals((await child.status).code, 0);
  for (const line of (await frames).trimEnd().split("\n")) {
    checkFrame(JSON.parse(line), () => undefined);
  }
}

Deno.test("an editor is asked about files of a folder that it added, and of no other", async () => {
  await using work = await tempFolder();
  await using added = await tempFolder();
  await using other = await tempFolder();
  const [path, elsewhere] = [added, other].map((folder) => join(folder.path, "a.txt"));
  for (const file of [path!, elsewhere!]) await Deno.writeTextFile(file, "saved\n");
  const texts = new Map([[path, "typed\n"], [elsewhere, "typed\n"]]);
  const methods: Methods = {
    read: (file) => Promise.resolve(texts.get(file)!),
    write: (file, content) => Promise.resolve(void texts.set(file, content)),
  };
  await inEditor(work.path, methods, async ({ call, asked }) => {
    assertStringIncludes(await call(`/dev__read_file path=${path}`), "1:typed");
    await call(`/dev__str_replace path=${path} old_str=typed new_str=changed`);
    assertEquals(texts.get(path), "changed\n");
    await call(`/dev__read_file path=${elsewhere}`);
    assertEquals([...new Set(asked)], [`read ${path}`, `write ${path}`]);
  }, { added: [added.path] });
});

Deno.test("an editor's unsaved text is what the file tools read and change, and the editor writes it", async () => {
  await using work = await tempFolder();
  await using state = await tempFolder();
  const path = join(work.path, "a.txt");
  await Deno.writeTextFile(path, "saved\n");
  await Deno.writeTextFile(join(work.path, "b.txt"), "saved\n");
  let typed: string | undefined = "saved\ntyped\n";
  const methods = {
    read: async (asked: string) =>
      asked === path && typed !== undefined ? typed : await Deno.readTextFile(asked),
    write: async (asked: string, content: string) => {
      await Deno.writeTextFile(asked, content);
      typed = undefined;
    },
  };
  await inEditor(work.path, methods, async ({ call, asked }) => {
    const unseen = await call("/dev__write_file path=a.txt content=all");
    assertStringIncludes(unseen, 'Cannot write "a.txt": it has text that is not saved; read it');
    const read = await call("/dev__read_file path=a.txt");
    assertStringIncludes(
      read,
      "a.txt (lines 1-2 of 2; the text in the person's editor, which is not saved)\n1:saved\n2:typed\n",
    );
    const edited = await call("/dev__str_replace path=a.txt old_str=typed new_str=edited");
    assertStringIncludes(edited, "written by the person's editor, where it was not saved");
    assertStringIncludes(edited, " saved\n-typed\n+edited\n");
    assertEquals(await Deno.readTextFile(path), "saved\nedited\n");
    assertEquals(asked.filter((each) => each.startsWith("write")), [`write ${path}`]);

    typed = "saved\nagain\n";
    const stale = await call("/dev__write_file path=a.txt content=all");
    assertStringIncludes(stale, "it has changed since you saw it");
    await call("/dev__read_file path=a.txt");
    const replaced = await call("/dev__write_file path=a.txt content=all");
    assertStringIncludes(replaced, "written by the person's editor");
    assertEquals(await Deno.readTextFile(path), "all");

    // What is saved, the server writes itself.
    const plain = await call("/dev__str_replace path=b.txt old_str=saved new_str=done");
    assertMatch(plain, /Edited "b\.txt": replaced 1 occurrence at line 1\n/);
    assertEquals(await Deno.readTextFile(join(work.path, "b.txt")), "done\n");
    assertEquals(asked.filter((each) => each.startsWith("write")).length, 2);
  }, { env: { SKEP_STATE_DIR: state.path, SKEP_LOG_ACCESS: "1" } });
  // The server's grant is what lets the editor write: what it does is in the session's log.
  const folder = join(state.path, "sessions", "accesses");
  const [log] = [...Deno.readDirSync(folder)];
  const lines = (await Deno.readTextFile(join(folder, log!.name))).trimEnd().split("\n");
  const byEditor = lines.map((line) => JSON.parse(line)).filter(({ source }) =>
    source === "editor"
  );
  const writes = byEditor.filter(({ access }) => access === "write");
  assertEquals(writes.map(({ server, value }) => [server, value]), [["dev", path], ["dev", path]]);
  assertEquals(byEditor.some(({ access, value }) => access === "read" && value === path), true);
});

Deno.test("an editor is asked about nothing outside of the workspace, and writes no protected file", async () => {
  await using outside = await tempFolder();
  await using work = await tempFolder();
  await Deno.writeTextFile(join(outside.path, "secret"), "s3cret");
  await Deno.writeTextFile(join(work.path, ".envrc"), "saved");
  await Deno.symlink(join(outside.path, "secret"), join(work.path, "link"));
  await Deno.symlink(outside.path, join(work.path, "folder"));
  const written: string[] = [];
  const methods = {
    read: async (path: string) => `${await Deno.readTextFile(path)} typed`,
    write: (path: string) => Promise.resolve(void written.push(path)),
  };
  await inEditor(work.path, methods, async ({ call, asked }) => {
    for (const path of [join(outside.path, "secret"), "link", "folder/secret"]) {
      assertStringIncludes(await call(`/dev__read_file path=${path}`), "Access denied");
      assertStringIncludes(await call(`/dev__write_file path=${path} content=x`), "Access denied");
    }
    assertStringIncludes(await call("/dev__read_file path=.envrc"), "1:saved typed");
    const refused = await call("/dev__str_replace path=.envrc old_str=typed new_str=x");
    assertMatch(refused, /is not asked about files out of this server's reach|Access denied/);
    assertEquals([...new Set(asked)], [`read ${join(work.path, ".envrc")}`]);
  });
  assertEquals(written, []);
});

Deno.test("an editor that fails, is slow, or only reads costs a note or a refusal, and no more", async () => {
  await using work = await tempFolder();
  const [a, b] = [join(work.path, "a"), join(work.path, "b")];
  for (const path of [a, b]) await Deno.writeTextFile(path, "saved\n");
  const read = (path: string) => {
    if (path === a) throw new RequestError(-32603, "no such buffer");
    return Promise.resolve("typed\n");
  };
  await inEditor(work.path, { read }, async ({ call }) => {
    const failed = await call("/dev__read_file path=a");
    const note = "the text on the disk: the person's editor answered with an error: no such buffer";
    assertStringIncludes(failed, `a (lines 1-1 of 1; ${note})`);
    const refused = await call("/dev__str_replace path=b old_str=typed new_str=x");
    const why = "it has text that is not saved, and the person's editor can only be read";
    assertStringIncludes(refused, why);
    assertEquals(await Deno.readTextFile(b), "saved\n");
  });
  const later = Promise.withResolvers<string>();
  await inEditor(work.path, { read: () => later.promise }, async ({ call }) => {
    const slow = await call("/dev__str_replace path=b old_str=saved new_str=done");
    assertStringIncludes(slow, "the person's editor did not answer within 1 s");
    assertEquals(await Deno.readTextFile(b), "done\n");
    later.resolve("");
  }, { env: { SKEP_EDITOR_FILE_S: "1" } });
});

Deno.test("an editor lends nothing to other servers, and one without such methods nothing at all", async () => {
  await using work = await tempFolder();
  await using files = await tempFolder();
  const path = join(work.path, "a.txt");
  await Deno.writeTextFile(path, "saved\n");
  const servers = await serverFile(files.path, { other: fakeServer(["--asking"]) });
  const read = () => Promise.resolve("typed\n");
  const write = () => Promise.resolve();
  await inEditor(work.path, { read, write }, async ({ call, asked }) => {
    const unsaved = { method: "skep/unsaved", params: { path } };
    const written = {
      method: "skep/editor_write",
      params: { path, before: "typed\n", text: "x" },
    };
    for (const request of [unsaved, written]) {
      assertStringIncludes(await call(`/other__ask ${JSON.stringify(request)}`), "-32601");
    }
    assertEquals(asked, []);
  }, { args: ["--mcp", servers] });
  for (const methods of [{}, { write }]) {
    await inEditor(work.path, methods, async ({ call, asked }) => {
      assertStringIncludes(await call("/dev__read_file path=a.txt"), "(lines 1-1 of 1)\n1:saved");
      assertEquals(asked, []);
    });
  }
});
