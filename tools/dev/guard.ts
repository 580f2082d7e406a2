/** Bytes of the line before a command, whatever it says. */
const HEADER_BYTES = 32;

/**
 * What a command's own bash does until there is a command, so that nobody waits for bash to start. It
 * stands in one line, as what it runs counts its lines from there. Another shell takes its place once
 * it knows the command. Its arguments: the path of that other shell or nothing, and what to call it.
 */
const COMMAND_SHELL = [
  `LC_ALL=C read -r -N ${HEADER_BYTES} && set -- $REPLY "$@" && LC_ALL=C read -r -N "$2" || exit`,
  'cd -- "$REPLY" 2>/dev/null || { echo nofolder >&3; exit; }',
  'LC_ALL=C read -r -N "$3" || exit',
  'unset OLDPWD; [ "$1" = 1 ] || exec </dev/null',
  "exec 3>&-; echo $$",
  'if [ "$4" ]; then exec -a "$5" "$4" -c "$REPLY"; fi; set --; eval "$REPLY"',
].join("; ");

/** Where every process of a call has the call's own pipe, unless it closes what it inherited. */
const MARK_FD = 187;

/**
 * The guard: a bash that runs a command in a group of its own, with both outputs in one pipe, ends what
 * the command leaves behind, and exits with its code. It stands outside of the group and signals it for
 * us: a scoped `--allow-run` lets us signal nobody but a direct child, and in an exhausted system no
 * further process could be started for it.
 *
 * Its arguments: the server's own folder or nothing, a name for this call, and {@linkcode COMMAND_SHELL},
 * which its child does. What that is to run comes on stdin, as {@linkcode guardRequest} writes it, so that
 * both can be started, and wait, before there is a command; what follows there is the command's input. The
 * first line of output is the group's number, for the case that the command kills the guard; without that
 * line nothing of the command has run. On stderr the guard reports what it had to end, see
 * {@linkcode readReport}.
 *
 * What is left is stopped before it is looked at, so that what multiplies does so no more.
 *
 * TERM: passes it on, then waits until the group is empty, which one whose dead nobody collects never
 * is. USR1: kills the group and ends. A process that left the group is known by what it inherited and
 * kept, and killed as well: the call's name in its environment, the call's outputs, or a pipe of its own at
 * a number that nobody else uses. Processes older than the command are nobody of ours.
 */
const GUARD = `set -m
exec 3>&2 2>/dev/null ${MARK_FD}< <(:)
trap 'stopping=1; kill -TERM -- -$!' TERM
trap 'sweep; exit' USR1
marked() {
  local entries
  mapfile -d '' -t entries <"$1/environ"
  [[ " \${entries[*]} " == *" SKEP_CALL=$SKEP_CALL "* ]] || holds "$1/fd/${MARK_FD}" ${MARK_FD} ||
    holds "$1/fd/1" 1 || holds "$1/fd/2" 1
}
holds() { [ "$1" -ef "$BASHPID/fd/$2" ]; }
sweep() {
  local seen=" " found=1 round pid stat name kind
  kill -STOP -- -$group
  for round in 1 2 3; do
    [ "$found" ] || break
    found=
    for pid in [0-9]*; do
      (( pid >= group && pid != $$ )) && [[ $seen != *" $pid "* ]] || continue
      { IFS= read -r stat <"$pid/stat"; } || continue
      set -- \${stat##*) }
      [ "$1" = Z ] && continue
      if [ "$3" = "$group" ]; then kind=left
      elif marked "$pid"; then kind=escaped
      else continue
      fi
      found=1 seen="$seen$pid " name=\${stat#*(}
      echo "$kind \${name%)*}" >&3
      kill -KILL "$pid"
    done
  done
  kill -KILL -- -$group
}
export SKEP_CALL=$2
name=bash
if [ "$SKEP_SHELL" ]; then
  if found=$(type -P "$SKEP_SHELL"); then shell=$found name=\${found##*/}
  else echo noshell >&3
  fi
fi
if [ "$1" ]; then
  PATH=$1/bin:$PATH
  [ "$GIT_CONFIG_SYSTEM" ] || export GIT_CONFIG_SYSTEM=$1/gitconfig
fi
(exec -a bash "$BASH" -c "$3" bash "$shell" "$name" 2>&1) &
group=$!
exec </dev/null
cd /proc
until wait $group; code=$?; ! kill -0 $group; do sleep 0.02; done
while [ "$stopping" ] && kill -0 -- -$group; do sleep 0.02; done
sweep
exit $code`;

/**
 * The arguments of the bash that becomes a guard.
 *
 * @param scratch The server's own folder, if it has one: its commands come first on PATH.
 */
export function guardArguments(scratch: string | undefined): string[] {
  return ["-c", GUARD, "bash", scratch ?? "", crypto.randomUUID(), COMMAND_SHELL];
}

/**
 * What a guard reads before it runs a command: whether input follows, and the lengths in bytes of the
 * two texts after it, in a line of a length that is always the same.
 */
export function guardRequest(cwd: string, command: string, hasInput: boolean): Uint8Array {
  const encoder = new TextEncoder();
  const [folder, line] = [encoder.encode(cwd), encoder.encode(command)];
  const sizes = `${hasInput ? 1 : 0} ${folder.length} ${line.length}`;
  const request = new Uint8Array(HEADER_BYTES + folder.length + line.length);
  request.set(encoder.encode(sizes.padEnd(HEADER_BYTES - 1) + "\n"));
  request.set(folder, HEADER_BYTES);
  request.set(line, HEADER_BYTES + folder.length);
  return request;
}

/** What a guard had to say of the end. */
export interface GuardReport {
  /** Names of the processes that ran on after the command had ended, or when it was stopped. */
  readonly left: readonly string[];
  /** The same of those that had left its group. */
  readonly escaped: readonly string[];
  /** `SKEP_SHELL` names no program: bash was used. */
  readonly isShellMissing: boolean;
  /** The folder to run in is gone, or may not be entered: nothing was run. */
  readonly isFolderMissing: boolean;
}

/** Reads what a guard wrote to stderr. A name may be anything, so it is made safe to show. */
export function readReport(text: string): GuardReport {
  const lines = text.split("\n");
  const names = (kind: string) =>
    lines.filter((line) => line.startsWith(`${kind} `))
      .map((line) => line.slice(kind.length + 1).replaceAll(/[^\x20-\x7e]/g, "?"));
  return {
    left: names("left"),
    escaped: names("escaped"),
    isShellMissing: lines.includes("noshell"),
    isFolderMissing: lines.includes("nofolder"),
  };
}
