import type { Host } from "../host/host.ts";
import type { Mount } from "./mounts.ts";

/** What programs need to run at all, to read, and why. What a machine does not have is left out. */
export const BASE_SET: Readonly<Record<string, string>> = {
  "/usr": "programs and libraries",
  "/bin": "programs",
  "/sbin": "programs",
  "/lib": "libraries",
  "/lib32": "libraries",
  "/lib64": "libraries",
  "/libx32": "libraries",
  "/nix/store": "programs and libraries of Nix",
  "/gnu/store": "programs and libraries of Guix",
  "/etc/ld.so.cache": "where libraries lie",
  "/etc/ld.so.conf": "where libraries lie",
  "/etc/ld.so.conf.d": "where libraries lie",
  "/etc/alternatives": "which program a name means",
  // Not the whole folders: private keys lie there too, which the administrator may read.
  "/etc/ssl/certs": "certificates to trust",
  "/etc/ssl/cert.pem": "certificates to trust",
  "/etc/ssl/openssl.cnf": "certificates to trust",
  "/etc/pki/tls/certs": "certificates to trust",
  "/etc/pki/tls/cert.pem": "certificates to trust",
  "/etc/pki/tls/openssl.cnf": "certificates to trust",
  "/etc/pki/ca-trust": "certificates to trust",
  "/etc/ca-certificates": "certificates to trust",
  "/etc/hosts": "names of this machine",
  "/etc/host.conf": "how names are looked up",
  "/etc/nsswitch.conf": "how names are looked up",
  "/etc/protocols": "names of protocols",
  "/etc/services": "names of ports",
  "/etc/passwd": "names of users",
  "/etc/group": "names of groups",
  "/etc/localtime": "time zone",
  "/etc/timezone": "time zone",
  "/etc/gitconfig": "git's settings for the machine",
  "/etc/mime.types": "kinds of files",
  "/etc/os-release": "which system this is",
  "/sys/devices/system/cpu": "how many processors there are",
};

/** Read besides when the network is shared. */
export const NETWORK_SET: Readonly<Record<string, string>> = {
  "/etc/resolv.conf": "where names are looked up",
};

/**
 * The base set as mounts: a link (as `/bin` often is) stays the link it is, the rest is shown to read.
 * Links into places that are not shown (as `/etc/resolv.conf` often is) are followed first.
 */
export async function baseMounts(
  paths: readonly string[],
  { files }: { files: Pick<Host["files"], "lstat" | "stat" | "realPath"> },
): Promise<Mount[]> {
  const mounts = await Promise.all(paths.map(async (path): Promise<Mount | undefined> => {
    // Deno lets nobody look at /sys, and every Linux has it.
    if (path.startsWith("/sys/")) return { type: "read", path, isFolder: true };
    const facts = await files.lstat(path);
    if (facts === undefined) return undefined;
    if (!facts.isSymlink) return { type: "read", path, isFolder: facts.isDirectory };
    const source = await files.realPath(path).catch(() => undefined); // a link that leads nowhere
    if (source === undefined) return undefined;
    const isShown = paths.some((shown) => source.startsWith(`${shown}/`) && shown !== path);
    if (isShown) return { type: "link", path, to: source };
    const target = await files.stat(source);
    return { type: "read", path, source, isFolder: target?.isDirectory ?? false };
  }));
  return mounts.filter((mount) => mount !== undefined);
}
