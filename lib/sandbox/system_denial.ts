import type { Denial } from "./denial.ts";
import type { Grant } from "./grant.ts";
import { isGranted, protectedPart } from "./is_granted.ts";

type Found = Omit<Denial, "server">;

/**
 * What a program's error text says of a refusal by the system, when it names a path or host outside the
 * grant: EACCES, EPERM, EROFS, and what a network without a way out answers. It may be something else.
 */
export function systemDenial(text: string, grant: Grant): Found | undefined {
  return networkDenial(text, grant) ?? pathDenial(text, grant);
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
const HELD = /\b(?:EROFS|EBUSY|Read-only file system|Device or resource busy)\b/i;

/** No way to an address, or no answer for a name: so it is where a server has no network. */
function networkDenial(text: string, grant: Grant): Found | undefined {
  for (const pattern of NO_WAY) {
    const [, host] = pattern.exec(text) ?? [];
    if (host === undefined || isGranted("net", host, grant)) continue;
    return { access: "net", value: host, isCertain: false };
  }
  return undefined;
}

/** A name with a dot, an address, or any of them with a port: a lone word is no host. */
const HOST = String.raw`((?:\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?|[\w-]+:\d+)`;
/** How Node and Deno, curl, git, wget and Python say it, with the host or address. */
const NO_WAY: readonly RegExp[] = [
  String.raw`\bconnect (?:ENETUNREACH|EHOSTUNREACH|EPERM|EACCES) ${HOST}`,
  String.raw`\b(?:ENETUNREACH|EHOSTUNREACH)\W+${HOST}`,
  String.raw`\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND) ${HOST}`,
  String.raw`\bcould not resolve host: ${HOST}`,
  String.raw`\bunable to resolve host address [‘'"]${HOST}`,
  String.raw`\bconnect(?:ing)? to ${HOST}[^\n]{0,60}: (?:network is unreachable|no route to host)`,
  String.raw`\bhost='${HOST}'[^\n]{0,400}(?:network is unreachable|failure in name resolution)`,
].map((pattern) => new RegExp(pattern, "i"));

/** EACCES, EPERM and EROFS as systems say them. A path that is not there (ENOENT) is no refusal. */
const REFUSAL =
  /\b(EACCES|EPERM|EROFS|PermissionDenied|[Pp]ermission denied|[Oo]peration not permitted|Read-only file system)\b/;
const READ_ONLY = /\b(EROFS|Read-only file system)\b/;
const WRITES = /\b(EROFS|Read-only file system|mkdir|unlink|rename|rmdir|symlink)\b/;
const PATHS = /['"`‘](\/[^'"`’\n]+)['"`’]|(?:^|[\s(])(\/[^\s:'"`,)]+)/g;

function pathDenial(text: string, grant: Grant): Found | undefined {
  if (!REFUSAL.test(text)) return undefined;
  const isWrite = WRITES.test(text);
  for (const [, quoted, bare] of text.matchAll(PATHS)) {
    const value = quoted ?? bare ?? "";
    if (!isWrite && !isGranted("read", value, grant)) {
      return { access: "read", value, isCertain: false };
    }
    const isHeld = READ_ONLY.test(text) && protectedPart(value, grant) !== undefined;
    if (isHeld || !isGranted("write", value, grant)) {
      return { access: "write", value, isCertain: false };
    }
  }
  return undefined;
}
