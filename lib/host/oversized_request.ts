import type { Frame } from "./frames.ts";

const MEMBER = String
  .raw`\s*"(?:jsonrpc|method|id)"\s*:\s*(?:"(?:[^"\\]|\\.){0,200}"|-?\d{1,20})\s*`;
/** The members of a message before anything else in it, and after everything else. */
const FIRST = new RegExp(String.raw`^\s*\{(${MEMBER}(?:,${MEMBER})*),`);
const LAST = new RegExp(String.raw`,(${MEMBER}(?:,${MEMBER})*)\}\s*$`);

/**
 * The id of a JSON-RPC request whose line was too long to be read, so that its sender is answered and does
 * not wait for ever. Undefined for a response or a notification, and where its id and method stand at
 * neither end: what is in the middle was not kept.
 */
export function oversizedRequest(
  { start, end }: Pick<Frame & { readonly kind: "oversized" }, "start" | "end">,
): string | number | undefined {
  const members = [FIRST.exec(start), LAST.exec(end)].flatMap((found) => found?.[1] ?? []);
  try {
    const { method, id } = JSON.parse(`{${members.join(",")}}`);
    const isId = typeof id === "string" || typeof id === "number";
    return isId && typeof method === "string" ? id : undefined;
  } catch {
    return undefined; // it was no JSON to begin with
  }
}
