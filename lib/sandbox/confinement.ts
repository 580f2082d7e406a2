import { dirname, join, normalize } from "@std/path";
import { SkepError } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import { BASE_SET, baseMounts, NETWORK_SET } from "./base_set.ts";
import { certificatePaths } from "./certificates.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import type { Grant } from "./grant.ts";
import { guardedFiles, guardMounts, type Held, pins } from "./guards.ts";
import type { Launch } from "./launch.ts";
import { maskPlaces } from "./mask_places.ts";
import type { Mount } from "./mounts.ts";
import { networkOf } from "./network.ts";
import { type ProtectedPath, protectedPaths } from "./never_granted.ts";
import { canonicalPath, isWithin } from "./paths.ts";
import type { Placeholder } from "./placeholders.ts";
import type { SocketRules } from "./seccomp.ts";
import type { ResourceLimits } from "./spec.ts";

/** A grant as the operating system's rules, whatever the backend. */
export interface Confinement {
  /** All that is visible, in order. */
  readonly mounts: readonly Mount[];
  /** `own`: a network of its own with nothing but loopback. `shared`: the machine's. */
  readonly network: "own" | "shared";
  readonly sockets: SocketRules;
  /** The command that carries what connects to the own loopback to skep's proxy, where that is the way out. */
  readonly forwarder?: readonly string[];
  readonly limits: ResourceLimits;
  /** What to put where a protected path is missing, so that it can be held. */
  readonly placeholders: readonly Placeholder[];
}

/** What a confinement is made from. */
export interface ConfinementInput {
  readonly grant: Grant;
  /** What is to hold it. Landlock alone makes no network and cannot except a path from a folder. */
  readonly backend: BackendName;
  readonly kind: Launch["kind"];
  readonly places: ServerPlaces;
  /** Files and folders of skep's own that the server's start reads. */
  readonly ownFiles: readonly string[];
  /** The script that it is started from: the next start runs what is there then. */
  readonly script?: string;
  readonly forwarder?: Confinement["forwarder"];
}

/** Private files in memory: /tmp, /dev/shm and the like together. */
const TMPFS_BYTES = 256 * 1024 * 1024;

/**
 * What the operating system is to hold a server to. Outside of it nothing is visible: a path that is
 * not granted does not exist.
 *
 * @throws {SkepError} `GRANT_REFUSED` when a protected file of a writable folder cannot be held.
 */
export async function confinement(
  input: ConfinementInput,
  context: LaunchContext,
): Promise<Confinement> {
  const { grant, kind, places } = input;
  const { os } = context.host.platform;
  const reach = networkOf(grant, kind, input.backend);
  const network = reach === "shared" ? "shared" : "own";
  const base = await baseMounts(
    [...Object.keys(BASE_SET), ...(network === "shared" ? Object.keys(NETWORK_SET) : [])],
    context.host,
  );
  const hasOwnFiles = input.backend !== "landlock";
  const guarded = hasOwnFiles ? await guardedFiles(input, context) : [];
  const isGuarded = (path: string) => guarded.some((file) => isWithin(path, file.path, os));
  // The private ones by name: they may lie in another one, and be hidden with those of other servers.
  const asked = [...grant.write.map(({ value }) => value), places.tmp, places.home];
  const write = asked.filter((path) => !isGuarded(path));
  const read = [
    ...asked.filter(isGuarded),
    ...grant.read.map(({ value }) => value),
    ...grant.run.map(({ value }) => value),
    ...socketsOf(grant), // to connect is not to write
    ...input.ownFiles,
    ...await certificatePaths(context),
    ...(kind === "native" ? [] : [places.deno, ...await denoCache(input, context)]),
  ];
  const seen = await Promise.all(read.map((path) => whereSeen(path, [...read, ...write], context)));
  const granted = await Promise.all([
    ...write.map((path) => mountOf("write", path, context)),
    ...seen.filter((path) => !write.some((folder) => isWithin(path, folder, os)))
      .filter((path) =>
        !base.some(({ type, path: shown }) =>
          (type === "read" || type === "link") && isWithin(path, shown, os)
        )
      )
      .map((path) => mountOf("read", path, context)),
  ]);
  const guards = guardMounts(guarded, write, grant, os);
  const hidden = hasOwnFiles ? await masked([...read, ...write], write, input, context) : NO_MASKS;
  const special: Mount[] = [
    { type: "proc", path: "/proc" },
    { type: "dev", path: "/dev", bytes: TMPFS_BYTES },
    { type: "tmpfs", path: "/tmp", bytes: TMPFS_BYTES, mode: 0o1777 },
    { type: "tmpfs", path: "/var/tmp", bytes: TMPFS_BYTES, mode: 0o1777 },
  ];
  // Where the server starts, whatever it may see of it.
  const start: Mount = { type: "folder", path: grant.workspace };
  const isShown = [...read, ...write].some((path) => isWithin(grant.workspace, path, os));
  const own = distinct([
    ...(isShown ? [] : [start]),
    ...granted.filter((mount) => mount !== undefined),
    ...guards.mounts,
    ...hidden.mounts,
  ]);
  const mounts = [...base, ...special, ...own.sort((a, b) => depth(a.path) - depth(b.path))];
  checkPaths(mounts);
  return {
    mounts,
    network,
    sockets: {
      internet: network === "shared" ? "tcp_udp" : hasOwnFiles ? "tcp" : "none",
      unix: reach === "proxied" || grant.net.some(({ value }) => value.startsWith("unix:")),
    },
    ...(input.forwarder === undefined ? {} : { forwarder: input.forwarder }),
    limits: grant.limits,
    // Seatbelt's rules hold for what is not there.
    placeholders: input.backend === "seatbelt"
      ? []
      : [...guards.placeholders, ...hidden.placeholders],
  };
}

function socketsOf({ net }: Grant): string[] {
  const places = net.map(({ value }) => value).filter((value) => value.startsWith("unix:"));
  return places.map((value) => value.slice("unix:".length));
}

/** What Deno's cache holds beside code: what programs have stored, and what was typed into its prompt. */
const PRIVATE_IN_DENO_DIR = ["location_data", "deno_history.txt"];

/** Deno's cache without what it keeps of others: masks hide that, and Landlock alone is shown the rest. */
async function denoCache(
  { backend, places: { denoDir } }: ConfinementInput,
  { host }: Pick<LaunchContext, "host">,
): Promise<string[]> {
  if (backend !== "landlock") return [denoDir];
  const names = await host.files.list(denoDir).catch(() => []); // there is none yet
  return names.filter((name) => !PRIVATE_IN_DENO_DIR.includes(name))
    .map((name) => join(denoDir, name));
}

async function mountOf(
  type: "read" | "write",
  path: string,
  { host }: Pick<LaunchContext, "host">,
): Promise<Mount | undefined> {
  const facts = await host.files.stat(path);
  // What does not exist yet cannot be shown; what appears there later belongs to somebody else.
  return facts === undefined ? undefined : { type, path, isFolder: facts.isDirectory };
}

/**
 * Where a path is to be shown: what it leads to, when the link on its way is shown with a folder around it.
 * Nothing can be put over a link, as a program on PATH may be one.
 */
async function whereSeen(
  path: string,
  shown: readonly string[],
  { host: { files, platform: { os } } }: Pick<LaunchContext, "host">,
): Promise<string> {
  const isBelow = shown.some((folder) => folder !== path && isWithin(path, folder, os));
  return isBelow ? await files.realPath(path).catch(() => path) : path; // what is not there is left out
}

const NO_MASKS: Held = { mounts: [], placeholders: [] };

/** What is never granted and lies below something that is: shown empty. */
async function masked(
  granted: readonly string[],
  write: readonly string[],
  { grant: { server }, places }: ConfinementInput,
  context: LaunchContext,
): Promise<Held> {
  const { host } = context;
  const { os } = host.platform;
  const isBelow = (path: string, folders: readonly string[]) =>
    folders.some((folder) => isWithin(path, folder, os));
  const temporary = dirname(dirname(places.tmp)); // holds those of other servers
  const denoDir = await canonicalPath(places.denoDir, host).catch(() => places.denoDir);
  const ofDeno = PRIVATE_IN_DENO_DIR.map((name): ProtectedPath => ({
    path: join(denoDir, name),
    holds: "what Deno keeps of others",
    covers: "all",
    ...(name.endsWith(".txt") ? { isFile: true } as const : {}),
  }));
  const guarded = [...await protectedPaths(context, { denoDir, temporary }), ...ofDeno];
  const mounts: Mount[] = [];
  const placeholders = new Map<string, Placeholder>(); // folders before what lies in them
  for (const { path, covers, isFile = false } of guarded) {
    if (covers === "writes" || !isBelow(path, granted)) continue;
    const folder = await host.files.realPath(dirname(path)).catch(() => dirname(path));
    if (folder !== dirname(path)) continue; // behind a link: where that leads is protected itself
    const facts = await host.files.lstat(path);
    if (facts?.isSymlink && isBelow(path, write)) throw cannotMask(path, server);
    if (facts?.isSymlink) continue; // what it leads to is protected itself
    const around = write.filter((folder) => isWithin(path, folder, os));
    const place = isFile ? { path, text: "" } : { path };
    const places = around.length === 0 ? [] : await maskPlaces(place, around, host.files);
    const isMakeable = places !== undefined && places.length > 0;
    if (facts === undefined && !isMakeable) continue; // nothing is there, and nothing can be put there
    for (const each of places ?? []) placeholders.set(each.path, each);
    mounts.push(...around.flatMap((folder) => pins(folder, path)));
    mounts.push({ type: "mask", path, isFolder: facts?.isDirectory ?? !isFile });
  }
  return { mounts, placeholders: [...placeholders.values()] };
}

function cannotMask(path: string, server: string): SkepError {
  const message =
    `Cannot start server "${server}": it may write ${dirname(path)}, and ${path} is a ` +
    "link there, which cannot be hidden for good. Choose another --cwd, or a smaller grant";
  return new SkepError("GRANT_REFUSED", message, { server });
}

/** Of several mounts at one path the strictest stays. */
function distinct(mounts: readonly Mount[]): Mount[] {
  const strictness = ["folder", "write", "read", "mask"];
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const before = byPath.get(mount.path);
    const isStricter = before === undefined ||
      strictness.indexOf(mount.type) > strictness.indexOf(before.type);
    if (isStricter) byPath.set(mount.path, mount);
  }
  return [...byPath.values()];
}

/** A path that is not absolute would show whatever folder the backend happens to start in. */
function checkPaths(mounts: readonly Mount[]): void {
  for (const mount of mounts) {
    for (const path of [mount.path, ...("source" in mount ? [mount.source] : [])]) {
      if (path.startsWith("/") && normalize(path) === path) continue;
      throw new SkepError(
        "DEFECT",
        `Cannot show ${JSON.stringify(path)} to a server: it is not absolute`,
        {},
      );
    }
  }
}

function depth(path: string): number {
  return path.split("/").length;
}
