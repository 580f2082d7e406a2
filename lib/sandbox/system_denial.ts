import { BASE_SET } from "./base_set.ts";
import type { Denial } from "./denial.ts";
import type { Grant } from "./grant.ts";
import { isGranted, protectedPart } from "./is_granted.ts";
import { isWithin } from "./paths.ts";

type Found = Omit<Denial, "server">;

/**
 * What a program's error text says of a refusal by the system, when it names a path or host outside the
 * grant: EACCES, EPERM, EROFS, and what a network without a way out answers. It may be something else.
 */
export function systemDenial(text: string, grant: Grant): Found | undefined {
  return networkDenial(text, grant) ?? pathDenial(text, grant, false);
}

/**
 * The same of what a shell's command wrote that failed; and that it found nothing at a path outside of its grant,
 * which is how a confinement refuses.
 */
export function commandDenial(text: string, grant: Grant): Found | undefined {
  return networkDenial(text, grant) ?? pathDenial(text, grant, true);
}

/**
 * A protected file that is read-only, or cannot be replaced, as programs say it in whatever they write: a
 * shell's call is no failure because a command of it met one.
 */
export function heldDenial(text: string, grant: Grant): Found | undefined {
  for (const line of text.split("\n")) {
    if (!HELD.test(line)) continue;
    for (const [word] of line.matchAll(/[^\s'"`‘’:,()]+/g)) {
      if (protectedPart(word, grant) === undefined) continue;
      return { access: "write", value: word, isCertain: false };
    }
  }
  return undefined;
}

/** EROFS, and what a mount answers that something is to replace. */
const HELD = new RegExp(
  [
    String.raw`\b(?:EROFS|EBUSY|Read-only file system|Device or resource busy)\b`,
    // Where a protected file is missing an empty folder holds its place: what programs say that write there.
    String.raw`(?:\bline \d+: |\bcannot create |\btee: |\bdd: ).*: Is a directory\b`,
    String.raw`\bEISDIR\b.*\bopen\b|\bIsADirectoryError\b`,
    String.raw`\bmkdir: cannot create directory .*: File exists\b`,
  ].join("|"),
  "i",
);

/** No way to an address, or no answer for a name: so it is where a server has no network. */
function networkDenial(text: string, grant: Grant): Found | undefined {
  for (const pattern of NO_WAY) {
    const [, name, port] = pattern.exec(text) ?? [];
    if (name === undefined) continue;
    const host = port === undefined ? name : `${name}:${port}`;
    if (isGranted("net", host, grant)) continue;
    return { access: "net", value: host, isCertain: false };
  }
  return undefined;
}

/** A name with a dot, an address, or any of them with a port: a lone word is no host. */
const HOST = String.raw`((?:\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?|[\w-]+:\d+)`;
const NAME = String.raw`([\w-]+(?:\.[\w-]+)+)`;
/** How Node and Deno, curl, git, wget and Python say it, with the host or address. */
const NO_WAY: readonly RegExp[] = [
  String.raw`\bconnect (?:ENETUNREACH|EHOSTUNREACH|EPERM|EACCES) ${HOST}`,
  String.raw`\b(?:ENETUNREACH|EHOSTUNREACH)\W+${HOST}`,
  String.raw`\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND) ${HOST}`,
  String.raw`\bcould not resolve host(?:name:?|:) ${HOST}`,
  String
    .raw`/dev/(?:tcp|udp)/${NAME}/(\d+): (?:network is unreachable|operation not permitted|permission denied)`,
  String
    .raw`\bconnect to (?:host )?${NAME} port (\d+)[^\n]{0,60}: (?:network is unreachable|no route to host)`,
  String.raw`\burl \(\w+://${HOST}[^\n]*(?:lookup address|dns error|network is unreachable)`,
  String.raw`\bunable to resolve host address [‘'"]${HOST}`,
  String.raw`\bconnect(?:ing)? to ${HOST}[^\n]{0,60}: (?:network is unreachable|no route to host)`,
  String.raw`\bhost='${HOST}'[^\n]{0,400}(?:network is unreachable|failure in name resolution)`,
].map((pattern) => new RegExp(pattern, "i"));

/** EACCES, EPERM and EROFS as systems say them. */
const REFUSAL =
  /\b(?:EACCES|EPERM|EROFS|PermissionDenied|[Pp]ermission denied|[Oo]peration not permitted|Read-only file system)\b/;
/** A path that is not there is a refusal where a command names one outside of its grant: it sees nothing there. */
const ABSENT = /\b(?:ENOENT|No such file or directory)\b/;
const READ_ONLY = /\b(?:EROFS|Read-only file system)\b/;
const WRITES =
  /\b(?:EROFS|Read-only file system|mkdir|unlink|rename|rmdir|symlink|cannot (?:touch|create|remove|make|move|write|overwrite)|for writing|changing permissions|changing ownership)\b/;
const PATHS = /['"`‘](\/[^'"`’\n]+)['"`’]|(?:^|[\s(])(\/[^\s:'"`,)]+)/g;
/** Where the code stands before what it is about: `EACCES: permission denied, open '/x'`. */
const CODE_FIRST = /^(?:E[A-Z]+|PermissionDenied)\b|^[^:]*(?::|\()[^:]*['"`]/;
/** Folders of a confinement that have something in them whatever is granted. */
const OWN_FOLDERS = ["/proc", "/sys", "/dev"];

function pathDenial(text: string, grant: Grant, isCommand: boolean): Found | undefined {
  for (const line of text.split("\n")) {
    const refusal = REFUSAL.exec(line) ?? (isCommand ? ABSENT.exec(line) : null);
    if (refusal === null) continue;
    const isAbsent = ABSENT.test(refusal[0]);
    const isWrite = WRITES.test(line);
    for (const value of pathsBy(line, refusal.index)) {
      const unseen = isAbsent ? { isUnseen: true } as const : {};
      // Which of them are read-only, and which shut to this user, is no matter of the grant.
      const isOpen = isInBase(value, isAbsent ? OWN_FOLDERS : []);
      if (!isWrite && !isOpen && !isGranted("read", value, grant)) {
        return { access: "read", value, isCertain: false, ...unseen };
      }
      if (isAbsent || (isOpen && !isWrite)) continue;
      const isHeld = READ_ONLY.test(line) && protectedPart(value, grant) !== undefined;
      if (isHeld || !isGranted("write", value, grant)) {
        return { access: "write", value, isCertain: false };
      }
    }
  }
  return undefined;
}

/** The paths that a line names, the one that the words at `index` are about first. */
function pathsBy(line: string, index: number): string[] {
  const found = [...line.matchAll(PATHS)].map((match) => ({
    at: match.index,
    path: match[1] ?? match[2] ?? "",
  }));
  const before = found.filter(({ at }) => at < index).toReversed();
  const after = found.filter(({ at }) => at >= index);
  const ordered = CODE_FIRST.test(line.slice(index))
    ? [...after, ...before]
    : [...before, ...after];
  return ordered.map(({ path }) => path);
}

/** True for what every program sees, whatever is granted: the programs that tell of a refusal among it. */
function isInBase(path: string, more: readonly string[]): boolean {
  return [...Object.keys(BASE_SET), ...more].some((each) => isWithin(path, each, "linux"));
}
