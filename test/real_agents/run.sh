#!/usr/bin/env bash
# Installs real coding agents, has them work against a stand-in model, and checks what memd makes of what they wrote.
# The first run downloads some 2 GiB into ${XDG_CACHE_HOME:-~/.cache}/memd-real-agents; `run.sh --help` lists the options.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/memd-real-agents

versions=pinned
only_install=no
module=
wanted=()
rest=()
while [ $# -gt 0 ]; do
  case $1 in
    --latest) versions=latest && shift ;;
    --compactions) module=compaction && shift ;; # how agents compact, see docs/compaction.md
    --install) only_install=yes && shift ;; # for programs that use the drivers without the bench
    --agent) wanted+=("${2:?--agent needs a name}") && rest+=("$1" "$2") && shift 2 ;;
    -h | --help) exec python3 "$here/bench.py" --help ;;
    *) rest+=("$1") && shift ;;
  esac
done

say() { printf '%s\n' "$*" >&2; }
for program in python3 tmux git npm; do
  command -v "$program" >/dev/null || {
    "$root/packaging/install-deps.sh" agents
    break
  }
done

# Installs a package into a folder of its own, unless that version is there.
install() {
  local folder=$cache/$versions/$1 package=$2@$3 spec=${2#pypi:}
  if [ "$versions" = pinned ] && [ "$(cat "$folder/.installed" 2>/dev/null)" = "$package" ]; then return; fi
  say "installing $package"
  mkdir -p "$folder"
  if [ "$spec" != "$2" ]; then
    [ "$3" = latest ] || spec+="==$3"
    python3.12 -m venv "$folder" && "$folder/bin/pip" install --quiet --upgrade "$spec" >&2 || return 1
  else
    echo '{"private":true}' >"$folder/package.json"
    (cd "$folder" && npm install --no-audit --no-fund --loglevel=error "$package" >&2) || return 1
  fi
  echo "$package" >"$folder/.installed"
}

# Node first: with the system's Node 20 npm installs an older Claude Code, and says nothing.
while read -r name package version; do
  case $name in '' | '#'*) continue ;; esac
  if [ "$name" = node ]; then
    install "$name" "$package" "$version"
    export PATH=$cache/$versions/node/node_modules/.bin:$PATH
    continue
  fi
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then continue; fi
  [ "$versions" = pinned ] || version=latest
  install "$name" "$package" "$version" || say "$name could not be installed"
done <"$here/versions"
[ $only_install = no ] || exit 0

if [ -n "$module" ]; then
  PYTHONPATH=$here exec python3 -m "$module" --installed "$cache/$versions" "${rest[@]}"
fi
exec python3 "$here/bench.py" --installed "$cache/$versions" "${rest[@]}"
