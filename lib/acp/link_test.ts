import { assertEquals } from "@std/assert";
import { Link } from "./link.ts";
import type { RpcMessage } from "./rpc.ts";

/** A link over an output that takes no message whose result is `bad`. */
function start() {
  const sent: RpcMessage[] = [];
  const defects: string[] = [];
  const link = new Link({
    send: (message) => {
      if ("result" in message && message.result === "bad") throw new TypeError("no JSON");
      sent.push(message);
      return true;
    },
  }, (where, thrown) => void defects.push(`${where}: ${thrown}`));
  return { link, sent, defects, writer: link.stream.writable.getWriter() };
}

Deno.test("Link tells of what throws behind a reply, and sends the replies after it", async () => {
  const { link, sent, defects, writer } = start();
  for (const id of [1, 2]) link.deliver({ jsonrpc: "2.0", id, method: "session/new" });
  link.afterReply(1, () => {
    throw new Error("cannot be told");
  });
  await writer.write({ jsonrpc: "2.0", id: 1, result: {} });
  await writer.write({ jsonrpc: "2.0", id: 2, result: {} });
  await link.answered();
  assertEquals(sent, [
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 2, result: {} },
  ]);
  assertEquals(defects, ["what follows a reply: Error: cannot be told"]);
});

Deno.test("Link answers with an error where a reply cannot be sent, and does not say what would follow it", async () => {
  const { link, sent, defects, writer } = start();
  link.deliver({ jsonrpc: "2.0", id: 1, method: "session/new" });
  link.afterReply(1, () => void sent.push({ jsonrpc: "2.0", method: "session/update" }));
  await writer.write({ jsonrpc: "2.0", id: 1, result: "bad" });
  await link.answered();
  assertEquals(sent, [
    { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "cannot send the reply: no JSON" } },
  ]);
  assertEquals(defects, ["sending a reply: TypeError: no JSON"]);
});
