import { assertEquals, assertRejects } from "@std/assert";
import { HostEditor } from "./host_editor.ts";

const signal = new AbortController().signal;

function start(): { editor: HostEditor; sent: Record<string, unknown>[] } {
  const sent: Record<string, unknown>[] = [];
  return { editor: new HostEditor((message) => void sent.push(message)), sent };
}

Deno.test("HostEditor gives each answer to who asked, whatever their order", async () => {
  const { editor, sent } = start();
  const asked = [editor.read("/w/a", signal), editor.write("/w/b", "1", "2", signal)];
  await Promise.resolve();
  assertEquals(sent, [
    { id: "editor-1", method: "skep/unsaved", params: { path: "/w/a" } },
    {
      id: "editor-2",
      method: "skep/editor_write",
      params: { path: "/w/b", before: "1", text: "2" },
    },
  ]);
  assertEquals(editor.settle({ id: "editor-2", result: { problem: "no" } }), true);
  assertEquals(editor.settle({ id: "editor-1", result: { text: "t" } }), true);
  assertEquals(await Promise.all(asked), [{ text: "t" }, { problem: "no" }]);
  assertEquals(editor.settle({ id: "editor-1", result: {} }), false);
});

Deno.test("HostEditor takes an error, and what is no answer, for an editor that cannot be asked", async () => {
  const { editor } = start();
  const asked = ["/a", "/b", "/c"].map((path) => editor.read(path, signal));
  editor.settle({ id: "editor-1", error: { code: -32601, message: "no such method" } });
  editor.settle({ id: "editor-2", result: { text: 7, problem: null } });
  editor.settle({ id: "editor-3", result: null });
  assertEquals(await Promise.all(asked), [{ problem: "cannot be asked" }, {}, {}]);
});

Deno.test("HostEditor takes back what a cancelled call asked", async () => {
  const { editor, sent } = start();
  const call = new AbortController();
  const asked = editor.read("/w/a", call.signal);
  call.abort(new Error("cancelled"));
  await assertRejects(() => asked, Error, "cancelled");
  assertEquals(sent[1], {
    method: "notifications/cancelled",
    params: { requestId: "editor-1" },
  });
  await assertRejects(() => editor.read("/w/a", call.signal), Error, "cancelled");
  assertEquals(sent.length, 2);
});
