import { SkepError } from "../errors.ts";
import { LIMITS } from "../limits.ts";

/**
 * Reads all of a stream as text, until it ends or the signal is aborted.
 *
 * @throws {SkepError} `USAGE` when it is longer than a prompt may be; `CANCELLED` when aborted.
 */
export async function readInput(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  const reader = stream.getReader();
  const giveUp = () => void reader.cancel().catch(() => {}); // the stream is ours to leave
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  const limit = LIMITS.maxPromptBytes.value;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let bytes = 0;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw new SkepError("CANCELLED", "Reading stdin was given up", {});
      if (done) return await new Blob(chunks).text();
      bytes += value.length;
      if (bytes > limit) {
        const message = `Cannot take a prompt of more than ${limit} bytes from stdin`;
        throw new SkepError("USAGE", message, { argument: "stdin" });
      }
      chunks.push(new Uint8Array(value));
    }
  } finally {
    signal.removeEventListener("abort", giveUp);
    giveUp();
  }
}
