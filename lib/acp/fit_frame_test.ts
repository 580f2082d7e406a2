import { assert, assertEquals } from "@std/assert";
import { checkFrame } from "../../tests/acp_schema.ts";
import { fitFrame } from "./fit_frame.ts";
import type { RpcMessage } from "./rpc.ts";

// deno-lint-ignore no-explicit-any -- a test looks into it
function read(line: Uint8Array | undefined): any {
  const frame = JSON.parse(new TextDecoder().decode(line));
  checkFrame(frame, () => undefined);
  return frame.params.update;
}

function update(fields: object): RpcMessage {
  const params = { sessionId: "s", update: fields };
  return { jsonrpc: "2.0", method: "session/update", params };
}

const said = (text: string) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

Deno.test("fitFrame() sends a frame exactly at its limit as it is, and cuts one past it", () => {
  const message = said("x".repeat(5000));
  const whole = JSON.stringify(message).length + 1;
  assertEquals(read(fitFrame(message, whole)).content.text.length, 5000);
  const line = fitFrame(message, whole - 1)!;
  assert(line.length < whole, `${line.length} bytes`);
  const { text } = read(line).content;
  assert(/^x+\n\[\.\.\. \d+ characters elided \.\.\.\]\nx+$/.test(text), text);
});

Deno.test("fitFrame() replaces an image that does not fit by a note, and keeps what is short", () => {
  const image = { type: "image", data: "QUJD".repeat(3000), mimeType: "image/png" };
  const fitted = read(fitFrame(
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      content: [
        { type: "content", content: image },
        { type: "content", content: { type: "text", text: "short" } },
      ],
      rawOutput: { isError: false },
    }),
    4096,
  ));
  assertEquals(fitted.content, [
    {
      type: "content",
      content: { type: "text", text: "[image elided: image/png, 12000 base64 bytes]" },
    },
    { type: "content", content: { type: "text", text: "short" } },
  ]);
});

Deno.test("fitFrame() cuts text between characters, and counts bytes", () => {
  const line = fitFrame(said("🐝".repeat(4000)), 8000)!;
  assert(line.length <= 8000, `${line.length} bytes`);
  assert(read(line).content.text.isWellFormed());
});

Deno.test("fitFrame() changes no request and no reply, and gives up on what has no long text", () => {
  const text = "x".repeat(5000);
  assertEquals(fitFrame({ jsonrpc: "2.0", id: 1, result: { text } }, 4096), undefined);
  const params = { text };
  assertEquals(
    fitFrame({ jsonrpc: "2.0", id: "q", method: "session/request_permission", params }, 4096),
    undefined,
  );
  const entries = Array(500).fill({ content: "short", priority: "low", status: "pending" });
  assertEquals(fitFrame(update({ sessionUpdate: "plan", entries }), 4096), undefined);
});
