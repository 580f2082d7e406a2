import type { Launch } from "../sandbox/launch.ts";
import { READ_ARTIFACT } from "./elide.ts";
import type { Keep } from "./registry.ts";
import { isObject } from "./message.ts";
import type { RawResult } from "./result.ts";

/** A server names there the file in its private folder that has all of what its result leaves out. */
export const WHOLE_META = "skep/whole";

/**
 * Keeps, for the session, the file that a result names which has all of what its text leaves out, without
 * the server's secrets; a last line of the text says how to read it. The file itself lies in the server's private
 * folder, and goes with the server. One that cannot be read is left at that: the text names it.
 */
export async function keepWhole(
  raw: RawResult,
  { readOwn, redact }: Pick<Launch, "readOwn" | "redact">,
  keep: Keep | undefined,
): Promise<RawResult> {
  const path = isObject(raw._meta) ? raw._meta[WHOLE_META] : undefined;
  if (keep === undefined || typeof path !== "string" || !Array.isArray(raw.content)) return raw;
  const bytes = await readOwn(path).catch(() => undefined);
  if (bytes === undefined) return raw;
  const id = keep({ type: "text", text: redact(new TextDecoder().decode(bytes)) });
  const line = `[${READ_ARTIFACT} ${id} has it too, as long as the session is kept]`;
  return { ...raw, content: [...raw.content, { type: "text", text: line }] };
}
