#!/usr/bin/env bash
# Installs what dist/ has for this machine in each way, uses it, removes it, and looks for what is left:
# try.sh [--newcomer AGENTS] [DIST]. AGENTS: where test/real_agents/run.sh has installed agents; then each way is timed
# from the start of installing to the first answer that an agent gives out of the history.
set -euo pipefail
# shellcheck source=packaging/release/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
agents=
if [ "${1:-}" = --newcomer ]; then agents=${2:?where agents are installed} && shift 2; fi
dist=${1:-$root/dist}
case $(uname -m) in
  x86_64) target=linux-x86_64 debian=amd64 npm=linux-x64 ;;
  aarch64) target=linux-arm64 debian=arm64 npm=linux-arm64 ;;
  *) die "nothing is made for $(uname -m)" ;;
esac
processor=$(uname -m)
work=$(mktemp -d)
clean() {
  cat "$work"/home-*/.local/share/memd/memd.pid 2>/dev/null | xargs -r kill 2>/dev/null || true # of a way that failed
  rm -rf "$work"
}
trap clean EXIT
readonly session=00000000-0000-4000-8000-000000000001

# installing: a way begins
installing() { began=$(date +%s%N); }

# newcomer WAY PROGRAM: until an agent answers
newcomer() {
  local installed=$((($(date +%s%N) - began) / 1000000))
  [ -n "$agents" ] || return 0
  say "$1: installed in $installed ms, an agent's answer after $("$root/test/real_agents/newcomer.py" --installed "$agents" "$2")"
}

# used WAY PROGRAM [ARGUMENT...]: what a newcomer does with it; the arguments start the MCP server
used() {
  local way=$1 program=$2 home=$work/home-$1 started
  shift 2
  newcomer "$way" "$program"
  [ $# -gt 0 ] || set -- "$program" --stdio
  mkdir -p "$home/.claude/projects/-w"
  cat >"$home/.claude/projects/-w/$session.jsonl" <<JSON
{"type":"user","uuid":"u","sessionId":"$session","cwd":"/w","timestamp":"2026-03-01T00:00:00Z","message":{"role":"user","content":"Why does the parcel test fail?"}}
JSON
  started=$(date +%s%N)
  "$program" --version >"$work/version" || die "$way: --version ends with $?"
  [ "$(cat "$work/version")" = "memd $version" ] || die "$way: another version"
  local -a env=(env -i HOME="$home" PATH="$PATH" XDG_RUNTIME_DIR="$home/none")
  "${env[@]}" "$program" --json ingest --once --second-look >"$work/$way.ingested" || die "$way: ingest fails"
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"semantic_search","arguments":{"query":"parcel test","all_projects":true}}}' |
    "${env[@]}" "$@" >"$work/$way.answers" 2>"$work/$way.errors" || die "$way: $(cat "$work/$way.errors")"
  grep -q '"serverInfo"' "$work/$way.answers" || die "$way: no answer to initialize: $(cat "$work/$way.errors")"
  grep -q '"semantic_search"' "$work/$way.answers" || die "$way: no tools"
  grep -q 'parcel test' "$work/$way.answers" || die "$way: the session is not found: $(tail -n 1 "$work/$way.answers")"
  say "$way: version, ingest and three calls in $((($(date +%s%N) - started) / 1000000)) ms"
  "${env[@]}" "$program" uninstall --data >"$work/$way.uninstalled"
  left=$(find "$home" -type f ! -name "$session.jsonl")
  [ -z "$left" ] || die "$way: left in the home directory: $left"
}

# gone WAY DIRECTORY: nothing of memd is below
gone() {
  local left
  left=$(find "$2" \( -type f -o -type l \) \( -iname '*memd*' -o -path '*memd*' \) -print 2>/dev/null || true)
  [ -z "$left" ] || die "$1: left behind: $left"
}

(cd "$dist" && sha256sum --check --quiet SHA256SUMS) || die "SHA256SUMS does not fit"

# The tarball, as README.md says. Its list of files removes it.
prefix=$work/tarball
mkdir "$prefix"
installing
tar -xzf "$dist/memd-$version-$target.tar.gz" -C "$prefix" --strip-components=1
used tarball "$prefix/bin/memd"
tar -tzf "$dist/memd-$version-$target.tar.gz" | grep -v '/$' | cut -d/ -f2- | (cd "$prefix" && xargs rm)
gone tarball "$prefix"

packaging/try_deb.sh "$dist/memd_${version}_$debian.deb" >"$work/deb" || die "deb: $(cat "$work/deb")"
say "deb: $(cat "$work/deb")"
installing
dpkg-deb --extract "$dist/memd_${version}_$debian.deb" "$work/deb-root"
newcomer deb "$work/deb-root/usr/bin/memd"

if command -v rpm >/dev/null; then # in a root of its own, for which rpm has to be root there
  mkdir "$work/rpm"
  in_root() { unshare --map-root-user rpm --root "$work/rpm" "$@"; }
  installing
  in_root --install --ignorearch "$dist/memd-$version-1.$processor.rpm" || die "rpm: not installed"
  used rpm "$work/rpm/usr/bin/memd"
  in_root --erase memd
  rm -rf "$work/rpm/var/lib/rpm" # its list of packages
  gone rpm "$work/rpm"
fi

if command -v buildah >/dev/null; then # the image, without Docker's daemon
  image=(buildah --root "$work/images" --runroot "$work/images-run" --storage-driver vfs)
  installing
  "${image[@]}" build --quiet --isolation chroot --platform "linux/$debian" --tag memd "$dist" >"$work/image.log" 2>&1 || die "image: $(cat "$work/image.log")"
  container=$("${image[@]}" from memd)
  mounted=$("${image[@]}" mount "$container")
  used image "$mounted/usr/bin/memd"
  "${image[@]}" rm "$container" >/dev/null
  "${image[@]}" rmi memd >/dev/null
fi

if command -v npm >/dev/null; then
  export npm_config_cache=$work/npm-cache npm_config_update_notifier=false
  installing
  npm install --global --offline --prefix "$work/npm" "$dist/memd-mcp-$npm-$version.tgz" "$dist/memd-mcp-$version.tgz" >"$work/npm.log" 2>&1 ||
    die "npm: $(cat "$work/npm.log")"
  used npm "$work/npm/lib/node_modules/memd-mcp-$npm/bin/memd" "$work/npm/bin/memd-mcp"
  npm uninstall --global --prefix "$work/npm" memd-mcp "memd-mcp-$npm" >/dev/null 2>&1
  gone npm "$work/npm"
fi

installing
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$dist" "memd-mcp==$version"
used pip "$work/venv/bin/memd" "$work/venv/bin/memd-mcp"
"$work/venv/bin/pip" uninstall --quiet --yes memd-mcp
gone pip "$work/venv"

mkdir "$work/bundle"
installing
python3 -m zipfile -e "$dist/memd-$version-$target.mcpb" "$work/bundle"
chmod +x "$work/bundle/server/memd"
used mcpb "$work/bundle/server/memd"
say "each way: installed, used, removed; nothing is left"
