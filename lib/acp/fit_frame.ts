import { toJson } from "./exact_ids.ts";
import { isRecord } from "./is_record.ts";
import type { RpcMessage, RpcNotification } from "./rpc.ts";

/** A text shorter than this is never cut: the rest of a frame is names and numbers. */
const LEAST_TEXT = 1024;

/**
 * A message as the line that carries it, newline and all, within `maxBytes`: buzz-acp ends an agent whose
 * line is longer than 10 MB. Of an update that does not fit, long texts lose their middle and long images
 * become a note, both marked, all of them as little as is needed. Undefined for a message that must not
 * be changed, since somebody acts on it: a request, a reply.
 */
export function fitFrame(message: RpcMessage, maxBytes: number): Uint8Array | undefined {
  const line = encode(message);
  if (line.length <= maxBytes) return line;
  if (!isUpdate(message)) return undefined;
  for (let most = maxBytes; most >= LEAST_TEXT; most = Math.floor(most / 2)) {
    const shorter = encode(shortened(message, most) as RpcMessage);
    if (shorter.length <= maxBytes) return shorter;
  }
  return undefined;
}

function encode(message: RpcMessage): Uint8Array {
  return new TextEncoder().encode(toJson(message) + "\n");
}

function isUpdate(message: RpcMessage): message is RpcNotification {
  return "method" in message && message.method === "session/update" && !("id" in message);
}

function shortened(value: unknown, most: number): unknown {
  if (typeof value === "string") return withoutMiddle(value, most);
  if (Array.isArray(value)) return value.map((each) => shortened(each, most));
  if (!isRecord(value)) return value;
  const { type, data, mimeType } = value;
  if (type === "image" && typeof data === "string" && data.length > most) {
    return { type: "text", text: `[image elided: ${mimeType}, ${data.length} base64 bytes]` };
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, shortened(each, most)]),
  );
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)].map((part) => part.toWellFormed());
  return `${head}\n[... ${text.length - 2 * half} characters elided ...]\n${tail}`;
}
