import { dirname, join } from "@std/path";
import type { Host } from "../../host/host.ts";
import type { Entry } from "../grant.ts";
import type { Launch } from "../launch.ts";
import { isWithin, type Os, relativeTo } from "../paths.ts";
import type { ProbeResult } from "./probe_result.ts";

/** What of a grant the probe is to use, as its programs are told. */
export interface GrantedEntries {
  readonly grantedRead: readonly string[];
  /** Folders. */
  readonly grantedWrite: readonly string[];
  readonly grantedRun: readonly string[];
  /** Of loopback; 0 is any. */
  readonly grantedPorts: readonly number[];
}

export const NO_ENTRIES: GrantedEntries = {
  grantedRead: [],
  grantedWrite: [],
  grantedRun: [],
  grantedPorts: [],
};

/** An entry that is not used, and why. */
type Untried = Pick<ProbeResult, "probe" | "expected" | "outcome" | "detail">;

/**
 * Tells which entries of a grant the probe uses, beside the workspace and the private folders that it uses anyway,
 * and which it does not, each with the reason: no file that is there is touched, and nothing is sent out.
 */
export async function grantedEntries(
  { grant, kind }: Pick<Launch, "grant" | "kind">,
  { files, platform: { os } }: Pick<Host, "platform"> & { files: Pick<Host["files"], "stat"> },
): Promise<{ readonly used: GrantedEntries; readonly untried: readonly Untried[] }> {
  const untried: Untried[] = [];
  const leave = (list: string, value: string, detail: string) => {
    untried.push({
      probe: `granted-${list} ${value}`,
      expected: "allowed",
      outcome: "skipped",
      detail,
    });
  };
  // The probe's workspace is a throwaway, whose name says nothing to a person.
  const named = (path: string) => {
    const below = relativeTo(path, grant.workspace, os);
    return below === undefined ? path : `./${below}`;
  };
  const grantedWrite: string[] = [];
  for (const path of ownPaths(grant.write, grant, os)) {
    const facts = await files.stat(path).catch(() => undefined);
    if (facts === undefined) leave("write", named(path), "it is not there");
    else if (facts.isDirectory) grantedWrite.push(named(path));
    else leave("write", named(path), "it is no folder: what is there is not touched");
  }
  const grantedRead: string[] = [];
  for (const path of ownPaths(grant.read, grant, os)) {
    if (grant.write.some(({ value }) => value === path)) continue;
    const facts = await files.stat(path).catch(() => undefined);
    if (facts === undefined) leave("read", named(path), "it is not there");
    else grantedRead.push(named(path));
  }
  const grantedPorts: number[] = [];
  for (const { value } of grant.net) {
    const [isLoopback, port] = /^loopback(?::(\d+))?$/.exec(value) ?? [];
    if (isLoopback === undefined) {
      leave("net", value, "it is not tried: it would reach what is there");
    } else if (kind === "native") {
      leave("net", value, "it is not tried from bash: see own-loopback");
    } else grantedPorts.push(Number(port ?? 0));
  }
  for (const { list, value, reason } of grant.cut) {
    if (["read", "write", "run", "net"].includes(list)) {
      leave(list, value, `not granted: ${reason}`);
    }
  }
  const grantedRun = grant.run.map(({ value }) => value);
  return { used: { grantedRead, grantedWrite, grantedRun, grantedPorts }, untried };
}

/** Paths that are neither of the server's code, nor used by every probe. */
function ownPaths(
  entries: readonly Entry[],
  { workspace, tmp }: Launch["grant"],
  os: Os,
): string[] {
  return entries.filter(({ value, origin }) =>
    origin !== "own files" && value !== workspace && !isWithin(value, dirname(tmp), os)
  ).map(({ value }) => value);
}

/** Makes the folders of the workspace that a grant names in the probe's own one, where they are none yet. */
export async function makeGrantedFolders(
  { grant }: Pick<Launch, "grant">,
  real: string,
  { files, platform: { os } }: Pick<Host, "platform"> & {
    files: Pick<Host["files"], "makeFolder" | "stat">;
  },
): Promise<void> {
  for (const { value } of [...grant.write, ...grant.read]) {
    const below = relativeTo(value, grant.workspace, os);
    if (below === undefined || below === "") continue;
    const facts = await files.stat(join(real, below)).catch(() => undefined);
    if (facts?.isDirectory) await files.makeFolder(value);
  }
}
