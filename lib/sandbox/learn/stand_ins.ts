import { basename, join } from "@std/path";
import type { Host } from "../../host/host.ts";
import type { Limits } from "../../limits.ts";

/** A folder or file of the person's, and the throwaway one that a trial has in its place. */
export interface StandIn {
  readonly real: string;
  readonly copy: string;
}

/** A path ends where no more of a name follows; a full stop ends a sentence, too. */
const PATH_END = String.raw`(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])`;

/** A text in which each path of the person's is the one that stands in for it. */
export function toCopies(text: string, standIns: readonly StandIn[]): string {
  return withPaths(text, new Map(standIns.map(({ real, copy }) => [real, copy])));
}

/** The other way round, for what a person is told. */
export function toReal(text: string, standIns: readonly StandIn[]): string {
  return withPaths(text, new Map(standIns.map(({ real, copy }) => [copy, real])));
}

/** {@linkcode toCopies} of all the texts in a JSON value. */
export function jsonToCopies(value: unknown, standIns: readonly StandIn[]): unknown {
  if (typeof value === "string") return toCopies(value, standIns);
  if (Array.isArray(value)) return value.map((each) => jsonToCopies(each, standIns));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, jsonToCopies(each, standIns)]),
  );
}

function withPaths(text: string, paths: ReadonlyMap<string, string>): string {
  if (paths.size === 0) return text;
  const longestFirst = [...paths.keys()].sort((a, b) => b.length - a.length);
  const any = longestFirst.map((path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_.-])(?:${any})${PATH_END}`, "gu");
  return text.replaceAll(pattern, (path) => paths.get(path) ?? path);
}

/** A {@linkcode StandIn} that was made. `isWhole` is false when there was more than is copied, or could be. */
export interface MadeStandIn extends StandIn {
  readonly isWhole: boolean;
  /** The temporary folder that it lies in. */
  readonly folder: string;
}

/**
 * Makes what stands in for a folder or a file: a copy in a temporary folder of its own, links left out; empty
 * where there is nothing, and where nothing is to be seen of what is there.
 */
export async function makeStandIn(
  real: string,
  isShown: boolean,
  files: Host["files"],
  limits: Pick<Limits, "maxLearnCopyBytes" | "maxLearnCopyFiles">,
): Promise<MadeStandIn> {
  const folder = await files.makeTempFolder("skep-learn-");
  const facts = await files.stat(real);
  const isFile = facts !== undefined && !facts.isDirectory;
  const copy = isFile ? join(folder, basename(real)) : folder;
  const left = { bytes: limits.maxLearnCopyBytes, files: limits.maxLearnCopyFiles };
  try {
    const isWhole = facts === undefined || (isShown && await copyAll(real, copy, left, files));
    return { real, copy, isWhole, folder };
  } catch (error) {
    await files.remove(folder);
    throw error;
  }
}

/** True when all of it was copied. What cannot be read is not; neither could the server be shown it. */
async function copyAll(
  from: string,
  to: string,
  left: { bytes: number; files: number },
  files: Host["files"],
): Promise<boolean> {
  const facts = await files.lstat(from).catch(() => undefined);
  if (facts === undefined) return true;
  if (left.files-- <= 0) return false;
  if (facts.isDirectory) {
    await files.makeFolder(to);
    let isWhole = true;
    for (const name of await files.list(from).catch(() => [])) {
      isWhole = await copyAll(join(from, name), join(to, name), left, files) && isWhole;
    }
    return isWhole;
  }
  if (!facts.isFile || facts.bytes > left.bytes) return false;
  const bytes = await files.readBytes(from, left.bytes).catch(() => undefined);
  if (bytes === undefined) return false;
  left.bytes -= bytes.length;
  await files.writeBytes(to, bytes, facts.mode);
  return true;
}
