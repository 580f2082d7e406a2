import { basename, dirname, join, relative } from "@std/path";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { GRANTS_LOCK, grantsLockText, readGrantsLock } from "../sandbox/accept/grants_lock.ts";
import { recorded } from "../sandbox/accept/recorded.ts";
import { wideningLines, widenings } from "../sandbox/accept/widenings.ts";
import { isWithin } from "../sandbox/paths.ts";
import type { GrantSource } from "./grant_sources.ts";
import { packsFolder } from "./packs_folder.ts";
import type { Run } from "./prepare_run.ts";

/**
 * `skep audit --write`: records what the servers of each source ask for in the `grants.lock` beside it. A persona that
 * ships with skep needs none.
 */
export async function writeGrants(run: Run, host: Host): Promise<number> {
  const { limits } = run.settings;
  const locks = await byLock(run, host);
  if (locks.size === 0) host.warn(nothingToRecord(run));
  for (const [path, sources] of locks) {
    const before = await readGrantsLock(path, host.files, limits) ?? {};
    const own = await Promise.all(
      sources.map(async (each) => [nameIn(path, each), await recorded(each.requests)] as const),
    );
    await host.files.writeText(
      path,
      grantsLockText({ ...before, ...Object.fromEntries(own) }),
      0o644,
    );
    await host.print(run.settings.isJson ? `${JSON.stringify({ path })}\n` : `${path}\n`);
  }
  return 0;
}

/**
 * `skep audit --check`: 0 when no source asks for more than its `grants.lock` has, 3 with what is more.
 *
 * @throws {SkepError} `CONFIG_INVALID` when nothing was recorded.
 */
export async function checkGrants(run: Run, host: Host): Promise<number> {
  const { isJson, limits } = run.settings;
  let isMore = false;
  const locks = await byLock(run, host);
  if (locks.size === 0) host.warn(nothingToRecord(run));
  for (const [path, sources] of locks) {
    const lock = await readGrantsLock(path, host.files, limits);
    for (const source of sources) {
      const before = lock?.[nameIn(path, source)];
      if (before === undefined) {
        const message = lock === undefined
          ? `There is no ${path}: skep audit --write makes it`
          : `${path} has nothing of ${nameIn(path, source)}: skep audit --write adds it`;
        throw new SkepError("CONFIG_INVALID", message, { source: path });
      }
      const more = widenings(before, await recorded(source.requests), host.platform.os);
      isMore ||= more.length > 0;
      if (isJson) {
        await host.print(`${JSON.stringify({ source: source.file, lock: path, widened: more })}\n`);
      } else if (more.length === 0) {
        await host.print(`${source.title} asks for no more than ${path} has\n`);
      } else {
        const lines = wideningLines(more).map((line) => `  ${line}\n`);
        await host.print(`${source.title} asks for more than ${path} has:\n${lines.join("")}`);
      }
    }
  }
  return isMore ? 3 : 0;
}

/** What ships with skep is recorded in skep itself: its folder may be anybody's, and is no place to write in. */
function isRecorded({ kind, isTrusted, requests }: GrantSource): boolean {
  return requests.length > 0 && !(kind === "pack" && isTrusted);
}

function nothingToRecord({ persona, consent: { sources } }: Run): string {
  const hasServers = sources.some(({ requests }) => requests.length > 0);
  return hasServers
    ? `Nothing to record: the persona ${persona.name} ships with skep, and there are no other servers`
    : "Nothing to record: there are no servers";
}

/** The sources by the file that records them. */
async function byLock(
  { consent: { sources } }: Run,
  host: Host,
): Promise<Map<string, readonly GrantSource[]>> {
  const packs = await host.files.realPath(packsFolder(host)).catch(() => undefined);
  const listed = sources.filter(isRecorded);
  return Map.groupBy(listed, ({ folder }) => lockPath(folder, packs));
}

/** An installed pack is held against its digest: what is recorded of it lies beside its folder. */
function lockPath(folder: string, packs: string | undefined): string {
  return packs !== undefined && dirname(folder) === packs
    ? join(packs, `${basename(folder)}.${GRANTS_LOCK}`)
    : join(folder, GRANTS_LOCK);
}

/** A source as its lock names it: relative, so that a pack may be moved. */
function nameIn(lock: string, { folder, file }: GrantSource): string {
  const isBelow = isWithin(file, folder, "linux");
  return isBelow ? relative(folder, file).replaceAll("\\", "/") : relative(dirname(lock), file);
}
