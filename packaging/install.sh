#!/usr/bin/env bash
# Builds memd, installs it for this user, reads the history found in $HOME and shows what was found.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: packaging/install.sh [--prefix DIR] [--data-dir DIR] [--no-ingest]
       packaging/install.sh --uninstall [--prefix DIR] [--data-dir DIR] [--data]

  --prefix DIR    where bin/memd goes (default: $PREFIX, else ~/.local)
  --data-dir DIR  where the store goes (default: $XDG_DATA_HOME/memd, else ~/.local/share/memd)
  --no-ingest     build and install only
  --uninstall     take memd out of all agents, remove its service and the program; the store stays
  --data          with --uninstall: remove the store, too

Places under a home directory that cannot be written are replaced by ${TMPDIR:-/tmp}/memd-UID, with a note.
TEXT
}

say() { printf '%s\n' "$*"; }
note() { printf 'note: %s\n' "$*" >&2; }
die() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}

prefix=${PREFIX:-}
data_dir=
ingest=yes
uninstall=no
with_data=()
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --data-dir)
      [ $# -ge 2 ] || die "$1 needs a directory"
      if [ "$1" = --prefix ]; then prefix=$2; else data_dir=$2; fi
      shift 2
      ;;
    --prefix=*) prefix=${1#*=} && shift ;;
    --data-dir=*) data_dir=${1#*=} && shift ;;
    --no-ingest) ingest=no && shift ;;
    --uninstall) uninstall=yes && shift ;;
    --data) with_data=(--data) && shift ;;
    -h | --help) usage && exit ;;
    *)
      usage >&2
      die "unknown option '$1'"
      ;;
  esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fallback=${TMPDIR:-/tmp}/memd-$(id -u)
home=${HOME:-}

# Creates the directory; true if a file can be made in it.
usable() {
  local probe
  mkdir -p "$1" 2>/dev/null && probe=$(mktemp "$1/.memd-probe.XXXXXX" 2>/dev/null) && rm -f "$probe"
}

private_dir() { (umask 077 && usable "$1") || die "cannot write to $1"; }

# The fallback is in a directory that others can write to: it must belong to this user and be private.
use_fallback() {
  mkdir -m 0700 "$fallback" 2>/dev/null || { [ -d "$fallback" ] && [ ! -L "$fallback" ] && [ -O "$fallback" ]; } ||
    die "$fallback is in the way. Say --prefix and --data-dir."
  chmod 0700 "$fallback"
}

# --- the other way -------------------------------------------------------------------------------------------------

# Lists the files that cmake installs: from its manifest if this clone has one.
installed_files() {
  local list=$root/build/install/install_manifest.txt
  if [ -f "$list" ] && grep -qxF "$1/bin/memd" "$list"; then
    cat "$list"
  else
    printf '%s\n' "$1/bin/memd"
    find "$1/share/man/man1" -maxdepth 1 -name 'memd*.1*' 2>/dev/null || true
  fi
}

if [ $uninstall = yes ]; then
  prefix=${prefix:-$home/.local}
  if [ ! -x "$prefix/bin/memd" ] && [ -x "$fallback/prefix/bin/memd" ]; then prefix=$fallback/prefix; fi
  [ -x "$prefix/bin/memd" ] || die "there is no $prefix/bin/memd. Say --prefix."
  prefix=$(cd "$prefix" && pwd)
  if [ -z "$data_dir" ] && [ -d "$fallback/data" ]; then data_dir=$fallback/data; fi
  "$prefix/bin/memd" ${data_dir:+--data-dir "$data_dir"} uninstall "${with_data[@]}"
  while IFS= read -r file; do
    rm -f "$file"
    say "removed $file"
  done < <(installed_files "$prefix")
  if [ ${#with_data[@]} -gt 0 ]; then rmdir "$fallback/prefix/bin" "$fallback/prefix" "$fallback" 2>/dev/null || true; fi
  exit
fi
[ ${#with_data[@]} -eq 0 ] || die "--data is for --uninstall"

# --- places --------------------------------------------------------------------------------------------------------

if [ -n "$prefix" ]; then
  usable "$prefix/bin" || die "cannot write to $prefix/bin"
  prefix=$(cd "$prefix" && pwd)
elif [ -n "$home" ] && usable "$home/.local/bin"; then
  prefix=$home/.local
else
  use_fallback
  prefix=$fallback/prefix
  mkdir -p "$prefix/bin"
  note "$home/.local cannot be written; memd goes to $prefix. Choose another place with --prefix or PREFIX."
fi

memd_args=()
if [ -n "$data_dir" ]; then
  private_dir "$data_dir"
  data_dir=$(cd "$data_dir" && pwd)
  memd_args=(--data-dir "$data_dir")
elif [ -z "$home" ] && [ -z "${XDG_DATA_HOME:-}" ] || ! usable "${XDG_DATA_HOME:-$home/.local/share}"; then
  use_fallback
  data_dir=$fallback/data
  private_dir "$data_dir"
  memd_args=(--data-dir "$data_dir")
  note "${XDG_DATA_HOME:-$home/.local/share} cannot be written; the store goes to $data_dir." \
    "Choose another place with --data-dir or XDG_DATA_HOME."
fi

if [ -z "${CCACHE_DIR:-}" ] && { [ -z "$home" ] || ! usable "${XDG_CACHE_HOME:-$home/.cache}"; }; then
  export CCACHE_DIR=$root/build/ccache
fi

# --- build and install ---------------------------------------------------------------------------------------------

"$root/packaging/install-deps.sh" build
say "memd: building, some minutes the first time (log: build/install.log)"
"$root/packaging/build.sh" || die "memd could not be built"
cmake --install "$root/build/install" --prefix "$prefix" --strip >>"$root/build/install.log" ||
  die "memd could not be installed; the log is $root/build/install.log"
readonly memd=$prefix/bin/memd
say "memd: installed $("$memd" --version) as $memd"

# --- first look at the history -------------------------------------------------------------------------------------

if [ $ingest = yes ]; then
  report=$(mktemp)
  trap 'rm -f "$report"' EXIT
  say "memd: reading the history under ${home:-/}"
  "$memd" "${memd_args[@]}" --json ingest --once >"$report" || die "reading the history failed; see the message above"
  python3 "$root/packaging/show_history.py" "$report" "$memd" "${memd_args[@]}"
fi

# --- registration --------------------------------------------------------------------------------------------------

quoted=$(printf ' %q' "$memd" "${memd_args[@]}" setup)
cat <<TEXT

Register memd with the agents found here:

 $quoted

TEXT
case :${PATH:-}: in
  *:"$prefix/bin":*) ;;
  *) note "$prefix/bin is not in PATH. For the command line: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
