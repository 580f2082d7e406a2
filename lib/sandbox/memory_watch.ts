/**
 * Shell text that bounds the memory of all that a server started, where no control group does. `watch KIB PID`
 * looks each second or two, and more often where much is used, at what the descendants of this shell hold, but for
 * itself and PID, each shared page counted once; past the bound it kills them all, and calls `told`.
 *
 * The quick look adds up what each process holds, and what the machine holds in shared memory more than at
 * first: both can only be too much, so that the exact look follows where they reach the bound. That one takes
 * each process's own share of its pages, and the files in memory that processes have open.
 *
 * A descendant is found by its parents: one that left them (which needs a process namespace of its own, or
 * none at all) is not. What is taken and given back between two looks is not seen.
 */
export const MEMORY_WATCH = `page=$(getconf PAGESIZE) || page=4096
quick() {
  awk -v root="$$" -v self="$self" -v spared="$spared" -v page="$page" 'BEGIN {
    for (i = 1; i < ARGC; i++) {
      file = ARGV[i] "/stat"
      if ((getline line < file) <= 0) continue
      close(file)
      sub(/^.*\\) /, "", line)
      split(line, field, " ")
      pid = ARGV[i]; sub(/^.*\\//, "", pid)
      if (pid != self && pid != spared) { parent[pid] = field[2]; rss[pid] = field[22] }
    }
    inside[root] = 1
    do {
      more = 0
      for (pid in parent) if (!(pid in inside) && (parent[pid] in inside)) { inside[pid] = 1; more = 1 }
    } while (more)
    for (pid in rss) if (pid != root && (pid in inside)) { sum += rss[pid]; pids = pids " " pid }
    while ((getline line < "/proc/meminfo") > 0) if (split(line, field, " ") && field[1] == "Shmem:") shared = field[2]
    print int(sum * (page / 1024)), shared pids
  }' /proc/[0-9]*
}
exact() {
  total=0
  for pid; do
    share=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup") && total=$((total + \${share:-0}))
  done
  files=$(for pid; do find "/proc/$pid/fd" -lname '/memfd:*' -exec stat -L -c '%i %b' {} +; done |
    sort -u | awk '{ sum += $2 } END { print int(sum / 2) }')
  echo $((total > files ? total : files))
} 2>/dev/null
watch() {
  self=$(exec sh -c 'echo "$PPID"') spared=$2 bound=$1 first= pause=0
  while sleep "$pause" >/dev/null 2>&1 && [ -d "/proc/$$" ]; do
    set -- $(quick)
    held=$1 now=$2
    shift 2
    first=\${first:-$now}
    [ "$now" -le "$first" ] || held=$((held + now - first))
    if [ "$held" -gt "$bound" ] && [ "$(exact "$@")" -gt "$bound" ]; then
      # The first of them to die ends the shell above, which then ends this one: not before the last.
      over=
      trap 'over=1' TERM
      told >&2
      kill -KILL "$@" 2>/dev/null
      trap - TERM
      [ -z "$over" ] || return 0
    fi
    if [ $((held * 2)) -gt "$bound" ]; then pause=0.2
    elif [ $((held * 8)) -gt "$bound" ]; then pause=1
    else pause=2; fi
  done
}`;
