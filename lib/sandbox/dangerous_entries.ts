import { join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import type { Grant } from "./grant.ts";
import { isAbsolutePath, isWithin, type Os } from "./paths.ts";
import { IN_HOME } from "./protected_names.ts";

/** Folders of the system, whose programs and settings all users have. */
const SYSTEM_FOLDERS: { readonly [os in Os]?: readonly string[] } = {
  linux: ["/bin", "/boot", "/etc", "/lib", "/lib64", "/opt", "/sbin", "/usr", "/var/spool/cron"],
  darwin: [
    "/Applications",
    "/Library",
    "/System",
    "/bin",
    "/etc",
    "/opt",
    "/private/etc",
    "/sbin",
    "/usr",
  ],
  windows: ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"],
};
/** Files that tell the passwords of a machine's accounts, as hashes. */
const PASSWORD_FILES: readonly string[] = ["/etc/shadow", "/etc/gshadow", "/etc/master.passwd"];
/** What a unix socket gives whoever opens it, by the end of its path. */
const SOCKETS: readonly (readonly [end: RegExp, what: string])[] = [
  [/\/(docker|podman|containerd|crio)\.sock$/, "who may do that can do all on this machine"],
  [/\/(bus|system_bus_socket)$/, "it can have programs started that nothing confines"],
];
/** Where a machine in a cloud is told its keys. */
const METADATA_HOSTS: readonly string[] = [
  "169.254.169.254",
  "[fd00:ec2::254]",
  "100.100.100.200",
  "metadata.google.internal",
];

/** Entries of a grant that give more than they look like, each as the rest of a sentence about the server. */
export function dangerousEntries(
  { read, write, net, workspace }: Pick<Grant, "read" | "write" | "net" | "workspace">,
  host: Pick<LaunchContext["host"], "env" | "platform" | "isRoot">,
): string[] {
  const { os } = host.platform;
  const outside = write.map(({ value }) => value).filter((path) => !isWithin(path, workspace, os));
  const passwords = PASSWORD_FILES.flatMap((file) =>
    // A folder around it shows it to the administrator alone.
    read.some(({ value }) => value === file || (host.isRoot() && isWithin(file, value, os)))
      ? [file]
      : []
  );
  return [
    ...outside.flatMap((path) => whatItChanges(path, host) ?? []),
    ...(passwords.length === 0
      ? []
      : [`may read ${passwords.join(", ")}: the passwords of this machine's accounts, as hashes`]),
    ...net.flatMap(({ value }) => whatItReaches(value) ?? []),
  ];
}

/** One line for each entry: the gravest. */
function whatItChanges(
  path: string,
  host: Pick<LaunchContext["host"], "env" | "platform">,
): string | undefined {
  const { os } = host.platform;
  const home = host.env(os === "windows" ? "USERPROFILE" : "HOME");
  if (home !== undefined && isWithin(home, path, os)) {
    const what = path === home ? "your home folder" : `with your home folder ${home}`;
    return `may write ${path}, ${what}: it can change what your shell runs`;
  }
  const touches = (other: string) => isWithin(other, path, os) || isWithin(path, other, os);
  const found = home === undefined
    ? undefined
    : Object.entries(IN_HOME).find(([name]) => touches(join(home, name)));
  if (found !== undefined) {
    const [name, reason] = found;
    return `may write ${path}: it can change what runs by itself in your home folder (${name}: ${reason})`;
  }
  const folders = (host.env("PATH") ?? "").split(os === "windows" ? ";" : ":");
  const onPath = folders.find((folder) => isAbsolutePath(folder, os) && touches(folder));
  if (onPath !== undefined) {
    return `may write ${path}: it can change the programs of ${onPath}, which is on your PATH, and so what your shell runs`;
  }
  return SYSTEM_FOLDERS[os]?.some(touches)
    ? `may write ${path}: it can change programs and settings of the system`
    : undefined;
}

function whatItReaches(value: string): string | undefined {
  if (value.startsWith("unix:")) {
    const [, what] = SOCKETS.find(([end]) => end.test(value)) ?? [];
    return what === undefined ? undefined : `may open ${value.slice("unix:".length)}: ${what}`;
  }
  return METADATA_HOSTS.some((host) => value === host || value.startsWith(`${host}:`))
    ? `reaches ${value}: where a machine in a cloud gets its keys`
    : undefined;
}
