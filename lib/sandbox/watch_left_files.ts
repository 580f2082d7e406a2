import { basename, dirname, join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { findGitEntries, type GitEntries } from "./find_git_entries.ts";
import { writtenBeside } from "./guards.ts";
import { inspectRepository, type Trap } from "./inspect_repository.ts";
import type { Launch } from "./launch.ts";
import { isWithin } from "./paths.ts";
import { GRANTS_LOCK } from "./accept/grants_lock.ts";
import { homeFiles } from "./protected_files.ts";
import { PROTECTED_FILES } from "./protected_names.ts";

type Watched = Pick<Launch, "server" | "grant" | "notices" | "release" | "findTraps">;
type World = Pick<LaunchContext, "workspace" | "limits" | "progress" | "policy"> & {
  readonly host: Pick<LaunchContext["host"], "platform" | "env"> & {
    readonly files: Pick<
      LaunchContext["host"]["files"],
      "lstat" | "stat" | "list" | "readText" | "realPath" | "rename" | "setMode"
    >;
  };
};

/** What the folders that a server may write hold of {@linkcode Trap}s. */
interface Sight {
  readonly traps: ReadonlyMap<string, Trap>;
  /** What there is that may become one. */
  readonly present: ReadonlySet<string>;
  readonly walks: readonly { readonly root: string; readonly entries: GitEntries }[];
}

/** What is set aside keeps its name, with this at the end. */
const SET_ASIDE = ".set-aside";

/**
 * Adds to a launch that may write where a person works: a notice when not all repositories there were
 * found; `findTraps`, which looks for what the server made that runs programs with the person's next
 * `git status` or shell; and at its release a last look, which sets such files aside. No backend can keep
 * a program from making a repository of its own.
 */
export async function watchLeftFiles<L extends Watched>(launch: L, context: World): Promise<L> {
  const { workspace, host, limits, progress } = context;
  const { os } = host.platform;
  const isWriter = launch.grant.write.some(({ value }) =>
    isWithin(value, workspace, os) || isWithin(workspace, value, os)
  );
  const roots = [
    ...(isWriter ? [workspace] : []),
    ...await writtenBeside({ ...launch.grant, workspace }, context),
  ];
  if (roots.length === 0) return launch;
  const before = await look(roots, context);
  const told = new Set(before.traps.keys());
  const closedBefore = new Set(closedIn(before));
  const toldClosed = new Set(closedBefore);
  const ownClosed = [];
  for (const path of closedBefore) if (await isOwn(path, host.files)) ownClosed.push(path);
  const name = `Server "${launch.server}"`;
  const unseen = before.walks.filter(({ entries }) =>
    !areAllHeld(entries, limits.maxHeldRepositories)
  );
  return {
    ...launch,
    notices: [
      ...launch.notices,
      ...unseen.map(({ root }) =>
        `${name} may write more repositories or folders of ${root} than are looked through: ` +
        "hooks and configuration of the git repositories deep in it may not be protected"
      ),
      ...ownClosed.map((path) =>
        printable(
          `${path} cannot be looked into: git repositories in it are neither protected nor looked through`,
        )
      ),
    ],
    findTraps: async () => {
      const now = await look(roots, context);
      const fresh = [...now.traps].filter(([key]) => !told.has(key));
      for (const [key] of fresh) told.add(key);
      const closed = closedIn(now).filter((path) => !toldClosed.has(path));
      for (const path of closed) toldClosed.add(path);
      return [
        ...byPath(fresh.map(([, trap]) => trap)).map((traps) => foundLine(name, traps)),
        ...closed.map((path) => closedLine(name, path)),
      ];
    },
    release: async () => {
      await launch.release();
      const opened: string[] = [];
      const after = await look(roots, context, async (path) => {
        const isOpen = !closedBefore.has(path) && await openFolder(path, host.files);
        if (isOpen) opened.push(path);
        return isOpen;
      });
      for (const path of opened) {
        progress(printable(`${name} left ${path} closed to you: it can be looked into again`));
      }
      for (const path of closedIn(after).filter((each) => !closedBefore.has(each))) {
        progress(
          printable(
            `${name} left ${path}, which cannot be looked into: there may be git repositories in it`,
          ),
        );
      }
      const fresh = [...after.traps].filter(([key]) => !before.traps.has(key));
      for (const traps of byPath(fresh.map(([, trap]) => trap))) {
        // What was there before is the person's, and more than what the server put into it.
        const isNew = traps.every(({ path }) => !before.present.has(path));
        const isMoved = isNew && traps[0]?.runsByItself;
        if (!isMoved && traps.every((trap) => told.has(keyOf(trap)))) continue;
        const line = isMoved ? await setAside(name, traps, roots, context) : leftLine(name, traps);
        progress(printable(line));
      }
      for (const [index, { root, entries }] of after.walks.entries()) {
        if (!before.walks[index]?.entries.isWhole || entries.isWhole) continue;
        progress(
          `${name} left more in ${root} than is looked through: there may be new git repositories in it`,
        );
      }
    },
  };
}

function areAllHeld({ entries, isWhole }: GitEntries, maxHeld: number): boolean {
  return isWhole && entries.filter(({ folder }) => folder !== "").length <= maxHeld;
}

/** The folders that could not be looked into, absolute. */
function closedIn({ walks }: Sight): string[] {
  return walks.flatMap(({ root, entries }) => entries.closed.map((folder) => join(root, folder)));
}

/** Gives its owner a folder back. False when it is somebody else's, or none. */
function openFolder(path: string, files: World["host"]["files"]): Promise<boolean> {
  return addMode(path, 0o700, files);
}

/** Only its owner can set the mode that a folder has anyway. */
function isOwn(path: string, files: World["host"]["files"]): Promise<boolean> {
  return addMode(path, 0, files);
}

/** Sets these bits of a folder besides those that it has. */
async function addMode(
  path: string,
  bits: number,
  files: World["host"]["files"],
): Promise<boolean> {
  const facts = await files.lstat(path).catch(() => undefined);
  if (facts?.mode === undefined || !facts.isDirectory) return false;
  return await files.setMode(path, facts.mode & 0o7777 | bits).then(() => true, () => false);
}

async function look(
  roots: readonly string[],
  context: World,
  open?: (path: string) => Promise<boolean>,
): Promise<Sight> {
  const { host: { files }, limits } = context;
  const seen = await Promise.all(roots.map(async (root) => {
    const entries = await findGitEntries(root, files, limits, open);
    const inside = await Promise.all(
      entries.entries.map((entry) => inspectRepository(root, entry, files)),
    );
    const named = await namedTraps(root, context);
    return {
      walk: { root, entries },
      traps: [...inside.flatMap((each) => each.traps), ...named],
      present: [...inside.flatMap((each) => each.present), ...named.map(({ path }) => path)],
    };
  }));
  const traps = seen.flatMap((each) => each.traps)
    .filter(({ path }) => roots.some((root) => isWithin(path, root, context.host.platform.os)));
  return {
    walks: seen.map(({ walk }) => walk),
    traps: new Map(traps.map((trap) => [keyOf(trap), trap])),
    present: new Set(seen.flatMap(({ present }) => present)),
  };
}

/** What runs by its very name. What is empty runs nothing: another server's placeholder, say. */
async function namedTraps(root: string, { host, policy }: World): Promise<Trap[]> {
  const named = Object.entries(PROTECTED_FILES)
    .filter(([name]) => !name.startsWith(".git/") && name !== GRANTS_LOCK) // which runs nothing
    .filter(([name]) => policy?.protect === undefined || policy.protect.includes(name))
    .map(([name, what]): Trap => ({ path: join(root, name), what, runsByItself: false }));
  const inHome = homeFiles(root, host).map(({ path, reason }): Trap => ({
    path,
    what: reason,
    runsByItself: reason === "the shell runs it",
  }));
  const traps = [...named, ...inHome];
  const isThere = await Promise.all(traps.map(({ path }) => saysSomething(path, host.files)));
  return traps.filter((_, index) => isThere[index]);
}

/** How deep placeholders may lie below a folder of these: `.config/git/credentials`. */
const PLACEHOLDER_DEPTH = 2;

/** True for a file or link that is not empty, and for a folder with anything but empty ones. */
async function saysSomething(
  path: string,
  files: World["host"]["files"],
  depth = PLACEHOLDER_DEPTH,
): Promise<boolean> {
  const facts = await files.lstat(path).catch(() => undefined);
  if (!facts?.isDirectory) return facts !== undefined && (facts.isSymlink || facts.bytes > 0);
  // A placeholder of another session's goes at any moment: what is gone says nothing.
  const inside = await files.list(path).catch((error) =>
    error?.name === "NotFound" ? [] : undefined
  );
  if (inside === undefined || (inside.length > 0 && depth === 0)) return true;
  const found = await Promise.all(
    inside.map((name) => saysSomething(join(path, name), files, depth - 1)),
  );
  return found.includes(true);
}

function keyOf({ path, what }: Trap): string {
  return `${path}\0${what}`;
}

function byPath(traps: readonly Trap[]): Trap[][] {
  return Object.values(Object.groupBy(traps, ({ path }) => path)).map((each) => each ?? []);
}

function foundLine(name: string, traps: readonly Trap[]): string {
  const [first] = traps;
  const advice = first?.runsByItself
    ? "Use no git and open no shell there before the session has ended, which sets it aside"
    : "Look at it before you use it";
  return printable(`${name} made ${shown(traps)}. ${advice}`);
}

function closedLine(name: string, path: string): string {
  return printable(
    `${name} made ${path}, which cannot be looked into. Use no git there before the session has ended`,
  );
}

function leftLine(name: string, traps: readonly Trap[]): string {
  const [first] = traps;
  const before = first?.runsByItself ? "you use git or a shell there" : "you use it";
  return `${name} left ${shown(traps)}. Look at it before ${before}`;
}

/** Moves what works by itself to where it does not, and says so. */
async function setAside(
  name: string,
  traps: readonly Trap[],
  roots: readonly string[],
  { host: { files, platform } }: World,
): Promise<string> {
  const path = traps[0]?.path ?? "";
  try {
    // Another server may have replaced a folder: nothing outside of what they may write is touched.
    const real = join(await files.realPath(dirname(path)), basename(path));
    if (!roots.some((root) => isWithin(real, root, platform.os))) return leftLine(name, traps);
    const aside = await freeName(real, files);
    await renameInto(real, aside, files);
    return `${name} left ${
      shown(traps)
    }. It is set aside as ${aside}: look at it before you put it back`;
  } catch {
    return leftLine(name, traps);
  }
}

/** Renames in a folder that its owner may have been kept from changing. */
async function renameInto(
  from: string,
  to: string,
  files: World["host"]["files"],
): Promise<void> {
  try {
    await files.rename(from, to);
  } catch {
    await openFolder(dirname(from), files);
    await files.rename(from, to);
  }
}

async function freeName(
  path: string,
  files: Pick<World["host"]["files"], "lstat">,
): Promise<string> {
  for (let count = 1;; count++) {
    const name = `${path}${SET_ASIDE}${count === 1 ? "" : `-${count}`}`;
    if (await files.lstat(name) === undefined) return name;
  }
}

/** Traps that are named: the rest is counted. */
const SHOWN_TRAPS = 3;

function shown(traps: readonly Trap[]): string {
  const named = traps.slice(0, SHOWN_TRAPS).map(({ what }) => what).join(", ");
  const more = traps.length > SHOWN_TRAPS ? ` and ${traps.length - SHOWN_TRAPS} more` : "";
  return `${traps[0]?.path}, which can run programs (${named}${more})`;
}

/** Names and values are the server's choice: a control character in one must not reach a terminal. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?");
}
