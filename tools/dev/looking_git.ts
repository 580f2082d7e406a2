/**
 * The script that stands in the place of git where git may only look: the commands that look, and none of the
 * programs that a repository's settings name, which git runs at its own discretion. It may lie on PATH itself, so
 * it looks for git beyond its own folder.
 *
 * What runs programs by an option is refused. What does by a setting is set to nothing: filters, drivers and hooks
 * by their names in the settings, all else that is known. A submodule has settings of its own, so it is not
 * entered. Nothing is fetched.
 *
 * @see git-config(1), gitattributes(5)
 */
export const LOOKING_GIT = `PATH=\${PATH#"\${0%/*}:"}
git=$(type -P git) || { echo "git: there is no git" >&2; exit 127; }
refuse() {
  echo "git: $1 is not there: this git looks, and runs no program that the repository names" >&2
  exit 1
}
command=$1
shift
case $command in
  status) options=(--ignore-submodules=dirty) ;;
  blame) options=(--no-textconv) ;;
  log | diff | show) options=(--no-ext-diff --no-textconv --ignore-submodules=dirty) ;;
  *) refuse "git $command" ;;
esac
for word in "$@"; do
  case $word in
    --) break ;;
    --ext* | --textc* | --out* | --show-si* | --help | --*subm* | --*ignore-su*) refuse "$word" ;;
    -[!-]*v* | -v* | --verb*) [ "$command" != status ] || refuse "git status $word" ;;
  esac
done
count=0
setting() {
  export "GIT_CONFIG_KEY_$count=$1" "GIT_CONFIG_VALUE_$count=$2"
  count=$((count + 1))
}
while IFS= read -r -d "" key; do
  setting "$key" "$([[ $key != *.required ]] || echo false)"
done < <("$git" config --null --name-only --get-regexp \\
  "^(filter|diff|merge)\\..*\\.(clean|smudge|process|required|command|textconv|driver)\\$")
for program in gpg.program gpg.openpgp.program gpg.x509.program gpg.ssh.program core.sshcommand; do
  setting "$program" false
done
setting core.fsmonitor false
setting core.hookspath /dev/null
setting log.showsignature false
setting diff.submodule short
setting status.submodulesummary false
export GIT_CONFIG_COUNT=$count GIT_PAGER=cat GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1
export GIT_ALLOW_PROTOCOL=none GIT_TERMINAL_PROMPT=0
exec "$git" --no-pager "$command" "\${options[@]}" "$@"
`;
