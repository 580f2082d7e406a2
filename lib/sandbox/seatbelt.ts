import { dirname } from "@std/path";
import type { SpawnCommand } from "../host/process.ts";
import type { Confinement } from "./confinement.ts";
import type { Mount } from "./mounts.ts";

/** What programs need to run at all on macOS, to read. */
const BASE = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library/Apple",
  "/Library/Developer/CommandLineTools",
  "/Applications/Xcode.app/Contents/Developer",
  "/opt/homebrew",
  "/private/etc/gitconfig",
  "/private/etc/hosts",
  "/private/etc/localtime",
  "/private/etc/paths",
  "/private/etc/protocols",
  "/private/etc/services",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
];

const DEVICES = ["null", "zero", "random", "urandom", "tty", "ptmx"].map((name) => `/dev/${name}`);

/** What every program does: start others, ask for facts of the machine, signal its own. */
const ALWAYS = [
  "(version 1)",
  "(deny default)",
  "(allow process-exec process-fork)",
  "(allow signal process-info* (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow ipc-posix-sem ipc-posix-shm*)",
  "(allow pseudo-tty)",
  '(allow file-ioctl (regex #"^/dev/(tty|pty)"))',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow mach-lookup (global-name "com.apple.system.notification_center"))',
  '(allow mach-lookup (global-name "com.apple.logd"))',
];

/** How names are looked up, and what is trusted, when the network is shared. */
const NETWORK = [
  "(allow network*)",
  '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))',
  '(allow mach-lookup (global-name "com.apple.trustd"))',
  '(allow mach-lookup (global-name "com.apple.trustd.agent"))',
  '(allow file-read* (literal "/private/etc/resolv.conf"))',
  '(allow file-read* (literal "/private/var/run/resolv.conf"))',
];

/**
 * The profile of `sandbox-exec` for a confinement. Of two rules that fit the later one counts, so that what is
 * hidden or protected follows the folder that holds it. macOS has no network of a server's own: without a
 * shared one there is none.
 *
 * This was written for macOS and its text is tested; it has not been run on a Mac. Before it is used there,
 * a trial with the same rules has to succeed.
 *
 * @see sandbox-exec(1), sandbox(7)
 */
export function seatbeltProfile(
  { mounts, network, sockets }: Pick<Confinement, "mounts" | "network" | "sockets">,
): string {
  const granted = mounts.filter(({ type }) => type === "read" || type === "write");
  const paths = [...BASE, ...granted.map(({ path }) => path)];
  const rules = [
    ...ALWAYS,
    ...(network === "shared" ? NETWORK : []),
    `(allow file-read* file-write-data ${DEVICES.map(literal).join(" ")})`,
    `(allow file-read* (subpath "/dev/fd"))`,
    // A path is resolved part by part, which takes a look at each folder above it.
    `(allow file-read-metadata ${ancestors(paths).map(literal).join(" ")})`,
    `(allow file-read* ${BASE.map(subpath).join(" ")})`,
    ...mounts.flatMap(mountRules),
    ...(sockets.unix
      ? granted.map(({ path }) => `(allow network-outbound (remote unix-socket ${subpath(path)}))`)
      : []),
  ];
  return `${rules.join("\n")}\n`;
}

/** Rules of one mount, for what comes before it too. Private files in memory are not macOS's. */
function mountRules(mount: Mount): string[] {
  const { path, type } = mount;
  switch (type) {
    case "read": {
      const source = mount.source ?? path;
      return [`(allow file-read* ${subpath(source)})`, `(deny file-write* ${subpath(source)})`];
    }
    case "write":
      // The folder itself stays where it is, so that nothing can be put in its place.
      return [
        `(allow file-read* file-write* ${subpath(path)})`,
        `(deny file-write-unlink ${literal(path)})`,
      ];
    case "mask":
      return [`(deny file-read* file-write* ${subpath(path)})`];
    case "folder":
      return [`(allow file-read-metadata ${literal(path)})`];
    case "link":
    case "tmpfs":
    case "proc":
    case "dev":
      return [];
    default:
      return type satisfies never;
  }
}

/** The folders above some paths, each once, the shortest first. */
function ancestors(paths: readonly string[]): string[] {
  const found = new Set(["/"]);
  for (const path of paths) {
    for (let each = dirname(path); each !== "/"; each = dirname(each)) found.add(each);
  }
  return [...found].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function subpath(path: string): string {
  return `(subpath ${quoted(path)})`;
}

function literal(path: string): string {
  return `(literal ${quoted(path)})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (each) => `\\${each}`)}"`;
}

/**
 * A command behind a profile: a shell that watches the lifeline, then `sandbox-exec`, then a shell that sets
 * environment and limits and becomes the command.
 *
 * @param inner The script inside, see `wrapper.ts`.
 */
export function seatbeltArguments(
  command: SpawnCommand,
  inner: string,
  options: {
    readonly program: string;
    readonly profile: string;
    readonly lifeline: string;
    readonly folder: string;
  },
): string[] {
  const { program, profile, lifeline, folder } = options;
  const target = ["/bin/sh", "-c", inner, "sh", command.program, ...command.args];
  return ["-c", OUTER, "sh", lifeline, folder, command.cwd, program, "-f", profile, ...target];
}

/**
 * macOS has neither `setsid` nor control groups: the cleaner removes what the runtime would have, and
 * then kills the group, itself included.
 */
const OUTER = `exec 4<"$1"
life=$1 own=$2
cd -- "$3" || exit 111
shift 3
{ read -r _ <&4; rm -rf -- "$own" "\${life%/*}"; kill -KILL "-$$"; } >/dev/null 2>&1 &
watch=$!
"$@" 4<&-
code=$?
kill -KILL "$watch"
exit "$code"`;
