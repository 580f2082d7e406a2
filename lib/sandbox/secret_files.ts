import { join } from "@std/path";
import type { Files } from "../host/files.ts";
import { looksSecret } from "./keys.ts";
import type { Grant } from "./grant.ts";

/** Files in the root of a workspace that often hold secrets. */
const NAMES: readonly string[] = [".env", ".env.local", ".envrc", ".mcp.json", "mcp.json"];
/** Far more than one of them has. */
const MAX_BYTES = 1024 * 1024;

/** The files in the root of the workspace with what looks like a secret, where the server reads that root. */
export async function secretFiles(
  { read, workspace }: Pick<Grant, "read" | "workspace">,
  files: Pick<Files, "readText">,
): Promise<string[]> {
  if (!read.some(({ value }) => value === workspace)) return [];
  const texts = await Promise.all(
    NAMES.map((name) => files.readText(join(workspace, name), MAX_BYTES).catch(() => "")), // not there
  );
  return NAMES.filter((_, place) => holdsSecret(texts[place] ?? ""));
}

/** `NAME=value` and `"name": "value"`; a variable that stands for a value is none. */
function holdsSecret(text: string): boolean {
  const pairs = text.matchAll(/([\w-]+)"?[ \t]*[:=][ \t]*["']?([^"'\r\n,]+)/g);
  return [...pairs].some(([, name = "", value = ""]) =>
    !value.startsWith("$") && looksSecret(name, value.trim())
  );
}
