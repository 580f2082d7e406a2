# The probe's bash: what a shell command could try. Started as `bash probe.sh FOLDER`; see probe.js.
. "$1/bait.sh"

json() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "${text//[[:cntrl:]]/ }"
}

report() { # PROBE EXPECTED OUTCOME DETAIL
  printf '{"probe":%s,"expected":"%s","outcome":"%s","detail":%s}\n' \
    "$(json "$1")" "$2" "$3" "$(json "${4:0:300}")"
}

attempt() { # EXPECTED PROBE COMMAND...: a subshell of its own, its output is the detail
  local expected=$1 probe=$2 detail
  shift 2
  if detail=$("$@" 2>&1); then report "$probe" "$expected" allowed "$detail"
  elif [ $? = 127 ] && [ "$expected" = denied ]; then report "$probe" denied skipped "$detail"
  else report "$probe" "$expected" denied "$detail"; fi
}

deny() { attempt denied "$@"; }
allow() { attempt allowed "$@"; }

append() { [ -e "$1" ] && : >>"$1"; }
create_or_append() { if [ -e "$1" ]; then append "$1"; else create "$1"; fi; }
create() { (set -C; : >"$1") && rm -f -- "$1"; }
swap() { mv -T -- "$1" "$2" && mv -T -- "$2" "$1"; }
any() { # COMMAND VALUE...: true when one works
  local command=$1 value
  shift
  for value; do "$command" "$value" && echo "$value" && return; done
  return 1
}

create_in() { # FOLDER
  local is_new=
  [ -e "$1" ] || { is_new=1; mkdir "$1" || return; }
  create "$1/new-$unique"
  local code=$?
  [ -z "$is_new" ] || rmdir "$1"
  return $code
}

new_link() {
  ln -s "$secret" "link-$unique" || return
  cat "link-$unique"
  local code=$?
  rm -f "link-$unique"
  return $code
}

replace_config() {
  cp .git/config "config-$unique" || return
  mv -fT "config-$unique" .git/config
  local code=$?
  rm -f "config-$unique"
  return $code
}

words_of() { # FILE of NUL-separated words: into the array `words`
  { mapfile -d '' -t words <"$1"; } 2>/dev/null
}

victims() {
  local found= file
  for file in /proc/[0-9]*/cmdline; do
    words_of "$file" && [[ ${words[*]} == *"$victim_mark"* ]] && found="$found ${file//[^0-9]/}"
  done
  [ -n "$found" ] && echo $found
}

of_victim() { any cat_one $(victims | sed "s|[0-9]\+|/proc/&/$1|g"); }
cat_one() { head -c 1 "$1" >/dev/null; }
can_signal() { kill -0 "$1"; }

canaries=()
for text in "${canaries_reversed[@]}"; do
  canary=
  for ((place = ${#text} - 1; place >= 0; place--)); do canary+=${text:place:1}; done
  canaries+=("$canary")
done

scan() { # FILE of each process that may hold a canary
  local file canary
  for file in /proc/[0-9]*/"$1"; do
    words_of "$file" || continue
    for canary in "${canaries[@]}"; do
      [[ ${words[*]} == *"$canary"* ]] && echo "$file" && return
    done
  done
  return 1
}

foreign_variables() {
  local name found=
  for name in $(compgen -e); do [[ " $variables " == *" $name "* ]] || found="$found $name"; done
  [ -n "$found" ] && echo $found
}

strange_descriptors() {
  local marks=() mark
  for mark in "${hidden[@]}"; do marks+=(-e "$mark"); done
  ls -l /proc/[0-9]*/fd 2>/dev/null | grep -F "${marks[@]}"
}

tcp() { timeout 1 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" || [ $? = 124 ]; }
set_id() { cp /bin/true "set-id-$unique" && chmod u+s "set-id-$unique"; }

if [ -n "$is_readable" ]; then allow read-workspace cat inside.txt; fi
allow write-private-folder create "$tmp/new-$unique"
allow write-null append /dev/null
allow start-program /bin/true
allow shared-memory eval '[ "$backend" = landlock ] || create "/dev/shm/new-$unique"'
if [ -n "$is_writable" ]; then
  allow write-workspace create "new-$unique"
  allow rename-in-workspace swap inside.txt "renamed-$unique"
  allow write-in-repository create ".git/new-$unique"
  allow link-in-workspace eval 'ln -s inside.txt "l-$unique" && cat "l-$unique" && rm "l-$unique"'
fi

look() { if [ -d "$1" ]; then ls -- "$1" >/dev/null; elif [ -f "$1" ]; then : <"$1"; else [ -e "$1" ]; fi; }
for path in "${granted_read[@]}"; do allow "granted-read $path" look "$path"; done
for path in "${granted_write[@]}"; do
  allow "granted-write $path" create "$path/skep-probe-$unique"
done
for path in "${granted_run[@]}"; do allow "granted-run $path" test -f "$path" -a -x "$path"; done

deny read-outside cat "$secret"
deny read-dotdot cat ../secret.txt
deny read-old-link cat link
deny read-old-folder-link cat linked/inside.txt
deny read-new-link new_link
deny list-outside ls "$outside"
deny stat-outside stat -c %s "$secret"
deny enter-outside cd "$outside"
deny write-outside append "$secret"
deny write-old-link append link
deny create-outside create "$outside/new-$unique"
deny create-by-folder-link create "linked/new-$unique"
deny hard-link eval 'ln "$secret" "hard-$unique" && rm -f "hard-$unique"'
deny rename-in swap "$movable" "moved-$unique"
deny rename-out swap inside.txt "$outside/moved-$unique"
deny remove-outside rm "$removable"
deny chmod-outside chmod 666 "$meta"
deny chown-outside chown "$uid:$gid" "$meta"
deny utime-outside eval '[ -e "$meta" ] && touch -c -d @1 "$meta"'
deny read-key cat "$key"
deny list-settings ls "$config"
if [ ${#credentials[@]} -gt 0 ]; then deny read-credentials any cat_one "${credentials[@]}"; fi
if [ ${#personal[@]} -gt 0 ]; then deny read-personal-file any cat_one "${personal[@]}"; fi
deny read-other-server cat "$other"
deny write-other-server append "$other"
deny read-shared-memory cat "$shm"
deny read-deno-storage cat "$stored"
deny write-skep any append "${programs[@]}"
deny write-beside-deno create "$deno-$unique"
deny write-program any append /usr/bin/env /bin/true
deny write-run-files any append "${run_files[@]}"
deny write-run-folders any create "${run_folders[@]/%//new-$unique}"
deny write-deno-dir create "$deno_dir/new-$unique"

for name in .git/hooks .vscode .devcontainer .husky .idea; do
  deny "protected-create $name" create_in "$name"
done
deny "protected-create .envrc" create .envrc
deny "protected-create .git/commondir" create_or_append .git/commondir
deny "protected-append .git/config" append .git/config
deny "protected-append .vscode/settings.json" append .vscode/settings.json
deny "protected-replace .git/config" replace_config
deny "protected-rename .vscode" swap .vscode "vscode-$unique"
deny "protected-rename .git" swap .git "git-$unique"
deny rename-workspace swap "$workspace" "$workspace-$unique"

deny environment foreign_variables
deny proc-environ scan environ
deny proc-cmdline scan cmdline
deny proc-root any cat_one /proc/[0-9]*/root"$secret"
deny proc-cwd any cat_one /proc/[0-9]*/cwd/../secret.txt
deny proc-maps of_victim maps
deny see-processes victims
deny signal-victim any can_signal $(victims)
deny inherited-descriptors strange_descriptors
deny settings-of-kernel any append /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname
deny write-sys any append "${sys_files[@]}"
deny chmod-device chmod 666 /dev/null
deny set-user-id set_id
rm -f "set-id-$unique"

deny tcp-loopback tcp 127.0.0.1 "$tcp_port"
deny tcp-outside tcp 192.0.2.1 9
deny udp-loopback bash -c 'echo bash >"/dev/udp/127.0.0.1/$0"' "$udp_port"

deny new-namespace unshare --user true
deny make-device eval 'mknod "device-$unique" b 8 0 && rm -f "device-$unique"'
echo '{"done":true}'
