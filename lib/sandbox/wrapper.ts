import { MEMORY_WATCH } from "./memory_watch.ts";
import type { Placeholder } from "./placeholders.ts";
import type { ResourceLimits } from "./spec.ts";

/** What the outer script needs to know of one start, in the order of its first arguments. */
export interface OuterArguments {
  /** The FIFO that the runtime holds open. */
  readonly lifeline: string;
  /** The seccomp filter's file: open as descriptor 9 from then on. */
  readonly filter: string;
  /** The server's private folder. */
  readonly folder: string;
}

/**
 * The shell script outside the confinement, for `sh -c`: its arguments are those of
 * {@linkcode OuterArguments}, then the command that confines. It leads the process group.
 *
 * The lifeline is a FIFO that the runtime holds open. When that comes to its end, however the runtime
 * did, a cleaner in a session of its own kills the group (`bwrap` and `unshare` are in it, and take
 * all that they confine along) and removes what the runtime would have. A death signal alone would
 * not do: it is bound to the thread that started the child. The watch outlives a server that ends by
 * itself, as most do when the runtime is gone; a runtime that lives kills the group after its end.
 *
 * Control groups are joined where the machine lets us make some, in either version of their interface.
 *
 * @param placeholders What holds a place in the person's folders. Others may have a hold on one.
 */
export function outerScript(
  { memory_mb, processes }: ResourceLimits,
  placeholders: readonly Placeholder[],
): string {
  const groups = [
    ...(processes === undefined ? [] : [
      `join /sys/fs/cgroup/pids pids.max ${processes}`,
      `join /sys/fs/cgroup pids.max ${processes}`,
    ]),
    ...(memory_mb === undefined ? [] : [
      `join /sys/fs/cgroup/memory memory.limit_in_bytes ${memory_mb * MIB}`,
      `join /sys/fs/cgroup memory.max ${memory_mb * MIB}`,
    ]),
  ];
  // The deepest first, so that each is empty in its turn.
  const drops = placeholders.toReversed().map(({ path, text }) =>
    text === undefined
      ? `drop ${quoted(path)} rmdir`
      : `drop ${quoted(path)} rm ${quoted(text.trimEnd())}`
  );
  const cleaner = quoted([CLEANER, ...drops].join("\n"));
  return [
    'exec 4<"$1" 9<"$2"',
    "life=$1 own=$3",
    "shift 3",
    `{ read -r _ <&4; exec setsid /bin/sh -c ${cleaner} sh "$$" "$own" "\${life%/*}"; } >/dev/null 2>&1 &`,
    "cleaner=$!",
    ...(groups.length === 0 ? [] : [JOIN, ...groups]),
    ...(memory_mb === undefined ? [] : [boundMemory(memory_mb)]),
    '"$@" 4<&-',
    "code=$?",
    ...(memory_mb === undefined ? [] : [END_WATCH]),
    ...(groups.length === 0 ? [] : [LEAVE]),
    'exit "$code"',
  ].join("\n");
}

/** The runtime's holds on placeholders, and the processes that were killed, are gone a moment later. */
const CLEANER = `kill -KILL "-$1"
sleep 0.2
chmod -R u+rwx -- "$2"
rm -rf -- "$2" "$3"
drop() {
  {
    # Held alone, and still what stands at that path: nobody else removes it, and nobody has a hold on it.
    flock -n -x 8 && [ "$1" -ef /dev/fd/8 ] || return 0
    if [ "$2" = rmdir ] || [ "$(head -c 64 <&8)" = "$3" ]; then "$2" -- "$1"; fi
  } 8<"$1"
}`;

/** A text as one word of the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const MIB = 1024 * 1024;

/** A group is named after the shell that made it; those of shells that were killed go first. */
const JOIN = `joined= bounded=
join() {
  for g in "$1"/skep-*; do [ -d "/proc/\${g##*-}" ] || rmdir "$g"; done 2>/dev/null
  g=$1/skep-$$
  { [ -d "$g" ] || mkdir "$g"; } 2>/dev/null || return 0
  if [ -w "$g/$2" ] && echo "$3" >"$g/$2" && echo $$ >"$g/cgroup.procs"; then
    joined="$joined $g" bounded=\${2%%.*}
  else rmdir "$g"; fi 2>/dev/null
}`;

/** What a control group does not bound, a watch does; `told` is the last line of the server's stderr. */
function boundMemory(memoryMb: number): string {
  return `told() { echo 'skep: it was ended, since its memory limit of ${memoryMb} MiB was used up'; }
refused() { echo 'skep: it broke off, as programs do that need more than its memory limit of ${memoryMb} MiB'; }
if [ "$bounded" != memory ]; then
  ${MEMORY_WATCH.replaceAll("\n", "\n  ")}
  watch ${memoryMb * 1024} "$cleaner" 4<&- 9<&- </dev/null >/dev/null &
  watcher=$!
fi`;
}

/**
 * A group tells whether it ended one of its processes. 137: the server itself was, or it ended as that did. 133
 * and 134: it trapped or aborted, as V8 does that is refused memory.
 */
const END_WATCH = `if [ "$bounded" != memory ]; then kill "$watcher"
elif [ "$code" = 137 ]; then
  for g in $joined; do cat "$g/memory.events" "$g/memory.oom_control"; done 2>/dev/null |
    grep -q '^oom_kill [1-9]' && told >&2
fi
case $code in 133 | 134) refused >&2 ;; esac`;

const LEAVE = `for g in $joined; do
  echo $$ >"\${g%/skep-*}/cgroup.procs"
  rmdir "$g"
done 2>/dev/null`;

/** What the inner script starts before the server. */
export interface Forwarding {
  /** The forwarder's command, which writes the line `ready` when it listens. */
  readonly command: readonly string[];
  /** How long that may take. */
  readonly startS: number;
}

/**
 * The shell script inside the confinement, for `sh -c`: sets the environment and the limits, then
 * runs its arguments. The environment comes as shell text in a variable, since an argument could be
 * read by every user of the machine, and since the server's own variables must not steer the programs
 * that confine it.
 *
 * @param world `first`: the script is process 1 and has to stay, to end its orphans. `shared`: it is in the
 * person's own world, where the system counts all of a user's processes: the bound is on those beyond what there is.
 * @param forwarding Absent where the server reaches no network but its own.
 */
export function innerScript(
  limits: ResourceLimits,
  world: "first" | "own" | "shared",
  forwarding?: Forwarding,
): string {
  const bounds = [
    "-c 0", // no core dumps: they hold what the memory held
    ...(limits.open_files === undefined ? [] : [`-n ${limits.open_files}`]),
    ...(limits.cpu_seconds === undefined ? [] : [`-t ${limits.cpu_seconds}`]),
    ...(limits.file_mb === undefined ? [] : [`-f ${limits.file_mb * 2048}`]), // blocks of 512 bytes
    ...(limits.memory_mb === undefined ? [] : [`-d ${limits.memory_mb * 1024}`]), // KiB
  ];
  return [
    ...(forwarding === undefined ? [] : [forwardScript(forwarding)]),
    // The shell's own and those of the programs that confine, not the server's.
    "unset PWD OLDPWD SHLVL _ PATH DENO_DIR DENO_NO_UPDATE_CHECK NO_COLOR",
    `eval "$${ENVIRONMENT_VARIABLE}"`,
    `unset ${ENVIRONMENT_VARIABLE}`,
    // One that is over what the system allows cannot be set: then the system's is the stricter one.
    ...bounds.map((bound) => `ulimit ${bound} 2>/dev/null`),
    // The name of the bound on processes is not the same in all shells.
    ...(limits.processes === undefined
      ? []
      : [processesScript(limits.processes, world === "shared")]),
    ...(world === "first" ? ['"$@"', "exit $?"] : ['exec "$@"']),
  ].join("\n");
}

function processesScript(most: number, isShared: boolean): string {
  // The system counts threads.
  const bound = isShared ? `"$(set -- /proc/[0-9]*/task/*; echo "$(($# + ${most}))")"` : `${most}`;
  return `{ ulimit -u ${bound} || ulimit -p ${bound}; } 2>/dev/null`;
}

/**
 * Starts the forwarder and waits for its line. It is nobody's child and in no group of the server's,
 * whose waits and signals it must not meet; the end of process 1 ends it. It sees no variable of the
 * server's, and has nothing to keep in a cache.
 */
function forwardScript({ command, startS }: Forwarding): string {
  const words = command.map(quoted).join(" ");
  return `bound=$(command -v timeout) && bound="$bound ${startS}"
ready=$( (
  unset ${ENVIRONMENT_VARIABLE} ready bound
  export DENO_DIR=/dev/null DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
  exec $(command -v setsid) ${words} </dev/null &
) | $bound /bin/sh -c 'read -r line && printf %s "$line"' )
[ "$ready" = ready ] || { echo 'skep: the forwarder to the network proxy did not start' >&2; exit 111; }
unset ready bound`;
}

/** The variable that carries a server's environment into its confinement. */
export const ENVIRONMENT_VARIABLE = "SKEP_SERVER_ENVIRONMENT";

/** An environment as shell text. Names are such as shells know, which the grant has made sure of. */
export function environmentScript(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join("\n");
}
