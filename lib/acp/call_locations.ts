import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { isAbsolute, resolve } from "@std/path";

/** Kinds of tools whose path arguments are files that a person may want to follow. */
const ON_FILES: readonly ToolKind[] = ["read", "edit", "delete", "move", "search"];
/** Arguments that name a file or a folder. */
const PATHS = ["path", "file_path", "source", "destination"];
const LINES = ["offset", "line", "insert_line"];
/** A `~` is a home folder that only the server knows. */
const NOT_A_PATH = /^~|\0|^[a-z][a-z0-9+.-]+:\/\//i;

/**
 * Where a call works, for clients that follow the agent: the absolute paths that its arguments name,
 * with the line of a part of a file. A guess from names; nothing depends on it.
 *
 * @param cwd The session's folder; a relative `workdir` counts from there.
 */
export function callLocations(
  kind: ToolKind,
  input: Readonly<Record<string, unknown>> | undefined,
  cwd: string,
): ToolCallLocation[] {
  if (input === undefined || !ON_FILES.includes(kind)) return [];
  const folder = resolve(cwd, typeof input.workdir === "string" ? input.workdir : ".");
  const [line] = LINES.map((name) => input[name]).filter(isLine);
  return PATHS.map((name) => input[name]).filter(isPath)
    .map((path) => ({
      path: isAbsolute(path) ? path : resolve(folder, path),
      ...(line === undefined ? {} : { line }),
    }));
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !NOT_A_PATH.test(value);
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value < 2 ** 32;
}
