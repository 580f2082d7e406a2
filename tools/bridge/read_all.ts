import { RemoteError } from "./remote_error.ts";

/**
 * The text of an answer's body.
 *
 * @throws {RemoteError} for one of more than `limit` bytes, which is not read to its end.
 */
export async function readAll(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw new RemoteError(`The server's answer takes more than ${limit} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
